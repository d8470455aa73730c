import torch
from torch import nn
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3, padding=1)
        self.bn = nn.BatchNorm2d(2)
        self.pool = nn.MaxPool2d(2)
        self.fc = nn.Sequential(nn.Flatten(), nn.Linear(8, 4), nn.ReLU(), nn.Dropout(0.2), nn.Linear(4, 2))
    def forward(self, x):
        return self.fc(self.pool(torch.relu(self.bn(self.conv(x)))))
torch.manual_seed(3)
m = Model()
print(m)
print(m.state_dict().keys())
x = torch.ones(2, 1, 4, 4)
m.eval()
with torch.no_grad():
    y = m(x)
print(y.shape, y.requires_grad)
m.train()
loss = nn.functional.cross_entropy(m(x), torch.tensor([0, 1]))
loss.backward()
for n, p in m.named_parameters():
    print(n, p.grad is not None, tuple(p.grad.shape))
for n, b in m.named_buffers():
    print(n, tuple(b.shape), b.dtype)
opt = torch.optim.SGD([{'params': m.conv.parameters(), 'lr': 0.1}, {'params': m.fc.parameters()}], lr=0.01, momentum=0.9)
print(len(opt.param_groups), [g['lr'] for g in opt.param_groups], [len(g['params']) for g in opt.param_groups])
opt.step()
opt.zero_grad()
print(all(p.grad is None for g in opt.param_groups for p in g['params']), m.bn.weight.grad is None)
print(sum(p.numel() for p in m.parameters()))
m(torch.ones(2, 3, 4, 4))
