import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = (x ** 2).sum()
g, = torch.autograd.grad(y, x, create_graph=True)
n = g.norm()
print(n)
n.backward()
print(x.grad)
