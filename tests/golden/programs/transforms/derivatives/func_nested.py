import torch
from torch.func import grad, vmap, jacrev, hessian
f = lambda x, y: (x ** 2 * y).sum()
x, y = torch.tensor([1., 2.]), torch.tensor([3., 4.])
print(grad(lambda x: grad(f, argnums=1)(x, y).sum())(x))
print(vmap(jacrev(torch.sin))(torch.ones(2, 2)))
print(hessian(f, argnums=(0, 1))(x, y))
print(jacrev(grad(lambda x: (x ** 3).sum()))(x))
