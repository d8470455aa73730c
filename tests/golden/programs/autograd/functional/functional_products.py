import torch
from torch.autograd.functional import vjp, jvp, hvp, vhp
x = torch.tensor([1., 2.])
v = torch.tensor([1., 10.])
print(vjp(lambda x: x ** 2, x, v))
print(jvp(lambda x: x ** 2, x, v))
print(hvp(lambda x: (x ** 3).sum(), x, v))
print(vhp(lambda x: (x ** 3).sum(), x, v))
print(vjp(lambda x: x.sum(), x))
print(jvp(lambda a, b: a * b, (x, x), (v, v)))
