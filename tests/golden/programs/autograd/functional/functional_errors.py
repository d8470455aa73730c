import torch
from torch.autograd.functional import vjp, jvp, hvp, jacobian
x = torch.tensor([1., 2.])
def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
attempt(lambda: vjp(lambda x: x * 2, x))
attempt(lambda: jvp(lambda x: x * 2, x))
attempt(lambda: vjp(lambda x: x * 2, x, torch.ones(3)))
attempt(lambda: vjp(lambda x: x * 2, x, (torch.ones(2), torch.ones(2))))
attempt(lambda: jacobian(lambda x: 3, x))
attempt(lambda: jacobian(lambda x: x, 3))
attempt(lambda: jacobian(lambda x: x, (x, 3)))
attempt(lambda: hvp(lambda x: x * 2, x, x))
attempt(lambda: jacobian(lambda x: torch.ones(2), x, strict=True))
attempt(lambda: jacobian(lambda x: torch.ones(2), x))
