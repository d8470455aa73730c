import torch
with torch.no_grad():
    a = torch.ones(2, requires_grad=True)
    b = a * 2
    print(a.requires_grad, b.requires_grad, b.grad_fn)
c = torch.ones(2, requires_grad=True)
with torch.no_grad():
    c.add_(1)
    c[0] = 7
print(c, c.is_leaf, c.grad_fn)
