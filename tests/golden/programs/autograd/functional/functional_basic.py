import torch
from torch.autograd.functional import jacobian, hessian, vjp, jvp, hvp, vhp
def f(x):
    return x.exp().sum(dim=1)
x = torch.tensor([[0., 1.], [2., 3.]])
print(jacobian(f, x))
print(jacobian(f, x, create_graph=True))
xr = x.clone().requires_grad_()
print(jacobian(f, xr, create_graph=True))
print(jacobian(f, xr))
print(jacobian(f, x, vectorize=True))
print(jacobian(f, x, vectorize=True, strategy="forward-mode"))
def two(a, b):
    return 2 * a + 3 * b, a * b
a, b = torch.tensor([1., 2.]), torch.tensor([3., 4.])
print(jacobian(two, (a, b)))
def s(x, y):
    return (x ** 2 * y).sum()
print(hessian(s, (a, b)))
print(hessian(lambda t: t.pow(3).sum(), a, create_graph=True))
print(vjp(f, x, torch.tensor([1., 2.])))
print(jvp(f, x, torch.ones(2, 2)))
print(jvp(two, (a, b), (a, b)))
print(vjp(two, (a, b), (a, b)))
print(hvp(s, (a, b), (a, b)))
print(vhp(s, (a, b), (a, b)))
print(hvp(lambda t: t.pow(3).sum(), a, b, create_graph=True))
print(vhp(lambda t: t.pow(3).sum(), a.clone().requires_grad_(), b, create_graph=True))
