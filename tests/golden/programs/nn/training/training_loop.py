"""A regression by a small network: losses and weights to four digits."""

import torch
from torch import nn, optim

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
x, y = torch.randn(8, 3), torch.randn(8, 1)
criterion = nn.MSELoss()
optimizer = optim.SGD(net.parameters(), lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.01)
print(net)
print(optimizer)
for epoch in range(11):
    optimizer.zero_grad()
    loss = criterion(net(x), y)
    loss.backward()
    optimizer.step()
    if epoch % 5 == 0:
        print(f"{epoch}: {loss.item():.4f}")
for name, parameter in net.named_parameters():
    print(name, [f"{v:.4f}" for v in parameter.flatten().tolist()])
