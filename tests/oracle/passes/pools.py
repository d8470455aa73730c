import torch
import torch.nn.functional as F

x = torch.randn(1, 1, 4, 4, requires_grad=True)
y = (F.max_pool2d(x**2, 2)).sum() + F.avg_pool2d(x**3, 2).sum()
(g,) = torch.autograd.grad(y, x, create_graph=True)
g.pow(2).sum().backward()
print(x.grad)
