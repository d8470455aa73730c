import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(8)
q = torch.rand(1, 2, 3, 4, requires_grad=True)
(g,) = torch.autograd.grad(F.scaled_dot_product_attention(q, q, q).pow(2).sum(), q, create_graph=True)
try:
    g.sum().backward()
except RuntimeError as error:
    print(error)
x = torch.rand(3, 4, requires_grad=True)
output, weights = nn.MultiheadAttention(4, 2, batch_first=True)(x, x, x)
(output.sum() + weights.pow(2).sum()).backward()
(g,) = torch.autograd.grad(F.hardsigmoid(x).pow(2).sum(), x, create_graph=True)
try:
    g.sum().backward()
except RuntimeError as error:
    print(error)
