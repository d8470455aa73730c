import torch
from torch.autograd.functional import jacobian, hessian, vjp, jvp, hvp, vhp
def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, str(e))
x = torch.tensor([1., 2., 3.])
y = torch.tensor([0.5, -1., 2.])
def f(x, y):
    return x * y, (x ** 2).sum()
J = jacobian(f, (x, y))
print(type(J), len(J), type(J[0]))
for row in J:
    for j in row:
        print(j, j.shape, j.requires_grad)
J = jacobian(lambda x: x.exp(), x)
print(J)
print(jacobian(lambda x: (x ** 3).sum(), x, create_graph=True))
print(jacobian(lambda x: x[0] * 2, x))
print(jacobian(lambda x: torch.ones(2), x))
attempt(lambda: jacobian(lambda x: torch.ones(2), x, strict=True))
attempt(lambda: jacobian(lambda x: x.detach() * 2, x, strict=True))
attempt(lambda: jacobian(lambda x: x * 2, x, strict=True, create_graph=True))
attempt(lambda: jacobian(lambda x: x * 2, x, strict=True, vectorize=True))
attempt(lambda: jacobian(lambda x: x * 2, x, vectorize=True))
attempt(lambda: jacobian(lambda x: x * 2, x, vectorize=True, strategy='forward-mode'))
attempt(lambda: jacobian(lambda x: x * 2, x, strategy='forward-mode'))
attempt(lambda: jacobian(lambda x: x * 2, x, strategy='other'))
attempt(lambda: jacobian(lambda x: 3, x))
attempt(lambda: jacobian(lambda x: [x, x], x))
attempt(lambda: jacobian(lambda x: (x, 2), x))
attempt(lambda: jacobian(lambda x: x, 3.))
attempt(lambda: jacobian(lambda x: x, [x]))
attempt(lambda: jacobian(lambda x, y: x, (x, 2)))
attempt(lambda: jacobian(lambda x, y: x, x))
