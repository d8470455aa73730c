import torch
from torch import nn
from torch.func import functional_call, vmap, grad
torch.manual_seed(0)
model = nn.Linear(3, 1)
data = torch.arange(12.).view(4, 3)
targets = torch.ones(4, 1)
def loss_fn(p, t):
    return ((p - t) ** 2).mean()
params = {k: v.detach() for k, v in model.named_parameters()}
buffers = {k: v.detach() for k, v in model.named_buffers()}
def compute_loss(params, buffers, sample, target):
    batch = sample.unsqueeze(0)
    pred = functional_call(model, (params, buffers), (batch,))
    return loss_fn(pred, target.unsqueeze(0))
ft = vmap(grad(compute_loss), in_dims=(None, None, 0, 0))
g = ft(params, buffers, data, targets)
print({k: v.shape for k, v in g.items()})
naive = []
for i in range(4):
    l = loss_fn(model(data[i:i + 1]), targets[i:i + 1])
    naive.append(torch.autograd.grad(l, list(model.parameters())))
for (k, v), n in zip(g.items(), zip(*naive)):
    print(k, torch.allclose(v, torch.stack(n), atol=1e-4, rtol=1e-4))
from torch.func import stack_module_state
models = [nn.Linear(2, 2) for _ in range(3)]
ps, bs = stack_module_state(models)
print({k: v.shape for k, v in ps.items()}, bs)
