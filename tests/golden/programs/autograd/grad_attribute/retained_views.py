import torch
x = torch.ones(3, requires_grad=True)
y = x * 2
y.retain_grad()
v = y[0]
v.retain_grad()
v.mul_(5)
(y * torch.tensor([1., 2., 3.])).sum().backward()
print(y.grad, v.grad, x.grad)
