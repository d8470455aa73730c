import torch
x = torch.tensor([[1.], [2.]], requires_grad=True)
y = x * 1
z = y.expand(2, 3)
z[:, 0].mul_(2)
print(z, y, z.grad_fn, y.grad_fn)
z.sum().backward()
print(x.grad)
y = x * 1
z = y.expand(2, 3)
z.zero_()
print(z, y, z.grad_fn, y.grad_fn)
z.sum().backward()
print(x.grad)
