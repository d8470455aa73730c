import torch
x = torch.zeros(0, 3, requires_grad=True)
y = x.sum()
print(x, y, x.sum(1))
y.backward()
print(x.grad)
