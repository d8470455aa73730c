import torch
from einops.layers.torch import Rearrange, Reduce
from torch import nn
m = nn.Sequential(Rearrange('b c (h p1) (w p2) -> b (h w) (p1 p2 c)', p1=2, p2=2), Reduce('b n d -> b d', 'max'))
print(m, m(torch.arange(32.).reshape(1, 2, 4, 4)))
