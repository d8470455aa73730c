import torch, torch.nn as nn
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2))
        self.head = nn.Linear(4 * 9, 2)
    def forward(self, x):
        x = self.features(x)
        return self.head(x.view(x.size(0), -1))
images = torch.rand(2, 6, 6, 3)
try:
    Net()(images.permute(0, 3, 1, 2))
except RuntimeError as error:
    print(error)
print(Net()(images.permute(0, 3, 1, 2).contiguous()).shape)
net = Net().to(memory_format=torch.channels_last)
h = net.features(torch.rand(2, 3, 6, 6))
print(h.stride(), h.is_contiguous(memory_format=torch.channels_last))
gray = torch.rand(2, 6, 6, 1).permute(0, 3, 1, 2)
print(nn.Conv2d(1, 4, 3)(gray).stride(), nn.Conv2d(3, 4, 3).double()(images.permute(0, 3, 1, 2).double()).stride())
both = torch.cat([images.permute(0, 3, 1, 2)] * 2, 1)
print(both.stride(), torch.stack([images.permute(0, 3, 1, 2)] * 2, 1).stride(), torch.cat([images.permute(0, 3, 1, 2), torch.rand(2, 3, 6, 6)]).stride())
print(nn.functional.interpolate(both, scale_factor=2).stride(), nn.functional.pad(both, (1, 1)).stride(), nn.GroupNorm(2, 6)(both).stride())
leaf = torch.rand(2, 6, 6, 3, requires_grad=True)
nn.MaxPool2d(2)(nn.Conv2d(3, 4, 3)(leaf.permute(0, 3, 1, 2))).flatten(1).sum().backward()
print(leaf.grad.stride(), leaf.grad.sum())
