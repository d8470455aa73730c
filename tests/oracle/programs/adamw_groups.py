import torch
from torch import nn

torch.manual_seed(7)
net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
opt = torch.optim.AdamW(
    [{"params": net[0].parameters(), "weight_decay": 0.1}, {"params": net[2].parameters(), "lr": 0.05}], lr=0.01
)
x = torch.randn(5, 3)
for _ in range(3):
    opt.zero_grad(set_to_none=False)
    net(x).pow(2).mean().backward()
    nn.utils.clip_grad_value_(net.parameters(), 0.05)
    opt.step()
