import torch
x = torch.ones(4, requires_grad=True)
y = x * 2
v = y[:2]
v.retain_grad()
v.mul_(5)
y.sum().backward()
print(v.grad, x.grad)
