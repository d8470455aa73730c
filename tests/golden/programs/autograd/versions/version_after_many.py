import torch
x = torch.ones(3, requires_grad=True)
y = x * 2
v = y[:2]
print(y._version, v._version)
v.add_(1)
y[2] = 0
print(y._version, v._version, y.detach()._version)
y.data.mul_(2)
print(y._version)
y.detach().mul_(2)
print(y._version)
