import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = x ** 2
y.register_hook(lambda g: print('hook', g, g.requires_grad, torch.is_grad_enabled()))
g, = torch.autograd.grad(y.sum(), x, create_graph=True)
g.register_hook(lambda gg: print('g hook', gg))
g.sum().backward()
print(x.grad)
x.grad = None
h = x.register_hook(lambda g: g * 2)
y = (x ** 2).sum()
g, = torch.autograd.grad(y, x, create_graph=True)
print(g, g.grad_fn)
g.sum().backward()
print(x.grad)
