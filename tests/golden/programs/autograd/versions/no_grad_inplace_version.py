import torch
x = torch.ones(2, requires_grad=True)
y = x * 2
z = y * y
with torch.no_grad():
    y.add_(1)
z.sum().backward()
