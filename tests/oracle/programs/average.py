import copy
import torch
from torch import nn

torch.manual_seed(9)
net = nn.Linear(3, 2)
mean = copy.deepcopy(net)

def follow(mean, net):
    with torch.no_grad():
        for own, other in zip(mean.parameters(), net.parameters()):
            own.mul_(0.9)
            own.add_(0.1 * other)
            own.copy_(own + 1)

opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.01)
x = torch.randn(4, 3)
for _ in range(3):
    opt.zero_grad()
    net(x).square().sum().backward()
    opt.step()
    follow(mean, net)
net.load_state_dict(mean.state_dict())
