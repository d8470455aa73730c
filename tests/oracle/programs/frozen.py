import torch
from torch import nn

torch.manual_seed(11)
body = nn.Linear(3, 3)
head = nn.Linear(3, 1)
body.weight.requires_grad_(False)
opt = torch.optim.NAdam([p for p in (*body.parameters(), *head.parameters()) if p.requires_grad], lr=0.01)
schedule = torch.optim.lr_scheduler.ExponentialLR(opt, 0.9)
x = torch.randn(4, 3)
for _ in range(2):
    opt.zero_grad()
    head(torch.relu(body(x))).mean().backward()
    opt.step()
    schedule.step()
