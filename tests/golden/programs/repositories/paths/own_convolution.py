import torch
import torch.nn.functional as F
from torch.nn.modules.utils import _pair
from torch.nn.modules.conv import _ConvNd
class Conv2d(_ConvNd):
    def __init__(self, i, o, k, stride=1, padding=0, dilation=1, groups=1, bias=True):
        super().__init__(i, o, _pair(k), _pair(stride), _pair(padding), _pair(dilation), False, _pair(0), groups, bias, 'zeros')
    def forward(self, x):
        return F.conv2d(x, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)
torch.manual_seed(0)
print(Conv2d(1, 2, 3)(torch.ones(1,1,3,3)))
