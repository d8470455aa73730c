"""Modules print as a tree."""

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(size, size) for _ in range(3)])
        self.choices = nn.ModuleDict({"relu": nn.ReLU(), "gelu": nn.GELU()})
        self.scale = nn.Parameter(torch.ones(1))
        self.register_buffer("offset", torch.zeros(1))
        self._size = size

    def forward(self, x, choice="relu"):
        for layer in self.layers:
            x = self.choices[choice](layer(x))
        return x * self.scale + self.offset

    def extra_repr(self):
        return f"size={self._size}"


print(nn.Sequential(Block(2), nn.Flatten(), nn.Dropout(0.2), nn.LayerNorm(2)))
print(nn.Sequential(nn.Conv2d(1, 4, 3, padding=1, bias=False), nn.BatchNorm2d(4), nn.LeakyReLU(), nn.MaxPool2d(2)))
print(nn.ModuleList([nn.ReLU(), nn.ReLU(), nn.Softmax(dim=1)]), nn.Embedding(4, 3, padding_idx=0), nn.Sequential())
print(nn.ParameterList([torch.ones(2), torch.zeros(1, 2)]), nn.CrossEntropyLoss(), nn.AvgPool1d(2))
block = Block(2)
print([name for name, _ in block.named_parameters()], [name for name, _ in block.named_modules()])
print(type(block), type(block.layers[0]), sum(p.numel() for p in block.parameters()))
print(block.scale, block.offset, block._size, block.training, block.eval().training)
try:
    block.missing
except AttributeError as error:
    print(error)
