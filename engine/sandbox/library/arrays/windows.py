"""``numpy.lib.stride_tricks`` and ``numpy.char``: views of windows that lie within their array, and functions of texts."""

from __future__ import annotations

import operator
from typing import Any, Final

import numpy as np

from gradflow.engine.sandbox.array_elements import checked, checked_array, checked_members
from gradflow.engine.sandbox.gate import Module

_TEXTS: Final = (
    "add capitalize center count endswith equal expandtabs find greater greater_equal index isalnum isalpha isdecimal"
    " isdigit islower isnumeric isspace istitle isupper less less_equal ljust lower lstrip multiply not_equal partition"
    " replace rfind rindex rjust rpartition rstrip startswith str_len strip swapcase title upper zfill"
)


def sliding_window_view(
    x: Any, window_shape: Any, axis: Any = None, *, subok: bool = False, writeable: bool = False
) -> Any:
    """``numpy.lib.stride_tricks.sliding_window_view``: its sizes are exact numbers before NumPy counts with them."""
    axes = None if axis is None else _numbers(axis)
    view = np.lib.stride_tricks.sliding_window_view(
        checked_array(x), _numbers(window_shape), axes, writeable=bool(writeable)
    )
    return checked(view)


def _numbers(given: Any) -> tuple[int, ...]:
    several = isinstance(given, tuple | list | np.ndarray)
    return tuple(int(operator.index(each)) for each in (given if several else (given,)))


def text_members() -> dict[str, object]:
    """What ``numpy.char`` and ``numpy.strings`` have."""
    return checked_members({name: getattr(np.char, name) for name in _TEXTS.split()})


def modules() -> dict[str, Module]:
    """The modules, by full name."""
    strides = Module("numpy.lib.stride_tricks", {"sliding_window_view": sliding_window_view})
    return {
        "numpy.lib.stride_tricks": strides,
        "numpy.lib": Module("numpy.lib", {"stride_tricks": strides}),
        "numpy.char": Module("numpy.char", text_members()),
        "numpy.strings": Module("numpy.strings", text_members()),
    }
