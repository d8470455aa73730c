import torch
from torch.utils.checkpoint import checkpoint
x = torch.tensor([1., 2.], requires_grad=True)
n = [0]
def f(x):
    n[0] += 1
    y = x * 2
    if n[0] > 1:
        y = y.exp()
    return y.sin()
o = checkpoint(f, x, use_reentrant=False)
try:
    o.sum().backward()
except Exception as e:
    print(type(e).__name__, str(e)[:200])
def g(x):
    return x.exp(), x * 3, 'str'
a, b, c = checkpoint(g, x, use_reentrant=False)
print(c, a.grad_fn, b.grad_fn)
(a.sum() + b.sum()).backward()
print(x.grad)
def h(x, *, k=1):
    return x * k
print(checkpoint(h, x, use_reentrant=False, k=5))
try:
    checkpoint(h, x, use_reentrant=True, k=5)
except ValueError as e:
    print(e)
def r(x):
    raise ValueError('inside')
checkpoint(r, x, use_reentrant=False)
