"""A module of our own: parameters, buffers, extra_repr, a property, and reuse inside another."""
import torch
import torch.nn as nn


class Scale(nn.Module):
    def __init__(self, size, start=1.0):
        super().__init__()
        self.size = size
        self.gain = nn.Parameter(torch.full((size,), start))
        self.register_buffer("calls", torch.tensor(0))

    @property
    def total(self):
        return self.gain.sum().item()

    def extra_repr(self):
        return f"size={self.size}"

    def forward(self, x):
        self.calls += 1
        return x * self.gain


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scales = nn.ModuleList(Scale(2, i + 1.0) for i in range(3))
        self.skip = nn.Identity()

    def forward(self, x):
        for scale in self.scales:
            x = scale(x) + self.skip(x)
        return x


net = Net()
print(net)
data = torch.tensor([1.0, 2.0], requires_grad=True)
net(data).sum().backward()
print(data.grad, [scale.gain.grad for scale in net.scales])
print([scale.calls for scale in net.scales], net.scales[1].total)
print(net.state_dict())
net.scales[0].gain = nn.Parameter(torch.zeros(2))
print(net(data))
