"""Operators and methods of Tensor are functions of rooms above; they are installed when the first one is used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradflow.engine.state import METHOD_INSTALLERS

_BINARY = "add sub mul truediv floordiv mod pow lshift rshift and or xor"
_OTHERS = "matmul rmatmul eq ne lt le gt ge neg pos abs invert contains getitem setitem delitem array_wrap"
OPERATORS = tuple([f"__{form}{name}__" for name in _BINARY.split() for form in ("", "r", "i")])
OPERATORS += tuple([f"__{name}__" for name in _OTHERS.split()])
"""Python looks these up on the class, so that each needs a function in the place of the one to come."""


def installs_methods_late(cls: Any) -> None:
    """Give a class what installs its operators and methods when one is used; `stop_waiting` takes it away."""

    def install() -> None:
        for installer in METHOD_INSTALLERS:
            installer()

    def absent(value: object, name: str) -> Any:
        """An attribute that is looked for in vain: from then on the class has all of them."""
        install()
        return getattr(value, name)

    def first_use(name: str) -> Callable[..., Any]:
        def operator(value: object, *operands: Any) -> Any:
            install()
            return getattr(value, name)(*operands)

        return operator

    cls.__getattr__ = absent
    for name in OPERATORS:
        setattr(cls, name, first_use(name))


def stop_waiting(cls: Any) -> None:
    """The methods are being installed: a class with ``__getattr__`` would read every attribute three times as slowly."""
    if "__getattr__" in vars(cls):
        del cls.__getattr__
