"""Sampling an image on a grid: turned, beyond its edges, in every mode; errors."""

import torch
import torch.nn.functional as F
image = torch.arange(16.0, dtype=torch.float64).reshape(1, 1, 4, 4).requires_grad_()
theta = torch.tensor([[[0.8, -0.6, 0.1], [0.6, 0.8, 0.2]]], dtype=torch.float64, requires_grad=True)
for align in (False, True):
    grid = F.affine_grid(theta, (1, 1, 3, 3), align_corners=align)
    print(grid)
    for mode in ("bilinear", "nearest", "bicubic"):
        for padding in ("zeros", "border", "reflection"):
            out = F.grid_sample(image, grid * 1.3, mode=mode, padding_mode=padding, align_corners=align)
            print(mode, padding, align, out)
out = F.grid_sample(image, F.affine_grid(theta, (1, 1, 3, 3), align_corners=False), align_corners=False)
out.sum().backward()
print(image.grad, theta.grad)
volume = torch.arange(8.0).reshape(1, 1, 2, 2, 2)
print(F.grid_sample(volume, torch.tensor([0.1, -0.4, 0.7]).reshape(1, 1, 1, 1, 3), align_corners=True))
print(F.grid_sample(image.detach(), torch.zeros(1, 1, 1, 2).double()))
for attempt in (
    lambda: F.grid_sample(image, torch.zeros(1, 2, 2, 3)),
    lambda: F.grid_sample(image, torch.zeros(2, 2, 2, 2)),
    lambda: F.grid_sample(image, torch.zeros(1, 2, 2, 2), mode="cubic"),
    lambda: F.grid_sample(image, torch.zeros(1, 2, 2, 2), padding_mode="wrap"),
    lambda: F.grid_sample(image, torch.zeros(1, 2, 2, 2)),
    lambda: F.affine_grid(theta, (1, 1, 3)),
    lambda: F.affine_grid(theta.long(), (1, 1, 3, 3)),
    lambda: F.affine_grid(theta, (1, 1, 0, 3)),
):
    try:
        attempt()
    except Exception as error:
        print(type(error).__name__, error)
