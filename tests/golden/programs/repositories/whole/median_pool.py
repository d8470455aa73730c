import torch.nn as nn, torch
from torch.nn.modules.utils import _pair, _quadruple
import torch.nn.functional as F
class MedianPool2d(nn.Module):
    def __init__(self, kernel_size=3, stride=1, padding=0, same=False):
        super(MedianPool2d, self).__init__()
        self.k = _pair(kernel_size); self.stride = _pair(stride); self.padding = _quadruple(padding); self.same = same
    def forward(self, x):
        x = F.pad(x, self.padding, mode='reflect') if any(self.padding) else x
        x = x.unfold(2, self.k[0], self.stride[0]).unfold(3, self.k[1], self.stride[1])
        return x.contiguous().view(x.size()[:4] + (-1,)).median(dim=-1)[0]
x = torch.arange(16., requires_grad=True).reshape(1, 1, 4, 4); x.retain_grad()
y = MedianPool2d()(x); y.sum().backward(); print(y, x.grad)
