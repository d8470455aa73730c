import torch
from torch.autograd.functional import jacobian, hessian
x = torch.tensor([1., 2.])
print(jacobian(lambda x: x.exp(), x, vectorize=True))
print(hessian(lambda x: (x ** 2).sum(), x, vectorize=True))
print(jacobian(lambda x: x.exp(), x, vectorize=True, strategy="forward-mode"))
