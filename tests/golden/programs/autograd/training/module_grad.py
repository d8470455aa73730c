import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
for i, p in enumerate(net.parameters()):
    nn.init.constant_(p, 0.1 * (i + 1))
x = torch.tensor([[1., 2.]])
print([p.grad for p in net.parameters()])
out = net(x)
print(out)
out.backward()
for n, p in net.named_parameters():
    print(n, p.grad, p.requires_grad)
net.zero_grad()
print(net[0].weight.grad)
net.zero_grad(set_to_none=False)
net[0].requires_grad_(False)
net(x).backward()
print([None if p.grad is None else p.grad.shape for p in net.parameters()])
opt = torch.optim.SGD(net.parameters(), lr=0.1)
opt.step()
print(net[2].bias, net[0].bias)
opt.zero_grad()
print(net[2].bias.grad)
for p in net.parameters():
    p.requires_grad = False
try:
    net(x).backward()
except RuntimeError as e:
    print(e)
print(sum(p.numel() for p in net.parameters() if p.requires_grad))
params = list(net.parameters())
try:
    torch.autograd.grad(net(x), params)
except RuntimeError as e:
    print(e)
g = nn.utils.clip_grad_norm_(net.parameters(), 1.0)
print(g)
print(nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(2), requires_grad=False))
