import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(2, 3)
for way in ("cayley", "matrix_exp", "householder"):
    for shape in ((3, 3), (3, 2)):
        layer = nn.utils.parametrizations.orthogonal(nn.Linear(*shape, bias=False), orthogonal_map=way)
        layer(x).exp().sum().backward()
layer = nn.utils.parametrizations.weight_norm(nn.Linear(3, 2))
layer(x).exp().sum().backward()
