import torch
from torch.nn.common_types import _size_2_t, _size_1_t
from torch.nn import grad, init, functional, modules, parameter, utils
from torch.nn.grad import conv2d_input, conv2d_weight
x = torch.ones(1,1,3,3); w = torch.ones(1,1,2,2)
print(conv2d_weight(x, w.shape, torch.ones(1,1,2,2)))
print(conv2d_input(x.shape, w, torch.ones(1,1,2,2)))
