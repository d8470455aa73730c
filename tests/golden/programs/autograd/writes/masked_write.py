import torch
x = torch.tensor([-1., 2., -3.], requires_grad=True)
y = x * 2
y[y < 0] = 0
print(y, y.grad_fn)
y.sum().backward()
print(x.grad)
z = (x * 1).masked_fill(x < 0, 9.)
print(z, z.grad_fn)
z = x * 1
z.masked_fill_(x < 0, 9.)
print(z.grad_fn)
z.sum().backward()
print(x.grad)
