import torch
x = torch.ones(2, 2, requires_grad=True)
y = x * 1
f = y.flatten()
r = y.ravel()
f[0] = 5
print(y, r)
y.sum().backward()
print(x.grad)
