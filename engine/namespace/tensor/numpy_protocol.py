"""What NumPy asks of a tensor: its array, its precedence in operators, and a tensor in place of what it computed."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from gradflow.engine.namespace.functions.creation import from_numpy
from gradflow.engine.sandbox.array_elements import Checked
from gradflow.engine.sandbox.gate import NOT_SPECIAL, read_special_by
from gradflow.engine.state import warn
from gradflow.engine.tensor import Tensor

_WRAP_WARNING: Final = "__array_wrap__ must accept context and return_scalar arguments (positionally) in the future. (Deprecated NumPy 2.0)"
_READ: Final = ("__array__", "__array_priority__", "__array_wrap__")


def array_wrap(self: Tensor, array: np.ndarray, context: object = None, return_scalar: object = None) -> Tensor:
    """What NumPy made of a tensor (``np.sin(t)``), as a tensor without gradient; truth values become uint8.

    NumPy warns where it calls it, for PyTorch's takes the array alone.
    """
    if return_scalar is not None:
        warn(_WRAP_WARNING, "DeprecationWarning")
    return from_numpy(array.astype(np.uint8) if array.dtype == np.bool_ else array)


def _read(value: Any, name: str) -> Any:
    """The protocol's names, of tensors and arrays alone: in classes of the program NumPy would look for them."""
    if not isinstance(value, Tensor | np.ndarray):
        return NOT_SPECIAL
    found = getattr(value, name)
    return Checked(found, name) if callable(found) else found


def _register() -> None:
    read_special_by(_READ, _read)


_register()
