import torch

x = torch.tensor([1.0, -2.0, 3.0], requires_grad=True)
y = torch.norm(x, p=3)
(g,) = torch.autograd.grad(y, x, create_graph=True)
g.sum().backward()
print(x.grad)
