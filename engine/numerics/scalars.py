"""Small numbers as 0-d arrays, one for each dtype: NumPy takes two to five times as long over a Python number or a scalar.

And scalars of NumPy as the Python numbers that PyTorch takes them for.
"""

from __future__ import annotations

from typing import Any, Final

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


_OWN: Final = frozenset({bool, int, float, complex})


def is_derived(value: object) -> bool:
    """Whether a value is a number of a class derived from Python's own: an ``IntEnum``, for example."""
    return (
        value.__class__ not in _OWN and isinstance(value, int | float | complex) and not isinstance(value, np.generic)
    )


def own_number(value: Any) -> Any:
    """Such a number as Python's own, by none of the methods of its class; all else as it is.

    NumPy would give a derived number a dtype of its own, and PyTorch does not.
    """
    if not is_derived(value):
        return value
    kind = next(kind for kind in (int, float, complex) if isinstance(value, kind))
    return kind.__pos__(value)
