import torch
from torch import nn

x = torch.linspace(-2, 2, 5, requires_grad=True)
y = nn.Mish()(x).sum()
(g,) = torch.autograd.grad(y, x, create_graph=True)
(g**2).sum().backward()
print(x.grad)
