import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * 2
y.mul_(x)
y.add_(1).pow_(2)
(g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
g.sum().backward()
print(x.grad)
