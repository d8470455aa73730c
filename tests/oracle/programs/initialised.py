import torch
from torch import nn

torch.manual_seed(10)
layer = nn.Linear(4, 3)
nn.init.xavier_uniform_(layer.weight)
nn.init.zeros_(layer.bias)
opt = torch.optim.Adadelta(layer.parameters())
x = torch.randn(2, 4)
layer(x).sum().backward()
opt.step()
layer.weight.grad = torch.ones(3, 4)
layer.bias.grad.mul_(2)
opt.step()
