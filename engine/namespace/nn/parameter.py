"""Parameters: leaves that a module owns and an optimizer changes."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np

from gradflow.engine import errors
from gradflow.engine.namespace.checked_calls import checked
from gradflow.engine.namespace.functions import creation
from gradflow.engine.namespace.tensor_arguments import has
from gradflow.engine.sandbox.gate import type_name
from gradflow.engine.state import STATE
from gradflow.engine.tensor import Tensor, dtypes


class WithoutShape:
    """What a lazy layer holds until its shape is known."""


class Parameter(Tensor):
    """A leaf that requires a gradient; assigned to an attribute of a module it becomes one of its parameters."""

    def __new__(cls, data: Tensor | None = None, *args: Any, **kwargs: Any) -> Parameter:
        made: Parameter = object.__new__(_kinds.get(data.__class__, cls))
        return made

    def __init__(self, data: Tensor | None = None, requires_grad: bool = True) -> None:
        if data is not None and not isinstance(data, Tensor):
            raise AttributeError(f"'{type_name(data)}' object has no attribute 'detach'")
        if not isinstance(requires_grad, bool):
            name = type_name(requires_grad)
            raise TypeError(f"_make_subclass(): argument 'require_grad' (position 3) must be bool, not {name}")
        if hasattr(type(data), "__torch_function__"):
            raise errors.CALL_REFUSED(name="a Parameter of an object of a class derived from Tensor")
        array = np.empty(0, dtypes.DEFAULT) if data is None else data._a
        if array.dtype not in dtypes.BY_NUMPY:
            raise errors.NUMPY_ELEMENTS(type=array.dtype.type.__name__)
        super().__init__(array, None if data is None else data._st)
        if requires_grad and array.dtype.kind not in "fcV":
            raise errors.INTEGER_REQUIRES_GRAD(subject=data)
        self._inference = data is not None and data._inference
        self.requires_grad = requires_grad
        if STATE.recorder is not None:
            STATE.recorder.new(self, STATE.recorder.place())

    __init__.__qualname__ = "Parameter.__new__"

    def __deepcopy__(self, memo: dict[int, object]) -> Any:
        """Another parameter with the same values, and no gradient."""
        copied = type.__call__(
            type(self), Tensor(self._a.copy()), self.requires_grad
        )  # past a metaclass of the program
        if type(copied) is not type(self):
            raise errors.CALL_REFUSED(name=f"a copy of {type(self).__name__} that is none")
        memo[id(self)] = copied
        return copied

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()


class Buffer(Tensor):
    """A tensor that is state but no parameter; assigned to an attribute of a module it becomes one of its buffers."""

    def __init__(self, data: Tensor | None = None, *, persistent: bool = True) -> None:
        data = None if data is None else has(data, "detach")
        super().__init__(np.empty(0, dtypes.DEFAULT) if data is None else data._a, None if data is None else data._st)
        self.requires_grad = data is not None and data.requires_grad
        self.persistent = persistent


_kinds: Final[dict[type, type[Parameter]]] = {}


def has_parameters(kind: type, parameters: type[Parameter]) -> None:
    """Have the parameter of a tensor of the class ``kind`` be one of the class ``parameters``."""
    _kinds[kind] = parameters


Parameter.__module__ = Buffer.__module__ = "torch.nn.parameter"


def parameter(array: np.ndarray) -> Parameter:
    """A parameter with these values."""
    return Parameter(Tensor(array))


@cache
def _empty() -> Any:
    return checked("empty", creation.empty)


def empty(*shape: Any, dtype: Any = None) -> Parameter:
    """A parameter whose values are still to be set. Raises where `torch.empty` does."""
    return Parameter(_empty()(tuple(int(n) if isinstance(n, bool) else n for n in shape), dtype=dtype))


def filled(size: Any, value: float, dtype: Any = None) -> Parameter:
    """A parameter of one value. Raises where ``torch.empty(size)`` does."""
    made = _empty()(int(size) if isinstance(size, bool) else size, dtype=dtype)
    made._a[...] = value
    return Parameter(made)
