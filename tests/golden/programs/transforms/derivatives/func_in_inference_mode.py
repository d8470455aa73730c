import torch
from torch.func import grad, hessian, jacrev, jvp, vjp, vmap

x = torch.tensor([1.0, 2.0])
with torch.inference_mode():
    print(grad(lambda t: (t**2).sum())(x))
    print(vmap(grad(lambda t: t**3))(x))
    print(jacrev(lambda t: t * t)(x))
    print(hessian(lambda t: (t**3).sum())(x))
    print(jvp(lambda t: t * t, (x,), (x,)))
    print(vjp(lambda t: t * t, x)[1](x))
    made = x * 2
w = torch.ones(2, requires_grad=True)
w * made
