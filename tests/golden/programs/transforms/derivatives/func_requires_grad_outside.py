import torch
from torch.func import grad
x = torch.tensor(2., requires_grad=True)
g = grad(lambda x: x ** 3)(x)
print(g.requires_grad)
g.backward()
print(x.grad)
