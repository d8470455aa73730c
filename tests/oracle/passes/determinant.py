import torch

x = torch.tensor([[4.0, 1.0], [2.0, 3.0]], requires_grad=True)
y = torch.linalg.det(x) + torch.linalg.inv(x).sum()
(g,) = torch.autograd.grad(y, x, create_graph=True)
g.pow(2).sum().backward()
print(x.grad)
