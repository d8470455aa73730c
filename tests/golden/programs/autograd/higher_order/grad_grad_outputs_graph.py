import torch
x = torch.ones(2, requires_grad=True)
v = torch.tensor([2., 3.], requires_grad=True)
g, = torch.autograd.grad(x ** 2, x, v, create_graph=True)
print(g)
print(torch.autograd.grad(g.sum(), [x, v]))
