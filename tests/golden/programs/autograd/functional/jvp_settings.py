import torch
from torch.autograd.functional import jacobian, hessian, vjp, jvp, hvp, vhp
def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, str(e))
x = torch.tensor([1., 2.])
y = torch.tensor([3., -1.])
v = torch.tensor([1., 10.])
print(jvp(lambda x: x ** 2, x, v))
print(jvp(lambda x: (x ** 2).sum(), x, v))
print(jvp(lambda x, y: (x * y, x + y), (x, y), (v, v)))
attempt(lambda: jvp(lambda x: x ** 2, x))
attempt(lambda: jvp(lambda x: x ** 2, torch.tensor(3.)))
attempt(lambda: jvp(lambda x: x ** 2, torch.tensor([3.])))
attempt(lambda: jvp(lambda x, y: x ** 2, (x, y)))
attempt(lambda: jvp(lambda x: (x, x), x, v))
attempt(lambda: jvp(lambda x: x ** 2, x, torch.ones(3)))
attempt(lambda: jvp(lambda x: x ** 2, x, (v, v)))
attempt(lambda: jvp(lambda x: torch.ones(2), x, v))
attempt(lambda: jvp(lambda x: torch.ones(2), x, v, strict=True))
attempt(lambda: jvp(lambda x, y: x ** 2, (x, y), (v, v), strict=True))
attempt(lambda: jvp(lambda x: x ** 2, x, v, create_graph=True))
attempt(lambda: jvp(lambda x: x * 2, x, v, create_graph=True, strict=True))
attempt(lambda: jvp(lambda x: x * 2, x, v, create_graph=True))
attempt(lambda: jvp(lambda x: None, x, v))
attempt(lambda: jvp(lambda x: x.reshape(2, 1) * x, x, v))
