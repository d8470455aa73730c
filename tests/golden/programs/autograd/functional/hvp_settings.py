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
print(hvp(lambda x: (x ** 3).sum(), x, v))
print(vhp(lambda x: (x ** 3).sum(), x, v))
print(hvp(lambda x, y: (x ** 3 * y).sum(), (x, y), (v, v)))
print(vhp(lambda x, y: (x ** 3 * y).sum(), (x, y), (v, v)))
for h in (hvp, vhp):
    attempt(lambda: h(lambda x: x ** 2, x, v))
    attempt(lambda: h(lambda x: (x ** 2).sum(), x))
    attempt(lambda: h(lambda x: x ** 2, torch.tensor(3.)))
    attempt(lambda: h(lambda x: (x.sum(), x.sum()), x, v))
    attempt(lambda: h(lambda x: x.sum(), x, v))
    attempt(lambda: h(lambda x: x.sum(), x, v, strict=True))
    attempt(lambda: h(lambda x: torch.tensor(1.), x, v))
    attempt(lambda: h(lambda x: torch.tensor(1.), x, v, strict=True))
    attempt(lambda: h(lambda x, y: x.pow(2).sum(), (x, y), (v, v)))
    attempt(lambda: h(lambda x, y: x.pow(2).sum(), (x, y), (v, v), strict=True))
    attempt(lambda: h(lambda x, y: x.pow(2).sum(), (x, y), v))
    attempt(lambda: h(lambda x: x.pow(3).sum(), x, v, create_graph=True))
    attempt(lambda: h(lambda x: x.pow(2).sum(), x, v, create_graph=True, strict=True))
    attempt(lambda: h(lambda x: x.pow(2).sum(), x, torch.ones(3)))
    attempt(lambda: h(lambda x: x.pow(2).sum(), x, torch.ones(2).double()))
