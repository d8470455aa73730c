import torch

x = torch.randn(2, 2, requires_grad=True)
y = (x @ x @ x).trace() + (x.repeat(2, 1) ** 3).sum()
(g,) = torch.autograd.grad(y, x, create_graph=True)
g.pow(2).sum().backward()
print(x.grad)
