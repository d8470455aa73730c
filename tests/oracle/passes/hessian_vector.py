import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
x, y = torch.randn(8, 2), torch.randn(8, 1)
loss = ((net(x) - y) ** 2).mean()
ps = list(net.parameters())
gs = torch.autograd.grad(loss, ps, create_graph=True)
v = [torch.ones_like(p) for p in ps]
dot = sum((g * w).sum() for g, w in zip(gs, v, strict=True))
hv = torch.autograd.grad(dot, ps)
print([h.shape for h in hv])
