"""Functions of NumPy that trust what a program gives them: numbers of diagonals, arrays for results, dates without a unit.

Each is NumPy's own with a look at its arguments before.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics import bounded_counts
from gradflow.engine.numerics.bounded_counts import checked_offset
from gradflow.engine.sandbox.array_elements import Checked, checked_array
from gradflow.engine.sandbox.gate import NOT_SPECIAL
from gradflow.engine.sandbox.numpy_calls.under_masks import accumulating

_MOST_DECIMALS: Final = 400
"""Beyond that a power of ten is infinite, and NumPy goes on multiplying for as long as it is told."""


def _diagonal(a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Any:
    """``np.diagonal``."""
    array = checked_array(a)
    return array.diagonal(checked_offset(array, offset), axis1, axis2)


def _diag(v: Any, k: Any = 0) -> Any:
    """``np.diag``."""
    array = checked_array(v)
    return np.diag(array, checked_offset(array, k))


def _trace(a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1, dtype: Any = None, out: Any = None) -> Any:
    """``np.trace``."""
    array = checked_array(a)
    return array.trace(checked_offset(array, offset), axis1, axis2, dtype, out)


def _linalg_diagonal(x: Any, /, *, offset: Any = 0) -> Any:
    """``np.linalg.diagonal``."""
    array = checked_array(x)
    return np.linalg.diagonal(array, offset=checked_offset(array, offset))


def _linalg_trace(x: Any, /, *, offset: Any = 0, dtype: Any = None) -> Any:
    """``np.linalg.trace``."""
    array = checked_array(x)
    return np.linalg.trace(array, offset=checked_offset(array, offset), dtype=dtype)


def _round(a: Any, decimals: Any = 0, out: Any = None) -> Any:
    """``np.round``."""
    places = max(-_MOST_DECIMALS, min(operator.index(decimals), _MOST_DECIMALS))
    return np.round(a, places, out)


def _pad(array: Any, pad_width: Any, mode: Any = "constant", **named: Any) -> Any:
    """``np.pad``; where it leaves what it adds as it was in memory (``mode="empty"``), it gives zeros."""
    kind: Any = str.__str__(mode) if isinstance(mode, str) else mode
    return np.pad(array, pad_width, "constant" if isinstance(kind, str) and kind == "empty" else kind, **named)


# ---- dates without a unit


def _look_at_target(value: Any) -> None:
    """Raises TypeError for dates without a unit: through ``flat`` NumPy would convert to them by no function at all."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "mM" and np.datetime_data(value.dtype)[0] == "generic":
        raise errors.CALL_REFUSED(name="flat of dates without a unit")


def _fill_diagonal(a: Any, val: Any, wrap: Any = False) -> None:
    """``np.fill_diagonal``."""
    _look_at_target(a)
    np.fill_diagonal(a, val, wrap)


def flat(value: Any, name: str) -> Any:
    """``a.flat``."""
    if not isinstance(value, np.ndarray):
        return NOT_SPECIAL
    _look_at_target(value)
    return value.flat


# ---- by name


_ACCUMULATING: Final = ("cumprod", "cumsum", "cumulative_prod", "cumulative_sum", "nancumprod", "nancumsum")
FUNCTIONS: Final[dict[str, Checked]] = {
    "around": Checked(_round, "around"),
    "diag": Checked(_diag, "diag"),
    "diagonal": Checked(_diagonal, "diagonal"),
    "fill_diagonal": Checked(_fill_diagonal, "fill_diagonal"),
    "pad": Checked(_pad, "pad"),
    "round": Checked(_round, "round"),
    "trace": Checked(_trace, "trace"),
    **{name: Checked(accumulating(getattr(np, name)), name) for name in _ACCUMULATING},
}
"""In the place of NumPy's."""
LINALG: Final[dict[str, Checked]] = {
    "diagonal": Checked(_linalg_diagonal, "diagonal"),
    "trace": Checked(_linalg_trace, "trace"),
}
_METHODS: Final[dict[str, Callable[..., Any]]] = {
    "diagonal": _diagonal,
    "repeat": bounded_counts.repeat,
    "round": _round,
    "trace": _trace,
}


def method(value: Any, name: str) -> Any:
    """A method of an array, or of the class of arrays, in another form than NumPy's; None for all others."""
    function = _METHODS.get(name)
    if name in _ACCUMULATING:
        return Checked(accumulating(getattr(value, name)), name)
    if function is None:
        return None
    return Checked(function if isinstance(value, type) else partial(function, value), name)
