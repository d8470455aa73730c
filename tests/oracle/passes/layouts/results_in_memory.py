"""Results that lie in memory as their operands do, or row by row: it decides whether a later reshape is a view or a copy."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Independent, Normal

torch.manual_seed(7)
x = torch.randn(2, 4, 3, requires_grad=True)
turned = x.transpose(1, 2)
image = torch.randn(1, 3, 3, 4, requires_grad=True)
scale = torch.rand(4, requires_grad=True)
rows = torch.arange(24.0).reshape(2, 3, 4)
weight = torch.randn(5, 4, requires_grad=True)

for made in (
    lambda: scale.expand(3, 4).log(),
    lambda: scale.exp().expand(2, 3, 4).double(),
    lambda: 2**turned,
    lambda: turned / rows,
    lambda: rows / turned,
    lambda: turned + scale,
    lambda: scale * turned,
    lambda: F.layer_norm(turned, (4,)),
    lambda: turned.cumsum(1),
    lambda: turned.tril(),
    lambda: turned.masked_fill(turned.detach() > 0, 0.5),
    lambda: turned.flip(1),
    lambda: turned.sort(1)[0],
    lambda: turned.sum(0, keepdim=True).expand(2, 3, 4),
    lambda: image.permute(0, 2, 3, 1).std(3, keepdim=True),
    lambda: F.gelu(F.linear(F.layer_norm(image.permute(0, 2, 3, 1), (3,)), weight[:, :3])),
    lambda: F.linear(turned * 2, weight),
    lambda: F.dropout(scale.expand(3, 4), 0.5),
):
    torch.autograd.grad(made().reshape(-1).sin().sum(), (x, image, scale, weight), allow_unused=True)

for options in ({"batch_first": True}, {"batch_first": True, "bidirectional": True}):
    lstm = nn.LSTM(3, 2, **options)
    lstm(x * 1)[0].sum().backward()
Independent(Normal(x[:, 0] * 0, scale.exp()[:3].expand(2, 3)), 1).entropy().sum().backward()
