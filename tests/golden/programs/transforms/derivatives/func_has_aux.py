import torch
from torch.func import jacrev, vjp, grad_and_value
x = torch.tensor([1., 2.])
print(jacrev(lambda x: (x ** 2, x.sum()), has_aux=True)(x))
out, fn, aux = vjp(lambda x: (x ** 2, {"s": x.sum()}), x, has_aux=True)
print(out, fn(torch.ones(2)), aux)
print(grad_and_value(lambda x: ((x ** 2).sum(), x), has_aux=True)(x))
