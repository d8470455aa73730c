"""The types of tensors of old: `torch.FloatTensor` and its like, `torch.Tensor` as a type, `Variable`."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.dispatch.argument_messages import type_title
from gradflow.engine.namespace.functions.creation import array_of, finish, is_sequence
from gradflow.engine.namespace.tensor.storages import TypedStorage, UntypedStorage
from gradflow.engine.ops.creation import checked
from gradflow.engine.registry import REGISTRY
from gradflow.engine.sandbox.gate import OpaqueType, Type, allow
from gradflow.engine.state import STATE, warn
from gradflow.engine.tensor import Tensor, dtypes
from gradflow.engine.tensor.device import device as place
from gradflow.engine.tensor.storage import Size, Storage


class Variable(OpaqueType):
    """``torch.autograd.Variable``: another name for the type of tensors; called, it makes a leaf of a tensor."""

    __slots__ = ()

    def __call__(self, data: Any = None, requires_grad: bool = False, volatile: bool = False) -> Tensor:
        if volatile:
            warn("volatile was removed and now has no effect. Use `with torch.no_grad():` instead.")
        if data is None:
            return finish(Tensor(np.zeros(0, np.float32)), requires_grad)
        if not isinstance(data, Tensor):
            raise errors.DATA_TYPE(type=f"{type(data).__name__}")
        return finish(data.detach(), requires_grad)

    def __repr__(self) -> str:
        return "<class 'torch.autograd.variable.Variable'>"


class LegacyType(OpaqueType):
    """``torch.FloatTensor``: a constructor of sizes or of data, and the name of a type."""

    __slots__ = ("element", "title")

    def __init__(self, title: str, element: dtypes.dtype | None) -> None:
        super().__init__(Tensor)
        self.title, self.element = title, element

    def __call__(self, *args: Any) -> Tensor:
        dtype = self.element or dtypes.BY_NUMPY[dtypes.DEFAULT]
        if len(args) == 1 and isinstance(args[0], Tensor):
            if self.element not in (None, args[0].dtype):
                raise errors.LEGACY_DTYPE(wanted=dtypes.options_of(dtype), given=dtypes.options_of(args[0].dtype))
            return REGISTRY["tensor"].call(args[0]._a)
        if len(args) == 1 and isinstance(args[0], UntypedStorage):
            return _over(args[0], dtype)
        if len(args) == 1 and isinstance(args[0], Size):
            return REGISTRY["tensor"].call(np.zeros(checked(tuple(args[0])), dtype.numpy))
        if len(args) == 1 and (isinstance(args[0], np.ndarray) or is_sequence(args[0])):
            return REGISTRY["tensor"].call(array_of(args[0], dtype))
        if len(args) == 1 and isinstance(args[0], str):
            raise errors.DATA_INVALID(type="str")
        for position, value in enumerate(args, 1):
            if isinstance(value, bool) or not isinstance(value, int | np.integer):
                if position > 1:
                    raise errors.UNPACK(function="new", argument="size", position=position, actual=type(value).__name__)
                raise errors.DATA_SEQUENCE(type=type_title(value))
        return REGISTRY["tensor"].call(np.zeros(checked(args) if args else (0,), dtype.numpy))

    def __instancecheck__(self, instance: object) -> bool:
        return isinstance(instance, Tensor) and (self.element is None or instance.dtype is self.element)

    def __repr__(self) -> str:
        return f"<class 'torch.{self.title}'>"


def _over(storage: UntypedStorage, dtype: dtypes.dtype) -> Tensor:
    """A tensor of the whole of a storage."""
    if isinstance(storage, TypedStorage) and storage.dtype is not dtype:
        raise errors.MEMORY_REFUSED(
            message=f"Expected a Storage of type {dtype.legacy} or an UntypedStorage, but got type"
            f" {storage.dtype.legacy} for argument 1 'storage'"
        )
    made = Tensor(storage.array.view(dtype.numpy), Storage.uncounted(storage.memory))
    if STATE.recorder is not None:
        STATE.recorder.new(made, STATE.recorder.place())
    return made


def new(self: Tensor, *args: Any, device: Any = None, **kwargs: Any) -> Tensor:
    """A tensor of the same dtype: of sizes, of data, or over a storage."""
    if device is not None and place(device).type != "cpu":
        raise errors.MEMORY_REFUSED(
            message=f"legacy constructor expects device type: cpu but device type: {place(device).type} was passed"
        )
    given = (*args, *kwargs.values())
    made: Tensor = LegacyType(f"{self.dtype.legacy}Tensor", self.dtype)(*given)
    return made


TENSOR = LegacyType("Tensor", None)
"""``torch.Tensor``, which is also what ``type(tensor)`` gives."""
allow(LegacyType, typed=lambda _: Type)
