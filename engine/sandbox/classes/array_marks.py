"""What is put into each class of a program, so that NumPy makes no array of its objects."""

from __future__ import annotations

from types import FunctionType
from typing import Any, Final

import numpy as np

from gradflow.engine.sandbox.array_elements import carried_out
from gradflow.engine.sandbox.classes.kept_whole import NO_ARRAY, NO_MEMORY, have_no_memory, keep_whole_if_asked
from gradflow.engine.sandbox.classes.raw_content import has, put

_UFUNC: Final = "__array_ufunc__"


def refuse_objects(cls: type) -> None:
    """Have operators of arrays with objects of this class be refused where they would give an array of objects.

    It concerns classes with an operator for the right-hand side, for only these give more than a truth value.
    """
    have_no_memory(cls)
    keep_whole_if_asked(cls)
    if not has(cls, _UFUNC) and any(name.startswith("__r") for name in vars(cls) if name in _REFLECTED):
        put(cls, _UFUNC, _answer(cls))


def _answer(cls: type) -> Any:
    """What stands as ``__array_ufunc__`` in a class."""

    def answer(self: Any, ufunc: np.ufunc, method: str, *inputs: Any, **settings: Any) -> Any:
        return carried_out(ufunc, method, inputs, settings, cls)

    return answer


_ANSWER: Final = _answer(object).__code__


def is_mark(found: object) -> bool:
    """Whether this was put into a class of the program, so that NumPy finds it there."""
    return found is NO_ARRAY or found is NO_MEMORY or (type(found) is FunctionType and found.__code__ is _ANSWER)


_REFLECTED: Final = frozenset(
    f"__r{name}__"
    for name in [
        "add",
        "sub",
        "mul",
        "matmul",
        "truediv",
        "floordiv",
        "mod",
        "divmod",
        "pow",
        "lshift",
        "rshift",
        "and",
        "or",
        "xor",
    ]
)
