import torch
x = torch.tensor(2., requires_grad=True)
y = torch.stack([x, x * 2, x ** 2])
print(y)
y.sum().backward()
print(x.grad)
