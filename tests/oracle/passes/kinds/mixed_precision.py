import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
x = torch.randn(4, 3)
target = torch.tensor([0, 1, 1, 0])
for middle in (nn.LayerNorm(4), nn.BatchNorm1d(4), nn.Tanh()):
    net = nn.Sequential(nn.Linear(3, 4), middle, nn.ReLU(), nn.Linear(4, 2))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = F.cross_entropy(net(x), target)
    loss.backward()
a = torch.rand(2, 2, requires_grad=True)
b = torch.rand(2, 2, requires_grad=True)
with torch.autocast("cpu", dtype=torch.bfloat16):
    product = torch.addmm(a * 1, a.sin(), b.cos())
    joined = torch.cat([product, a.exp()])
    squares = F.mse_loss(a * 1 @ b, b @ a)
(joined.sum() + squares).backward()
