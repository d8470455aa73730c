import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = x + 1
y *= 3
print(y)
y -= torch.tensor([1., 1.])
print(y, y._version)
y.sum().backward()
print(x.grad)
