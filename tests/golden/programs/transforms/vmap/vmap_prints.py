import torch
from torch.func import vmap
a = torch.arange(6.).reshape(2, 3)
def f(x):
    print(x.shape, x.dim(), x.dtype, x.size(), len(x))
    return x.sum()
print(vmap(f)(a))
def g(x):
    print(x)
    return x * 2
print(vmap(g)(a))
