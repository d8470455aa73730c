import torch
x = torch.zeros(3)
print(x._version)
x += 1
x[0] = 2
x.zero_()
y = x.view(3)
y.add_(1)
print(x._version, y._version)
