import torch
from torch import nn
torch.manual_seed(0); m = nn.LazyConv2d(1, 2); print(torch.rand(1)); m(torch.ones(1,1,2,2)); print(m.weight, m.bias)
torch.manual_seed(0); nn.LazyLinear(1); print(torch.rand(1))
