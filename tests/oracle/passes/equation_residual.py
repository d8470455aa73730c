import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
t = torch.linspace(0, 1, 6).view(-1, 1).requires_grad_(True)
for _ in range(2):
    opt.zero_grad()
    u = net(t)
    du = torch.autograd.grad(u, t, torch.ones_like(u), create_graph=True)[0]
    ddu = torch.autograd.grad(du, t, torch.ones_like(du), create_graph=True)[0]
    loss = ((ddu + u) ** 2).mean() + (net(torch.zeros(1, 1)) - 1).pow(2).mean()
    loss.backward()
    opt.step()
    print(loss.item())
