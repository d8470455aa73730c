"""Transposed convolutions and unpooling reach the size that was asked for, or say which ones there are."""

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
up = nn.ConvTranspose2d(2, 2, 3, stride=2, padding=1)
image = torch.ones(1, 2, 6, 6)
for size in ((11, 12), [1, 2, 12, 11], torch.Size([12, 12]), [1, 2, 3], [20, 3], [5]):
    try:
        print(up(image, output_size=size).shape)
    except ValueError as error:
        print(error)
print(nn.ConvTranspose1d(2, 2, 3, stride=2, padding=1)(torch.ones(1, 2, 6), [12]).shape)
print(nn.ConvTranspose3d(2, 2, 3, stride=2)(torch.ones(2, 2, 2, 2), output_size=[5, 6, 6]).shape)
try:
    nn.ConvTranspose2d(2, 2, 3, padding_mode="reflect")
except ValueError as error:
    print(error)

line = torch.arange(1.0, 10.0).reshape(1, 1, 9).requires_grad_()
values, places = nn.MaxPool1d(2, stride=2, return_indices=True)(line)
unpool = nn.MaxUnpool1d(2, stride=2)
print(unpool(values, places))
whole = unpool(values, places, output_size=line.size())
print(whole)
(whole * line).sum().backward()
print(line.grad)
values, places = F.max_pool2d(torch.arange(25.0).reshape(1, 1, 5, 5), 2, return_indices=True)
for size in ([5, 5], (1, 1, 5, 4), [9, 9], [1, 1, 5], [3, 4]):
    try:
        print(F.max_unpool2d(values, places, 2, output_size=size).shape)
    except (ValueError, RuntimeError) as error:
        print(error)
