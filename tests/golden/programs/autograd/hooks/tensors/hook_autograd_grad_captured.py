import torch
x = torch.ones(2, requires_grad=True)
a = x * 2
b = a * 3
a.register_hook(lambda g: g * 100)
x.register_hook(lambda g: g * 7)
print(torch.autograd.grad(b.sum(), [a, x], retain_graph=True))
print(torch.autograd.grad(b.sum(), [a], retain_graph=True))
print(torch.autograd.grad(b.sum(), [x]))
