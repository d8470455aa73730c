import torch
from torch.func import vmap, grad, jvp
a = torch.arange(3.)
def f(x):
    print(x)
    y = x * 2
    print(y, y.requires_grad, y.grad_fn)
    print(type(x), x.shape)
    return (y * x).sum()
print(grad(f)(a))
print(grad(grad(f))(torch.tensor(2.)))
def h(x):
    print(x)
    return x ** 2
print(jvp(h, (a,), (torch.ones(3),)))
print(vmap(grad(f))(a))
