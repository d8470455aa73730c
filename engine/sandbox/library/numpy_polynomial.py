"""``np.poly1d``, whose coefficients and values are numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from gradflow.engine.sandbox.array_elements import checked, checked_array
from gradflow.engine.sandbox.gate import allow

_OPEN: Final = "c coef coeffs deriv integ o order r roots variable"
_OPERATORS: Final = "add div mul neg pos pow radd rdiv rmul rsub rtruediv sub truediv"


class poly1d(np.poly1d):
    """A polynomial of one variable."""

    def __init__(self, c_or_r: Any, r: bool = False, variable: str | None = None) -> None:
        given = c_or_r if isinstance(c_or_r, np.poly1d) else checked_array(c_or_r)
        super().__init__(given, r, variable)
        checked(self.coeffs)

    def __call__(self, val: Any) -> Any:
        return _own(super().__call__(val if isinstance(val, np.poly1d) else checked_array(val)))

    def deriv(self, m: Any = 1) -> Any:
        """The derivative of order ``m``."""
        return _own(super().deriv(m))

    def integ(self, m: Any = 1, k: Any = 0) -> Any:
        """The integral of order ``m``, with the constants ``k``."""
        return _own(super().integ(m, k))


def _own(result: Any) -> Any:
    """What NumPy's own class gives, as this class."""
    if isinstance(result, tuple):
        return tuple(map(_own, result))
    return poly1d(result) if isinstance(result, np.poly1d) else checked(result)


def _operator(name: str) -> Callable[..., Any]:
    real = getattr(np.poly1d, name)

    def operate(self: poly1d, *others: Any) -> Any:
        return _own(real(self, *others))

    return operate


def _register() -> None:
    for name in _OPERATORS.split():
        if hasattr(np.poly1d, f"__{name}__"):
            setattr(poly1d, f"__{name}__", _operator(f"__{name}__"))
    poly1d.__module__ = "numpy"
    allow(np.poly1d)
    allow(poly1d, _OPEN.split(), shown_as=poly1d)


_register()
