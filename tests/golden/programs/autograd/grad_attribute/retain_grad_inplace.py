import torch
x = torch.ones(2, requires_grad=True)
y = x * 2
y.retain_grad()
y.mul_(3)
y.sum().backward()
print(y.grad, y.retains_grad)
