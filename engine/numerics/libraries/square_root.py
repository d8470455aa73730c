"""Square roots of float32 with PyTorch's last digit, which one time in six is not that of the exact root.

PyTorch's library (MKL) begins on AMD's processors with their estimate of ``1 / sqrt(x)`` and improves it twice, every
product rounded before it is added. Seen with PyTorch 2.13: all positive numbers give the same digits, in any layout.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np

_SINGLE: Final = np.dtype("float32")
_HALF: Final = np.array(0.5, np.float32)
_NORMAL, _LAST = 0x00800000, 0x7F7FF000
"""The bits of the least and of the greatest number that the library does not treat apart, with an exact root."""

_FIRST: Final = (8191, 5792)
_FALLS: Final = (
    "0ggfggffgffffffeffefeeeeeeeeededededddddddcddcdcdcdcccccccbccbcb"
    "dbbcbbbbbbbbbbabbabababaaabaaaaaaaaaa9aa9a9a9a99a99a999999999899"
    "8998989898988988988888888888878888788787878787787777877777777777"
    "8776777767767767676767676676676676666667666666666666656666566656",
    "0bbcbabbbbabbababaabaaaaa9aaa9a9aa99a999999999999899898988988988"
    "8888888888788787878787787778777777777777677767767676767667667666"
    "7666666666666665666566656566565655656556556555565555555555555555"
    "6455555455545545545455454545454454544544544454445444444544444444",
)
_FALLS_WITHIN: Final = (
    "7f7f 77f7 6f7d 6ddd 376d 5b5b 356d 2b56 5555 2aaa 2a55 52a9 252a 2949 2529 1292",
    "5b6d 35b6 356a 3555 2aaa 4aa9 2952 294a 1494 2492 2492 4922 1224 1224 2222 2222",
)
"""The processor's two tables, read off it, for x from 1 to 2 and from 2 to 4, in units of 2**-13: how far the estimate falls
from each of 256 parts to the next (base 17), and where it falls by one within a part (16 bits), alike in 16 neighbouring parts."""


@cache
def _estimates() -> np.ndarray:
    """The bits of the estimates for 8192 parts, by the last bit of the exponent and the first 12 of the fraction.

    To be lowered by half the exponent: uint32, of shape (8192,).
    """
    made = []
    for first, falls, within in zip(_FIRST, _FALLS, _FALLS_WITHIN, strict=True):
        heads = first - np.cumsum([int(fall, 17) for fall in falls])
        steps = np.cumsum([[int(bit) for bit in f"{int(row, 16):016b}"] for row in within.split()], axis=1)
        estimates = heads.reshape(16, 16, 1) - steps[:, None]
        made.append((estimates.ravel() / 2**13).astype(np.float32).view(np.uint32))
    odd, even = made
    return np.concatenate([even + np.uint32(64 << 23), odd + np.uint32(63 << 23)])


def square_root(x: np.ndarray) -> np.ndarray:
    """``sqrt(x)`` elementwise, NaN below 0. Same shape and dtype; only float32 differs from NumPy's, by a unit at most."""
    if x.dtype is not _SINGLE:
        return np.asarray(np.sqrt(x))
    if not x.ndim:
        return square_root(x.reshape(1)).reshape(())
    bits = x.view(np.uint32)
    inverse = (_estimates()[bits >> 11 & 8191] - (bits >> 24 << 23)).view(np.float32)
    near, half = x * inverse, inverse * _HALF
    rest = _HALF - near * half
    near, half = near + near * rest, half + half * rest
    root: np.ndarray = near + (x - near * near) * half
    usual = bits - np.uint32(_NORMAL) <= np.uint32(_LAST - _NORMAL)
    return root if usual.all() else np.where(usual, root, np.sqrt(x))
