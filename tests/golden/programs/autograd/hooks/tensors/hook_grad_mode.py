import torch
x = torch.ones(2, requires_grad=True)
y = x * 2
y.register_hook(lambda g: print(torch.is_grad_enabled(), g.requires_grad))
y.sum().backward()
y = x ** 2
y.register_hook(lambda g: print(torch.is_grad_enabled(), g.requires_grad))
g, = torch.autograd.grad((y * y).sum(), x, create_graph=True)
print(g)
