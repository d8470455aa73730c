"""A method of a tensor or a shape that is not called but kept, compared or printed: PyTorch's are built into C, and called so.

``x.sum + 1`` names ``builtin_function_or_method`` in its message. A call, ``x.sum()``, does not come by here.
"""

from __future__ import annotations

from types import MethodType
from typing import Any, Final

from gradflow.engine.sandbox.gate import allow, is_program_function, read_methods_by
from gradflow.engine.tensor import Size, Tensor

_NAMES: Final = (
    "backward dim_order istft lu norm register_hook register_post_accumulate_grad_hook share_memory_ split stft storage"
    " storage_type to_sparse_coo unflatten unique unique_consecutive"
)
_IN_PYTHON: Final = frozenset(_NAMES.split())
"""Methods that PyTorch has written in Python."""


class _Method:
    """A method of a tensor."""

    __slots__ = ("_bound",)

    def __init__(self, bound: MethodType) -> None:
        self._bound = bound

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._bound(*args, **kwargs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Method) and self._bound == other._bound

    def __hash__(self) -> int:
        return hash(self._bound)

    @property
    def __name__(self) -> str:
        return self._bound.__name__

    def __repr__(self) -> str:
        own = self._bound.__self__
        return f"<built-in method {self.__name__} of {type(own).__name__} object at {id(own):#x}>"


type.__setattr__(_Method, "__name__", "builtin_function_or_method")
_Method.__qualname__ = "builtin_function_or_method"
_Method.__module__ = "builtins"
allow(_Method, ("__name__",))


def _builtin(method: MethodType, name: str) -> object:
    """The method, but for one that the program or PyTorch has written in Python."""
    return method if name in _IN_PYTHON or is_program_function(method.__func__) else _Method(method)


read_methods_by((Tensor, Size), _builtin)
