import torch
from torch import nn
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self, hidden=4):
        super().__init__()
        self.fc1 = nn.Linear(2, hidden)
        self.act = nn.Tanh()
        self.fc2 = nn.Linear(hidden, 1)
    def forward(self, x):
        return self.fc2(self.act(self.fc1(x)))
net = Net()
print(net)
for name, p in net.named_parameters():
    print(name, tuple(p.shape), p.requires_grad, p.is_leaf, p.grad)
out = net(torch.ones(3, 2))
print(out.shape, out.grad_fn, out.grad_fn.next_functions[0][0], out.grad_fn.next_functions[1][0])
out.sum().backward()
for name, p in net.named_parameters():
    print(name, p.grad.shape, p.grad.dtype, p.grad.requires_grad)
print(sum(p.numel() for p in net.parameters()), sum(p.numel() for p in net.parameters() if p.requires_grad))
net.fc1.weight.requires_grad = False
net.zero_grad()
net(torch.ones(1, 2)).sum().backward()
print(net.fc1.weight.grad, net.fc1.bias.grad is None)
try:
    net.fc1.weight[0] = 1
except RuntimeError as e:
    print(e)
try:
    net.fc2.weight[0] = 1
except RuntimeError as e:
    print(e)
try:
    net.fc2.weight += 1
except RuntimeError as e:
    print(e)
with torch.no_grad():
    net.fc2.weight += 1
print(net.fc2.weight.grad_fn, net.fc2.weight._version)
net.fc2.weight.data.fill_(0.5)
print(net.fc2.weight)
net.fc2.weight = nn.Parameter(torch.zeros(1, 4))
print(net.fc2.weight, net.fc2.weight in set(net.parameters()))
net.fc2.weight = torch.zeros(1, 4)
