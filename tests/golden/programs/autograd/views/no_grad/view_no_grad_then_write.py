import torch
x = torch.ones(3, requires_grad=True)
y = x * 1
with torch.no_grad():
    v = y.view(-1)
print(v.requires_grad, v.grad_fn, v.is_leaf)
v.mul_(2)
