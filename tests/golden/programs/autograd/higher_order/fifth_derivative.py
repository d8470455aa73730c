import torch
x = torch.tensor(2., requires_grad=True)
y = x ** 4
d = y
for k in range(5):
    d, = torch.autograd.grad(d, x, create_graph=True)
    print(k, d, d.requires_grad)
try:
    torch.autograd.grad(d, x)
except RuntimeError as e:
    print(e)
z = x.sin()
for k in range(4):
    z, = torch.autograd.grad(z, x, create_graph=True)
    print(round(z.item(), 4), z.grad_fn.name())
