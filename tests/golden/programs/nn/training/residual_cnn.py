"""A small residual network on images: shapes, parameters, one step."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.shortcut = nn.Sequential()
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        out = F.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        out += self.shortcut(x)
        return F.relu(out)


torch.manual_seed(0)
net = nn.Sequential(Block(1, 2), Block(2, 4, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 3))
print(net)
x = torch.randn(4, 1, 8, 8)
logits = net(x)
loss = nn.CrossEntropyLoss(label_smoothing=0.1)(logits, torch.tensor([0, 1, 2, 0]))
loss.backward()
print(logits.shape, f"{loss.item():.4f}")
for name, p in net.named_parameters():
    print(name, tuple(p.shape), f"{p.grad.norm():.3f}")
