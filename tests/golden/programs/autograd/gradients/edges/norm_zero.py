import torch
x = torch.zeros(2, requires_grad=True)
x.norm().backward()
print(x.grad)
x.grad = None
(x ** 2).sum().sqrt().backward()
print(x.grad)
