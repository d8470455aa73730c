import torch
x = torch.tensor([1., 2., 3.], requires_grad=True)
idx = torch.tensor([0, 1])
y = x * 2
y[idx] = y[idx] * 10
print(y)
y[idx] += 1
print(y, y._version)
y.sum().backward()
print(x.grad)
z = torch.zeros(4)
z[1:3] = x[:2]
z[0], z[3] = x[2], z[1]
print(z)
z.sum().backward()
print(x.grad)
m = torch.zeros(2, 2)
m[0], m[1] = x[:2], x[1:]
m[m > 2] = 0
m[:, 0] = x[0]
print(m, m.grad_fn)
(m * torch.tensor([[1., 2.], [3., 4.]])).sum().backward()
print(x.grad)
