import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = torch.tensor([3., 4.], requires_grad=True)
out = (x * y).sum()
gx, gy = torch.autograd.grad(out, (x, y), create_graph=True)
print(gx is y, gx.grad_fn, gy.requires_grad)
penalty = (gx.norm() - 1) ** 2
penalty.backward()
print(x.grad, y.grad)
pen2 = sum(g.pow(2).sum() for g in torch.autograd.grad((x * y).sum(), (x, y), create_graph=True))
pen2.backward()
print(x.grad, y.grad)
z = (x + y).sum()
g = torch.autograd.grad(z, x, create_graph=True)[0]
print(g.requires_grad, g.grad_fn)
try:
    g.sum().backward()
except RuntimeError as e:
    print(e)
