import torch
from torch.func import grad, grad_and_value
f = lambda x: (x ** 3).sum()
x = torch.tensor([1., 2.])
print(grad(f)(x))
print(grad_and_value(f)(x))
print(grad(lambda x, y: (x * y).sum(), argnums=1)(x, x * 2))
print(grad(lambda x, y: (x * y).sum(), argnums=(0, 1))(x, x * 2))
print(grad(lambda x: ((x ** 2).sum(), x + 1), has_aux=True)(x))
print(grad(grad(lambda x: x.sin()))(torch.tensor(1.)))
print(grad(lambda p: (p["w"] * p["b"]).sum())({"w": x, "b": x}))
