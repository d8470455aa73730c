import torch
from torch.func import vmap, grad
x = torch.arange(6.).view(3, 2)
w = torch.tensor([1., 10.])
print(vmap(torch.dot, in_dims=(0, None))(x, w))
print(torch.vmap(lambda v: v * 2)(x))
print(vmap(lambda a, b: a + b, in_dims=(0, 1))(x, x.t()))
print(vmap(lambda v: v, out_dims=1)(x))
print(vmap(grad(lambda v: (v ** 2).sum()))(x))
print(vmap(lambda v: (v.sum(), v + 1))(x))
