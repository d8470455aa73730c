import torch
x = torch.ones(4, requires_grad=True)
y = x * 1
v = y[1:3]
v.mul_(5)
print(y.grad_fn, v.grad_fn)
print(y, v)
(y * torch.arange(4.)).sum().backward()
print(x.grad)
