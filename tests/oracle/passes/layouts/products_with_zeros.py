"""Second derivatives of products with zeros among the factors."""

import torch

x = torch.tensor([[1.5, 0.0, 2.0], [0.5, -1.0, 3.0], [0.0, 0.0, 1.0]], requires_grad=True)
for made in (lambda: x.prod(), lambda: x.prod(1), lambda: x.prod(0, keepdim=True), lambda: x[1].prod()):
    (first,) = torch.autograd.grad((made() * made()).sum(), x, create_graph=True)
    torch.autograd.grad(first.sum() + first.pow(2).sum(), x)
