import torch
x = torch.zeros(3)
print(x._version)
x.add_(1)
x += 1
x[0] = 4
x[1:].mul_(3)
print(x._version, x[1:]._version)
y = x.view(3)
y.zero_()
print(x._version, y._version)
x.requires_grad_()
print(x._version)
