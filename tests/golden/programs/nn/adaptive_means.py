"""Adaptive pools to one number, which take the mean whatever the number of dimensions."""

import torch
from torch import nn
from torch.nn import functional as F


def tried(what):
    try:
        out = what()
        print(tuple(out.shape), out.dtype)
    except Exception as error:
        print(type(error).__name__, error)


for shape in ((), (4,), (3, 4), (2, 3, 4), (2, 3, 4, 4), (2, 3, 4, 4, 4), (2, 2, 3, 4, 4, 4), (2, 0, 4), (0, 3, 4)):
    for layer in (
        nn.AdaptiveAvgPool1d(1), nn.AdaptiveAvgPool2d(1), nn.AdaptiveAvgPool2d((1, 1)), nn.AdaptiveAvgPool2d((1, None)),
        nn.AdaptiveAvgPool2d(2), nn.AdaptiveAvgPool3d(1), nn.AdaptiveAvgPool3d((1, 1, 1)), nn.AdaptiveMaxPool2d(1),
    ):  # fmt: skip
        if shape == (0, 3, 4) and isinstance(layer, nn.AdaptiveMaxPool2d):
            continue
        print(layer, shape)
        tried(lambda layer=layer, shape=shape: layer(torch.ones(shape)))
for dtype in (torch.int64, torch.float16, torch.bool):
    tried(lambda dtype=dtype: F.adaptive_avg_pool2d(torch.ones(3, 4).to(dtype), 1))
    tried(lambda dtype=dtype: F.adaptive_avg_pool2d(torch.ones(2, 3, 4).to(dtype), (1, 1)))
    tried(lambda dtype=dtype: F.adaptive_avg_pool3d(torch.ones(2, 3, 4).to(dtype), 1))
x = torch.arange(12.0).reshape(3, 4).requires_grad_()
out = nn.AdaptiveAvgPool2d(1)(x)
out.sum().backward()
print(out, x.grad)
