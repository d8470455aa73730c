import torch
from torch.autograd.graph import get_gradient_edge
x = torch.ones(2, requires_grad=True)
y = x * 2
edge = get_gradient_edge(y)
print(edge.node is y.grad_fn, edge.output_nr)
z = (y * 3).sum()
print(torch.autograd.grad(z, edge))
