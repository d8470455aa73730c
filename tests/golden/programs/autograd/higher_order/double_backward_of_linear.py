import torch
x = torch.ones(2, requires_grad=True)
g, = torch.autograd.grad((x * 3).sum(), x, create_graph=True)
print(g, g.requires_grad)
g.sum().backward()
