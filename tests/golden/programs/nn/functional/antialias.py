"""Smaller images without aliases: every mode, by size and by factor, gradients, and what is refused."""

import torch
from torch.nn import functional as F

x = (torch.arange(84.0).reshape(1, 2, 6, 7) * 0.37).sin().double().requires_grad_()
for mode in ("bilinear", "bicubic", "lanczos"):
    for corners in (False, None) if mode == "lanczos" else (False, True):
        for how in ({"size": (3, 3)}, {"size": (9, 4)}, {"scale_factor": 0.5}, {"scale_factor": (1.7, 0.4)}):
            y = F.interpolate(x, mode=mode, align_corners=corners, antialias=True, **how)
            (grad,) = torch.autograd.grad((y * torch.arange(y.numel()).reshape(y.shape)).sum(), x)
            print(mode, corners, how, y.grad_fn.name(), y[0, 0, :2], grad[0, 1, 0])
(first,) = torch.autograd.grad(y.pow(2).sum(), x, create_graph=True)
print(first.grad_fn.name(), torch.autograd.grad(first.sum(), x)[0][0, 0, 0])
(plain,) = torch.autograd.grad(F.interpolate(x, size=4, mode="bilinear").pow(2).sum(), x, create_graph=True)
print(plain.grad_fn.name())
for wrong in (
    lambda: F.interpolate(x, size=3, mode="lanczos"),
    lambda: F.interpolate(x, size=3, mode="lanczos", antialias=True, align_corners=True),
    lambda: F.interpolate(x[0], size=3, mode="linear", antialias=True),
    lambda: F.interpolate(x, size=3, mode="nearest", antialias=True),
    lambda: F.interpolate(x, size=0, mode="bilinear", antialias=True),
    lambda: F.interpolate(x.half(), size=3, mode="bilinear", antialias=True),
    lambda: F.interpolate(x.long(), size=3, mode="bicubic", antialias=True),
):
    try:
        print(wrong())
    except (ValueError, RuntimeError, NotImplementedError) as error:
        print(type(error).__name__, error)
