import torch
from torch.autograd.functional import jacobian, hessian, vjp
x = torch.tensor([1., 2.])
def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
attempt(lambda: hessian(lambda x: x.sum(), x, strict=True))
attempt(lambda: vjp(lambda a, b: a * 2, (x, x), torch.ones(2), strict=True))
attempt(lambda: jacobian(lambda a, b: a * 2, (x, x), strict=True))
attempt(lambda: jacobian(lambda a: a * 2, x, strict=True, create_graph=True))
