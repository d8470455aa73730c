"""Initial values are those of PyTorch, bit for bit."""

import torch
from torch import nn

torch.manual_seed(42)
print(nn.Linear(3, 5).weight.tolist())
print(nn.Conv2d(2, 3, 3).bias.tolist(), nn.Embedding(3, 4).weight)
w = torch.empty(4, 8)
print(nn.init.xavier_uniform_(w)[0], nn.init.kaiming_normal_(w)[1], nn.init.normal_(w, 1.0, 2.0)[2])
print(nn.init.constant_(w, 3.0).sum(), nn.init.eye_(torch.empty(2, 3)), nn.init.calculate_gain("tanh"))


def reset(module):
    if isinstance(module, nn.Linear):
        nn.init.uniform_(module.weight, -1, 1)
        nn.init.zeros_(module.bias)


print(nn.Sequential(nn.Linear(2, 2), nn.ReLU()).apply(reset)[0].weight)
