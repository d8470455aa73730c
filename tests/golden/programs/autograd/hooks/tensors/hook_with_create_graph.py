import torch
x = torch.tensor(2., requires_grad=True)
y = x ** 3
y.register_hook(lambda g: g * 2)
g, = torch.autograd.grad(y, x, create_graph=True)
print(g)
gg, = torch.autograd.grad(g, x)
print(gg)
