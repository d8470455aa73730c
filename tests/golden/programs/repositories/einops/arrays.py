import torch, numpy as np
from einops import rearrange, reduce, repeat, pack, unpack, einsum
a = np.arange(6.).reshape(2, 3)
print(rearrange(a, 'h w -> w h'), reduce(a, 'h w -> h', 'max'), repeat(a, 'h w -> h w c', c=2).shape, einsum(a, a, 'i j, k j -> i k'))
p, ps = pack([a, a], '* w'); print(p.shape, ps, unpack(p, ps, '* w')[1])
