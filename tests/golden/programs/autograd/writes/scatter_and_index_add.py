import torch
x = torch.zeros(3, requires_grad=True)
v = torch.tensor([1., 2., 3.], requires_grad=True)
y = (x * 1).scatter_add(0, torch.tensor([0, 0, 2]), v)
print(y, y.grad_fn)
z = (x * 1).index_add(0, torch.tensor([1, 1, 1]), v)
print(z, z.grad_fn)
(y.sum() + z.sum() * 2).backward()
print(x.grad, v.grad)
