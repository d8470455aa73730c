import torch
x = torch.ones(2, 2, requires_grad=True)
with torch.no_grad():
    y = x.t()
    z = x * 2
    print(y.requires_grad, y.is_leaf, z.requires_grad, z.is_leaf)
print(y.grad_fn, y._base is x)
w = y * 3
print(w.requires_grad, w.grad_fn)
with torch.no_grad():
    y.add_(1)
print(y.requires_grad)
try:
    y.add_(1)
except RuntimeError as e:
    print(e)
try:
    y.requires_grad_(False)
    print(y.requires_grad)
except RuntimeError as e:
    print(e)
try:
    y.requires_grad = True
    print('set', y.requires_grad)
    (y * 2).sum().backward()
    print(y.grad, x.grad)
except RuntimeError as e:
    print(e)
