import torch
x = torch.arange(5.)
u = x.unfold(0, 3, 1)
print(u.stride())
u[0] = 9.
print(x)
u.fill_(1.)
print(x)
a = x.as_strided((2, 2), (1, 1))
a[1] = 4.
print(x, a)
x = torch.arange(5., requires_grad=True)
y = x * 1
u = y.unfold(0, 2, 1)
u[1].mul_(3)
print(u, y)
y.sum().backward()
print(x.grad)
