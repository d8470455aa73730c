"""What files of packages do with functions, tensors and samplers."""

import functools
def deco(m):
    @functools.wraps(m)
    def w(self): return m(self)
    return w
class A:
    @deco
    def f(self):
        """Doc here."""
        return 1
    def g(self):
        """G doc."""
def h():
    "h doc"
print(A.f.__doc__, A().f.__doc__, A().g.__doc__, A.g.__doc__, h.__doc__)
import torch, inspect
@torch.no_grad()
def gen(a, b=1):
    "gen doc"
print(gen.__doc__, gen.__name__, inspect.signature(gen), (1.5).__format__(".3f"), (3).__format__("04d"), "a".__format__(">3"))
from torch.utils.data import Sampler, DataLoader, Dataset, IterableDataset
from typing import List
class S(Sampler[List[int]]): pass
class D(Dataset[int]): pass
class I(IterableDataset[int]): pass
def f(d: DataLoader[int]) -> "Sampler[int]": pass
p = torch.nn.Parameter(torch.ones(2)); setattr(p, "_optim", {"lr": 1}); p._no_weight_decay = True
print(hasattr(p, "_optim"), p._optim, p._no_weight_decay, hasattr(torch.ones(1), "_optim"), p.__dict__ if False else "")
s = torch.ones(2); m = torch.zeros(2); torch.max(m, s.add_(1), out=m); torch.maximum(m, s, out=m); torch.min(m, s, out=m); torch.add(m, s, out=m); print(m)
