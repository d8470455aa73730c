import torch
x = torch.arange(1., 5., requires_grad=True)
y = x * 1
y[1:] += y[:-1].clone()
print(y)
y.sum().backward()
print(x.grad)
