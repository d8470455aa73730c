import torch
from torch import nn

torch.manual_seed(8)
net = nn.Linear(2, 1)
opt = torch.optim.RMSprop(net.parameters(), lr=0.01, momentum=0.5, centered=True)
data = torch.randn(6, 2)
for k in range(6):
    (net(data[k]) / 2).pow(2).sum().backward()
    if k % 2:
        opt.step()
        net.zero_grad()
    print(k)
