"""Small numbers as 0-d arrays, one for each dtype: NumPy takes two to five times as long over a Python number or a scalar.

And scalars of NumPy as the Python numbers that PyTorch takes them for.
"""

from __future__ import annotations

from typing import Final

import numpy as np


class Constant(dict[np.dtype, np.ndarray]):
    """A number; ``ONE[array.dtype]`` is the read-only 0-d array of it."""

    def __init__(self, value: float) -> None:
        self.value = value

    def __missing__(self, dtype: np.dtype) -> np.ndarray:
        self[dtype] = array = np.array(self.value, dtype)
        array.flags.writeable = False
        return array


ZERO: Final = Constant(0)
ONE: Final = Constant(1)
TWO: Final = Constant(2)
HALF: Final = Constant(0.5)


def python_number(scalar: np.generic) -> int | float | complex:
    """A scalar of NumPy as the number that PyTorch reads from it.

    Integers stay integers and complex128 is Python's own complex; all else, truth values and complex64 too, is read as a
    real number.
    """
    if isinstance(scalar, np.integer):
        return int(scalar)
    return complex(scalar) if isinstance(scalar, complex) else float(scalar.real)
