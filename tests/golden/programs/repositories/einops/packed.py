import torch
from einops import pack, unpack, rearrange, repeat, parse_shape
p, ps = pack([torch.ones(2, 3), torch.ones(2, 4, 5)], 'b *')
print(p.shape, ps, [u.shape for u in unpack(p, ps, 'b *')])
print(parse_shape(torch.ones(2,3), 'a _'))
print(repeat(torch.tensor([1, 2]), 'd -> (r d)', r=2))
