import torch
x = torch.arange(1., 4., requires_grad=True)
y = x * 1
y *= y
y.sum().backward()
