"""Normalisation by groups with scales that do not lie in one piece, channels in turn, and one slope for all."""

import torch
import torch.nn.functional as F

torch.manual_seed(10)
x = torch.randn(2, 4, 3, 3, requires_grad=True)
w = torch.randn(4, 2, requires_grad=True)
slope = torch.tensor(0.2, requires_grad=True)
F.group_norm(x, 2, w[:, 0], w[:, 1]).pow(2).sum().backward()
F.group_norm(x.transpose(2, 3), 2, w[:, 0]).pow(2).sum().backward()
F.prelu(x, slope).pow(2).sum().backward()
(first,) = torch.autograd.grad(F.channel_shuffle(x, 2).pow(3).sum(), x, create_graph=True)
first.sin().sum().backward()
