"""Second derivatives through a copied sign, pixels in turn, a renormalised norm, and pooled powers."""

import torch
import torch.nn.functional as F

torch.manual_seed(11)
x, y = (torch.randn(3, 4, requires_grad=True) for _ in range(2))
image = torch.randn(1, 4, 4, 4, requires_grad=True)
for made, wanted in (
    (lambda: torch.copysign(x, y), x),
    (lambda: torch.copysign(x, -2.0), x),
    (lambda: F.pixel_shuffle(image, 2), image),
    (lambda: F.lp_pool2d(image, 2, 2), image),
    (lambda: F.normalize(x, dim=1), x),
):
    (first,) = torch.autograd.grad(made().pow(3).sum(), wanted, create_graph=True)
    torch.autograd.grad(first.sin().sum(), wanted)
