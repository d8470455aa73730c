import torch
x = torch.arange(4.).view(2, 2).requires_grad_()
a, b = x
print(a, b)
(a * 2 + b * b).sum().backward()
print(x.grad)
