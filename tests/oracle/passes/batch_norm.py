import torch
from torch import nn

torch.manual_seed(1)
net = nn.Sequential(nn.Linear(3, 5), nn.BatchNorm1d(5), nn.ReLU(), nn.Linear(5, 1))
x = torch.randn(6, 3, requires_grad=True)
out = net(x).sum()
(g,) = torch.autograd.grad(out, x, create_graph=True)
penalty = ((g.norm(2, dim=1) - 1) ** 2).mean()
penalty.backward()
for p in net.parameters():
    print(p.grad is not None)
