import torch
x = torch.tensor([1., 2., 4.], requires_grad=True)
y = 2 + x
z = 3 - y
w = 8 / x
v = 2 ** x
print(y, z, w, v)
(z + w + v).sum().backward()
print(x.grad)
