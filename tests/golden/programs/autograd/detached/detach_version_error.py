import torch
x = torch.ones(3, requires_grad=True)
y = x.exp()
d = y.detach()
d.zero_()
print(y, y._version, d._version)
y.sum().backward()
