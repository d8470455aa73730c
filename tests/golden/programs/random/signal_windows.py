"""The windows of torch.signal: symmetric or periodic, with their settings, and what they refuse."""

import torch
from torch.signal import windows

plain = (
    windows.bartlett, windows.blackman, windows.cosine, windows.exponential, windows.gaussian, windows.general_hamming,
    windows.hamming, windows.hann, windows.kaiser, windows.nuttall,
)  # fmt: skip
for window in plain:
    for length in (0, 1, 2, 5):
        print(length, window(length), window(length, sym=False, dtype=torch.float64))
print(windows.general_cosine(10, a=[0.46, 0.23, 0.31]))
print(windows.exponential(5, center=1.0, tau=0.5, sym=False), windows.gaussian(4, std=0.9), windows.kaiser(5, beta=0.9))
print(windows.hann(4, requires_grad=True), windows.kaiser(4, requires_grad=True).grad_fn.name())
print(windows.gaussian(4, requires_grad=True).grad_fn.name(), windows.bartlett(3, requires_grad=True).grad_fn.name())
for wrong in (
    lambda: windows.hann(-1),
    lambda: windows.hann(3, dtype=torch.int64),
    lambda: windows.kaiser(3, beta=-1),
    lambda: windows.gaussian(3, std=0),
    lambda: windows.exponential(3, tau=-1),
    lambda: windows.exponential(3, center=1),
    lambda: windows.general_cosine(3, a=[]),
    lambda: windows.general_cosine(3, a=3),
    lambda: windows.blackman(-1),
):
    try:
        print(wrong())
    except (ValueError, TypeError) as error:
        print(type(error).__name__, error)
