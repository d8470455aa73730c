import torch
from torch import nn

torch.manual_seed(0)
D = nn.Sequential(
    nn.Conv2d(1, 4, 3, stride=2, padding=1),
    nn.LeakyReLU(0.2),
    nn.Conv2d(4, 8, 3, stride=2, padding=1),
    nn.LeakyReLU(0.2),
    nn.Flatten(),
    nn.Linear(32, 1),
)
x = torch.randn(2, 1, 8, 8, requires_grad=True)
out = D(x)
g = torch.autograd.grad(out.sum(), x, create_graph=True)[0]
r1 = g.flatten(1).pow(2).sum(1).mean()
(nn.functional.softplus(-out).mean() + 5 * r1).backward()
print(D[0].weight.grad.norm())
