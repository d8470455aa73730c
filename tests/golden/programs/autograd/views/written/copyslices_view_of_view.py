import torch
x = torch.arange(6., requires_grad=True)
y = x * 1
v = y.view(2, 3)
w = v[1]
w *= 10
print(y)
print(v)
print(w)
y.sum().backward()
print(x.grad)
