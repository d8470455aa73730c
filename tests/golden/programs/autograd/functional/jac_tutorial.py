import torch
from functools import partial
from torch.func import vmap, vjp, jvp, jacrev, jacfwd, hessian
import torch.nn.functional as F
torch.manual_seed(0)
def predict(weight, bias, x):
    return F.linear(x, weight, bias).tanh()
D = 3
weight = torch.arange(9.).view(D, D) / 10
bias = torch.tensor([0.1, 0.2, 0.3])
x = torch.tensor([0.5, -0.5, 1.])
def compute_jac(xp):
    jacobian_rows = [torch.autograd.grad(predict(weight, bias, xp), xp, vec)[0] for vec in unit_vectors]
    return torch.stack(jacobian_rows)
xp = x.clone().requires_grad_()
unit_vectors = torch.eye(D)
jacobian = compute_jac(xp)
print(jacobian.shape)
print(jacobian[0])
_, vjp_fn = vjp(partial(predict, weight, bias), x)
ft_jacobian, = vmap(vjp_fn)(unit_vectors)
print(torch.allclose(ft_jacobian, jacobian))
ft = jacrev(predict, argnums=2)(weight, bias, x)
print(torch.allclose(ft, jacobian))
fw = jacfwd(predict, argnums=2)(weight, bias, x)
print(torch.allclose(fw, jacobian))
hess = hessian(predict, argnums=2)(weight, bias, x)
print(hess.shape)
print(hess[0])
jw, jb = jacrev(predict, argnums=(0, 1))(weight, bias, x)
print(jw.shape, jb.shape)
batch = torch.arange(6.).view(2, 3) / 10
cb = vmap(jacrev(predict, argnums=2), in_dims=(None, None, 0))(weight, bias, batch)
print(cb.shape)
def f(x): return x.sin()
print(jvp(f, (x,), (torch.ones(3),)))
print(vmap(lambda t: jvp(f, (x,), (t,))[1])(unit_vectors))
def hvp(f, primals, tangents):
    return jvp(torch.func.grad(f), primals, tangents)[1]
print(hvp(lambda t: t.sin().sum(), (x,), (torch.ones(3),)))
def hvp_revrev(f, primals, tangents):
    _, vjp_fn = vjp(torch.func.grad(f), *primals)
    return vjp_fn(*tangents)
print(hvp_revrev(lambda t: t.sin().sum(), (x,), (torch.ones(3),)))
def with_aux(x):
    y = x ** 2
    return y, y.detach()
print(jacrev(with_aux, has_aux=True)(x))
