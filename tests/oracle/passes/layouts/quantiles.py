"""Quantiles along a dimension, over all elements, and with shares that are differentiated."""

import torch

torch.manual_seed(3)
x = torch.randn(3, 4, 5, requires_grad=True)
shares = torch.tensor([0.2, 0.65], requires_grad=True)
for dim, keepdim in ((None, False), (None, True), (0, False), (1, True), (-1, False)):
    for function in (torch.quantile, torch.nanquantile):
        function(x, 0.3, dim, keepdim).sum().backward()
        function(x, shares, dim, keepdim).pow(2).sum().backward()
for how in ("lower", "higher", "midpoint", "nearest"):
    torch.quantile(x, shares.detach(), 2, interpolation=how).sin().sum().backward()
