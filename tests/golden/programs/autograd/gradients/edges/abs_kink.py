import torch
x = torch.tensor([-2., 0., 3.], requires_grad=True)
y = abs(x)
print(y, x.abs())
g, = torch.autograd.grad(y.sum(), x, create_graph=True)
print(g)
h, = torch.autograd.grad(g.sum(), x)
print(h)
