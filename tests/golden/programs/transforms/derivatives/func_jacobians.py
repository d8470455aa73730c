import torch
from torch.func import jacrev, jacfwd, hessian
x = torch.tensor([1., 2.])
print(jacrev(torch.sin)(x))
print(jacfwd(lambda x: x ** 2)(x))
print(hessian(lambda x: (x ** 3).sum())(x))
print(jacrev(lambda x, y: x * y, argnums=(0, 1))(x, x))
print(jacrev(lambda x: (x, x.sum()))(x))
