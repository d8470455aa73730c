import torch
from torch.utils.checkpoint import checkpoint
def f(x, y):
    print('run', torch.is_grad_enabled(), x.requires_grad)
    return x.sin() * y
x = torch.tensor([1., 2.], requires_grad=True)
y = torch.tensor([3., 4.])
for ur in (True, False):
    o = checkpoint(f, x, y, use_reentrant=ur)
    print(o.grad_fn, o.requires_grad)
    o.sum().backward()
    print(x.grad)
    x.grad = None
    try:
        o.sum().backward()
    except RuntimeError as e:
        print(str(e)[:120])
    try:
        print(torch.autograd.grad(checkpoint(f, x, y, use_reentrant=ur).sum(), x))
    except RuntimeError as e:
        print(e)
o = checkpoint(f, y, y, use_reentrant=True)
print(o.requires_grad)
o = checkpoint(f, y, y, use_reentrant=False)
print(o.requires_grad)
