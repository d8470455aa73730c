"""Parameters: leaves that a module owns and an optimizer changes."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import dtypes, errors
from engine.state import STATE
from engine.tensor import Tensor


class Parameter(Tensor):
    """A leaf that requires a gradient; assigned to an attribute of a module it becomes one of its parameters."""

    def __init__(self, data: Tensor | None = None, requires_grad: bool = True) -> None:
        array = np.empty(0, dtypes.DEFAULT) if data is None else data._a
        super().__init__(array, None if data is None else data._st)
        if requires_grad and array.dtype.kind not in "fc":
            raise errors.INTEGER_REQUIRES_GRAD(subject=data)
        self.requires_grad = bool(requires_grad)
        if STATE.recorder is not None:
            STATE.recorder.new(self, STATE.recorder.place())

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()


class Buffer(Tensor):
    """A tensor that is state but no parameter; assigned to an attribute of a module it becomes one of its buffers."""

    def __init__(self, data: Tensor | None = None, *, persistent: bool = True) -> None:
        super().__init__(np.empty(0, dtypes.DEFAULT) if data is None else data._a, None if data is None else data._st)
        self.requires_grad = data is not None and data.requires_grad
        self.persistent = persistent


Parameter.__module__ = Buffer.__module__ = "torch.nn.parameter"


def parameter(array: np.ndarray) -> Parameter:
    """A parameter with these values."""
    return Parameter(Tensor(array))


def empty(*shape: int, dtype: Any = None) -> Parameter:
    """A parameter whose values are still to be set."""
    return parameter(np.zeros(shape, dtypes.DEFAULT if dtype is None else dtype.numpy))
