"""Pools at random places, drawn as PyTorch draws them; errors."""

import torch
import torch.nn.functional as F

torch.manual_seed(3)
plane = torch.randn(2, 2, 7, 7, requires_grad=True)
out, where = F.fractional_max_pool2d(plane, 2, output_ratio=(0.5, 0.6), return_indices=True)
print(out, where)
out.sum().backward()
print(plane.grad[0, 0])
print(F.fractional_max_pool2d(plane, 3, output_size=(2, 3), _random_samples=torch.tensor([[[0.2, 0.9]] * 2] * 2)))
block = torch.randn(1, 6, 6, 6, dtype=torch.float64)
print(F.fractional_max_pool3d(block, 2, output_size=2), F.fractional_max_pool3d(block, (1, 2, 2), output_size=(2, 1, 2)))
for attempt in (
    lambda: F.fractional_max_pool2d(plane, 2),
    lambda: F.fractional_max_pool2d(plane, 5, output_size=4),
    lambda: F.fractional_max_pool2d(plane, (2, 2, 2), output_size=4),
    lambda: F.fractional_max_pool2d(plane.long(), 2, output_size=4),
    lambda: F.fractional_max_pool2d(plane, 2, output_size=2, _random_samples=torch.rand(2, 2, 3)),
    lambda: F.fractional_max_pool3d(block, 4, output_size=4),
):
    try:
        attempt()
    except Exception as error:
        print(type(error).__name__, error)
