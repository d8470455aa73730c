"""State out and in, and what does not fit."""

import copy

import torch
from torch import nn

torch.manual_seed(1)
net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
print(net.state_dict())
other = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
print(other.load_state_dict(net.state_dict()))
print(torch.equal(other[0].weight, net[0].weight), other[0].weight is net[0].weight)
twin = copy.deepcopy(net)
print(torch.equal(twin[0].bias, net[0].bias), twin[0].bias is net[0].bias)
try:
    nn.Linear(3, 2).load_state_dict({"weight": torch.ones(2, 2), "extra": torch.ones(1)})
except RuntimeError as error:
    print(error)
print(nn.Linear(3, 2).load_state_dict({"bias": torch.ones(2)}, strict=False))
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
net(torch.randn(4, 2)).pow(2).sum().backward()
optimizer.step()
print(sorted(optimizer.state_dict()["state"][0]), optimizer.state_dict()["param_groups"])
