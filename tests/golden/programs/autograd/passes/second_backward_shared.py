import torch
x = torch.ones(2, requires_grad=True)
h = x ** 2
a = h * 2
b = h.exp()
a.sum().backward()
try:
    b.sum().backward()
except RuntimeError as e:
    print(e)
print(x.grad)
