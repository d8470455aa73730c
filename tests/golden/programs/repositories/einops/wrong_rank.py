import torch
from einops import rearrange
rearrange(torch.ones(2, 3), 'a b c -> a (b c)')
