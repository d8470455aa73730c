import torch
x = torch.tensor([-1., 0., 2.], requires_grad=True)
g, = torch.autograd.grad(x.relu().pow(2).sum(), x, create_graph=True)
print(g)
h, = torch.autograd.grad(g.sum(), x)
print(h)
