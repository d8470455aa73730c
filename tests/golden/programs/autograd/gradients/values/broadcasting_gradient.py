import torch
a = torch.ones(3, 1, requires_grad=True)
b = torch.arange(4., requires_grad=True)
c = a * b
c.sum().backward()
print(a.grad, b.grad)
