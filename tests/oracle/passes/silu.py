import torch
import torch.nn.functional as F

x = torch.linspace(-2, 2, 5, requires_grad=True)
y = F.silu(x).sum()
(g,) = torch.autograd.grad(y, x, create_graph=True)
(g2,) = torch.autograd.grad(g.sum(), x, create_graph=True)
print(g2)
g2.sum().backward()
