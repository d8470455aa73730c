import torch

x = torch.arange(6.0).view(2, 3).requires_grad_()
y = x * x
y[0] = y[1] * 2
y[:, 1] *= 3
(g,) = torch.autograd.grad((y**2).sum(), x, create_graph=True)
g.pow(2).sum().backward()
print(x.grad)
