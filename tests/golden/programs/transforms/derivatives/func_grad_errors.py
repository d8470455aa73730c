import torch
from torch.func import grad
x = torch.tensor([1., 2.])
def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
attempt(lambda: grad(lambda x: x * 2)(x))
attempt(lambda: grad(lambda x: 3.0)(x))
attempt(lambda: grad(lambda x: x.sum(), argnums=1)(x))
attempt(lambda: grad(lambda x: x.sum(), has_aux=True)(x))
