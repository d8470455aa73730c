"""A checkpoint is loaded into parameters and buffers of classes of one's own, into conjugate views, and into lazy layers."""

import torch
from torch import nn


class Weight(nn.Parameter):
    pass


class Mask(torch.Tensor):
    pass


layer = nn.Linear(2, 2, bias=False)
layer.weight = Weight(torch.zeros(2, 2))
layer.register_buffer("mask", torch.zeros(2).as_subclass(Mask))
layer.register_buffer("turned", torch.zeros(2, dtype=torch.complex64).conj())
print(
    layer.load_state_dict(
        {"weight": torch.ones(2, 2), "mask": torch.tensor([1.0, 2.0]), "turned": torch.tensor([1 + 2j, 3j])}
    )
)
print(layer.weight, type(layer.weight).__name__, layer.mask, type(layer.mask).__name__, layer.turned)
lazy = nn.LazyLinear(2)
print(lazy.load_state_dict({"weight": torch.full((2, 3), 0.5), "bias": torch.ones(2)}))
print(lazy.weight)
layer(torch.ones(1, 2)).sum().backward()
print(layer.weight.grad)
