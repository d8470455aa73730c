import torch
from torch.func import grad, vmap, jacrev, jacfwd, functional_call, vjp, jvp, grad_and_value, hessian, linearize
from torch import nn
torch.manual_seed(0)
model = nn.Linear(3, 3)
with torch.no_grad():
    model.weight.copy_(torch.eye(3)); model.bias.zero_()
params = dict(model.named_parameters())
x, t = torch.ones(2, 3), torch.zeros(2, 3)
def loss(params, x, t):
    y = functional_call(model, params, x)
    return nn.functional.mse_loss(y, t)
g = grad(loss)(params, x, t)
print({k: v.detach() for k, v in g.items()})
g2, v = grad_and_value(loss)({k: p.detach() for k, p in params.items()}, x, t)
print(v, g2["bias"])
print(functional_call(model, {"bias": torch.ones(3)}, (x,)))
for bad in (lambda: functional_call(model, [params, params], x), lambda: functional_call(model, {"nope": x}, x, strict=True), lambda: functional_call(model, 3, x)):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, e)
print(functional_call(model, {"nope": x}, x).shape)
x = torch.tensor([1., 2.])
step = lambda w: w - 0.1 * grad(lambda q: (q ** 2).sum())(w)
print(step(x), grad(lambda w: step(w).sum())(x))
print(grad(lambda a: grad(lambda b: (a * b).sin().sum())(x).sum())(x))
xr = x.clone().requires_grad_()
o = grad(lambda q: (q ** 3).sum())(xr)
print(o)
o.sum().backward()
print(xr.grad)
with torch.no_grad():
    print(grad(lambda q: (q ** 3).sum())(xr))
def inner(q):
    with torch.no_grad():
        c = q ** 2
    return (q * c).sum()
print(grad(inner)(x))
print(hessian(lambda q: (q ** 3).sum())(x), jacfwd(jacfwd(lambda q: (q ** 3).sum()))(x))
print(vmap(hessian(lambda q: (q ** 3).sum()))(torch.ones(2, 2)))
