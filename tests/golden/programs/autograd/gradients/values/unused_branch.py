import torch
x = torch.tensor([1., -2.], requires_grad=True)
y = torch.where(x > 0, x * 2, x * 3)
y.sum().backward()
print(x.grad)
u = torch.ones(2, requires_grad=True)
v = u * 2
(x * 1).sum().backward()
print(u.grad)
