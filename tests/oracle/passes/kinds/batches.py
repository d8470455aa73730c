import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd.functional import hessian, jacobian
from torch.func import (
    functional_call,
    grad,
    grad_and_value,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    vjp,
    vmap,
)
from torch.func import (
    hessian as second,
)

torch.manual_seed(36)
x, w = torch.randn(3), torch.randn(2, 3)
rows = torch.randn(4, 3)
jacrev(lambda t: (w @ t).tanh())(x)
jacrev(lambda t: {"a": (w @ t).sin(), "b": t * 2})(x)
jacrev(lambda s, t: s * t.sum(), argnums=(0, 1))(x, torch.randn(2))
jacfwd(lambda t: (w @ t).sin())(x)
jvp(lambda t: (w @ t).exp(), (x,), (torch.ones(3),))
linearize(lambda t: t.pow(2).sum(), x)[1](torch.ones(3))
second(lambda t: (t.sin() * t).sum())(x)
vmap(grad(lambda t: (w @ t).tanh().sum()))(rows)
vmap(grad(lambda v, t: (v @ t).pow(2).sum()), in_dims=(None, 0))(w, rows)
vmap(jacrev(lambda t: (w @ t).sin()))(rows)
vmap(second(lambda t: (t**3).sum()))(rows)
pull = vjp(lambda t: t.sin(), x)[1]
vmap(pull)(torch.eye(3))
model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
parameters = {name: p.detach() for name, p in model.named_parameters()}
labels = torch.tensor([0, 1, 1, 0])
vmap(
    grad_and_value(lambda p, t, y: F.cross_entropy(functional_call(model, p, (t.unsqueeze(0),)), y.unsqueeze(0))),
    (None, 0, 0),
)(parameters, rows, labels)
vmap(grad(lambda p, t: functional_call(model, p, (t,)).sum()), (None, 0))(parameters, rows)
leaf = torch.randn(3, requires_grad=True)
jacobian(lambda t: ((w @ t).tanh(), t**2), leaf, vectorize=True)
jacobian(lambda t: (w @ t).tanh(), leaf, vectorize=True, strategy="forward-mode")
hessian(lambda t: (w @ t).tanh().sum(), leaf, vectorize=True)
hessian(lambda t: (w @ t).tanh().sum(), leaf, vectorize=True, outer_jacobian_strategy="forward-mode")
y = (leaf**3).tanh()
torch.autograd.grad(y, leaf, torch.eye(3), is_grads_batched=True, retain_graph=True)
torch.autograd.grad(y, leaf, torch.eye(3), is_grads_batched=True)
