import torch

x = torch.ones(2, requires_grad=True)
y = x * 2
x.data = torch.zeros(3)
y.sum().backward()
print(x, x.grad)
x.grad = None
z = x * 3
try:
    z.data = torch.ones(3, dtype=torch.long)
except RuntimeError as error:
    print(error)
z.data = torch.ones(3)
print(z)
x.data = torch.ones(2, dtype=torch.long)
