import torch
from torch.autograd.functional import jacobian
x = torch.tensor([1., 2., 3.])
print(jacobian(lambda x: x ** 2, x))
print(jacobian(lambda x: x.sum(), x))
print(jacobian(lambda x, y: x.outer(y), (torch.ones(2), torch.tensor([1., 2.]))))
print(jacobian(lambda x: (x * 2, x.sum()), x))
print(jacobian(lambda a, b: a, (x, x)))
