import torch
base = torch.zeros(4)
a, b = base[:2], base[2:]
w = torch.ones(2, requires_grad=True)
a.mul_(w)
print(b.requires_grad, b.grad_fn)
print(a.requires_grad, a.grad_fn)
