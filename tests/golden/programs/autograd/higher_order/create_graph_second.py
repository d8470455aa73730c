import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = torch.sin(x) * x
g, = torch.autograd.grad(y.sum(), x, create_graph=True)
print(g)
h, = torch.autograd.grad(g.sum(), x)
print(h)
