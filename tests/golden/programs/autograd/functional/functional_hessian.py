import torch
from torch.autograd.functional import hessian
x = torch.tensor([1., 2.])
print(hessian(lambda x: (x ** 3).sum(), x))
print(hessian(lambda a, b: (a * b).sum(), (x, x)))
try:
    hessian(lambda x: x * 2, x)
except RuntimeError as e:
    print(e)
