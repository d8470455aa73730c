"""Modules as functions of their parameters: functional_call, an ensemble by vmap, gradients for each sample."""
import torch
import torch.nn as nn
from torch.func import functional_call, grad, stack_module_state, vmap

torch.manual_seed(0)
model = nn.Linear(2, 1)
params = {name: p.detach() for name, p in model.named_parameters()}
x, y = torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([[1.0], [0.0]])
print(functional_call(model, {"weight": torch.ones(1, 2), "bias": torch.zeros(1)}, (x,)))


def loss(params, x, y):
    return ((functional_call(model, params, (x,)) - y) ** 2).mean()


gradients = grad(loss)(params, x, y)
print({name: tuple(g.shape) for name, g in gradients.items()})
each = vmap(grad(loss), in_dims=(None, 0, 0))(params, x, y)
print({name: tuple(g.shape) for name, g in each.items()}, torch.allclose(each["weight"].mean(0), gradients["weight"], atol=1e-6))
models = [nn.Linear(2, 1) for _ in range(3)]
params, buffers = stack_module_state(models)
print({name: tuple(p.shape) for name, p in params.items()}, buffers)
