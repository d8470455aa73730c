import torch
x = torch.ones(3, requires_grad=True)
with torch.no_grad():
    v = x.view(-1)
    v.mul_(2)
print(x, v)
print(x.grad_fn, v.requires_grad, x._version)
