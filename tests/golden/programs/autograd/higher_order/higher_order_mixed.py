import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = torch.tensor([3., 4.], requires_grad=True)
f = (x ** 2 * y).sum()
gx, gy = torch.autograd.grad(f, (x, y), create_graph=True)
print(gx, gy)
print(torch.autograd.grad(gx.sum(), y, retain_graph=True))
print(torch.autograd.grad(gy.sum(), (x, y), allow_unused=True))
