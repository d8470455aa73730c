import copy

import torch
from torch import nn

torch.manual_seed(0)
x = torch.empty(3, 4, device="meta")
w = torch.randn(4, 2, device="meta", requires_grad=True)
y = x @ w
print(x, w, y, y.shape, y.device, y.is_meta, x.is_cpu, y.requires_grad)
print((x + 1).sum(dim=1), torch.cat([x, x]).shape, torch.relu(x), x.view(2, 6).shape, x[0].shape, x.T.shape, x.stride())
print(torch.zeros(2, device="meta", dtype=torch.float64), torch.ones_like(x), torch.arange(5, device=torch.device("meta")))
print(torch.rand(2))
layer = nn.Linear(100, 100, device="meta")
print(layer, layer.weight.device, sum(p.numel() for p in layer.parameters()), layer.weight, torch.rand(2))
net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2)).to("meta")
print(net[0].weight.shape, net[1].running_mean, net(torch.empty(2, 1, 5, 5, device="meta")).shape)
empty = nn.Linear(2, 2, device="meta").to_empty(device="cpu")
nn.init.ones_(empty.weight)
nn.init.zeros_(empty.bias)
print(empty(torch.ones(1, 2)))
t = torch.ones(2).to("meta")
print(t, t.dtype, t.numel(), len(t), nn.Parameter(t), isinstance(nn.Parameter(t), nn.Parameter))
for wrong in (
    lambda: t.tolist(),
    lambda: t[0].item(),
    lambda: t.cpu(),
    lambda: t.to("cpu"),
    lambda: layer.to("cpu"),
    lambda: t.numpy(),
    lambda: t + torch.ones(2),
    lambda: bool(t[0]),
    lambda: bool(t),
):
    try:
        print(wrong())
    except Exception as error:
        print(type(error).__name__, error)
loaded = nn.Linear(2, 2, device="meta")
loaded.load_state_dict(empty.state_dict(), assign=True)
print(loaded(torch.ones(1, 2)))
models = [nn.Linear(2, 1) for _ in range(2)]
parameters, buffers = torch.func.stack_module_state(models)
base = copy.deepcopy(models[0]).to("meta")


def call(parameters, buffers, x):
    return torch.func.functional_call(base, (parameters, buffers), (x,))


print(torch.vmap(call, in_dims=(0, 0, None))(parameters, buffers, torch.ones(3, 2)).detach())
del w
