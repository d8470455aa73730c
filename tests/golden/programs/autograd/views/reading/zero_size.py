import torch
x = torch.ones(3, requires_grad=True)
y = x * 2
e = y[0:0]
print(e, e.sum())
e.sum().backward()
print(x.grad)
