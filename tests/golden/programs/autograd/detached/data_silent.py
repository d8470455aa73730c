import torch
x = torch.ones(3, requires_grad=True)
y = x.exp()
y.data.zero_()
print(y, y._version)
y.sum().backward()
print(x.grad)
