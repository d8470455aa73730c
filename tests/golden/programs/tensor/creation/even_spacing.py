"""linspace and logspace: each dtype steps in itself, and both ends may be tensors."""

import torch


def shown(function, *args, **kwargs):
    try:
        print(function(*args, **kwargs))
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


print(torch.linspace(-2.7, 2.7, 7))
print(torch.linspace(-1.1, 1.1, 11))
for dtype in (torch.int64, torch.int32, torch.uint8, torch.float64):
    shown(torch.linspace, 4.3, 0, 7, dtype=dtype)
    shown(torch.linspace, 250, 260, 3, dtype=dtype)
    shown(torch.logspace, 0.5, 2.7, 5, dtype=dtype)
a = torch.tensor([1, 2])
for start in (0, a, a[0]):
    for end in (2, a, a[1], a[None]):
        shown(torch.linspace, start, end, 3)
        shown(torch.logspace, start, end, 3)
for args in ((0, 64, 0), (0, 4, 0.5), (1e300,), (3, 0)):
    shown(torch.arange, *args, dtype=torch.int64)
