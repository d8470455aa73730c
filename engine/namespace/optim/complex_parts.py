"""Parameters of complex numbers: an optimizer steps real and imaginary parts each for itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradflow.engine.namespace.nn.state_dict import write
from gradflow.engine.numerics.broadcasting import laid_over
from gradflow.engine.state import unseen
from gradflow.engine.tensor import Tensor


def change_by_gradient(
    change: Callable[..., None], p: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]
) -> None:
    """``change`` of a parameter. Raises RuntimeError for a gradient that does not go into its shape."""
    array = laid_over(grad._a, p._a.shape)
    if p._a.dtype.kind == "c":
        _change_parts(change, p, array, state, group)
    else:
        change(p, array, state, group)


def _change_parts(
    change: Callable[..., None], p: Tensor, grad: np.ndarray, state: dict[str, Any], group: dict[str, Any]
) -> None:
    """``change`` for the parts of a parameter. Its state is kept as complex numbers."""
    parts = Tensor(_parts(p._a), p._st)
    kept = {name: _parts_of_state(held) for name, held in state.items()}
    with unseen():
        change(parts, _parts(grad), kept, group)
    for name, held in kept.items():
        if not isinstance(held, Tensor) or held._a.shape != parts._a.shape:
            state[name] = held
        elif name not in state:
            state[name] = Tensor(np.ascontiguousarray(held._a).view(p._a.dtype)[..., 0])
    write(p, p._a.copy())


def _parts(array: np.ndarray) -> np.ndarray:
    """The same memory as real numbers, two for each complex one."""
    return array[..., None].view(array.real.dtype)


def _parts_of_state(held: Any) -> Any:
    is_complex = isinstance(held, Tensor) and held._a.dtype.kind == "c"
    return Tensor(_parts(held._a), held._st) if is_complex else held
