import torch
from einops import rearrange, reduce, repeat, einsum, pack, unpack, parse_shape, asnumpy
import einops
x = torch.arange(24., requires_grad=True)
y = x.reshape(2, 3, 4)
for p, k in [('a b c -> a b c', {}), ('a b c -> c b a', {}), ('a b c -> (a b) c', {}), ('a b c -> a (c b)', {}), ('a (b1 b2) c -> a b1 b2 c', dict(b2=1)), ('a b c -> a 1 b c', {}), ('a b c -> a b c 1 1', {}), ('... c -> c ...', {}), ('a ... -> a (...)', {}), ('a b (c d) -> (a d) b c', dict(d=2)), ('a b c -> a b () c', {})]:
    z = rearrange(y, p, **k); print(p, z.shape, z.stride(), z.grad_fn, z.flatten()[:6])
for p, r, k in [('a b c -> a', 'sum', {}), ('a b c -> a 1 c', 'mean', {}), ('a b c -> ', 'max', {}), ('a (b 3) c -> a c b', 'min', {}), ('a b (c 2) -> a b c', 'prod', {}), ('... c -> ...', 'mean', {}), ('a b c -> c a', 'sum', {}), ('a b c -> b', torch.amax, {})]:
    z = reduce(y, p, r, **k); print(p, z.shape, z, z.grad_fn)
for p, k in [('a b c -> a b c d', dict(d=2)), ('a b c -> a (d b) c', dict(d=2)), ('a b c -> 2 a b c', {}), ('a b c -> (a a2) b (c c2)', dict(a2=2, c2=3))]:
    z = repeat(y, p, **k); print(p, z.shape, z.stride(), z.grad_fn)
print(einsum(y, y, 'a b c, a d c -> a b d').sum(), einsum(y, 'a b c -> c'), einsum(y, y, '... c, ... c -> ...'))
(rearrange(y, 'a b c -> c (a b)') * 2).sum().backward(); print(x.grad)
print(rearrange([torch.ones(2), torch.zeros(2)], 'n d -> d n'))
print(parse_shape(y, 'a _ c'), parse_shape(y, 'a ...'), einops.__version__)
