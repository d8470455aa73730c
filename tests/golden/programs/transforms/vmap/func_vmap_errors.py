import torch
from torch.func import vmap
x = torch.ones(3, 2)
def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
def f(a, b=None):
    return a
attempt(lambda: vmap(f)(x, torch.ones(2, 2)))
attempt(lambda: vmap(f)())
attempt(lambda: vmap(f, in_dims=5)(x))
attempt(lambda: vmap(f, in_dims=None)(x))
attempt(lambda: vmap(f)(3))
def g(a):
    return 5
attempt(lambda: vmap(g)(x))
