"""What functions say, in PyTorch's words, of an argument that is no tensor.

A function that PyTorch has written in Python reads an attribute of what it is given, or hands it on to one of C++, which
checks it. The engine looks into nothing before it knows that it is a tensor: a program can give any object the names by
which the engine keeps what is in one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gradflow.engine import errors
from gradflow.engine.dispatch.argument_messages import type_title
from gradflow.engine.tensor import Tensor, dtypes


def has(value: Any, method: str) -> Any:
    """The tensor itself. Raises AttributeError, as PyTorch does, for what has no such method."""
    if not isinstance(value, Tensor):
        raise no_method(value, method)
    return value


def no_method(value: Any, name: str) -> Exception:
    """Python's error for an object that is no tensor and has no such method."""
    title = f"type object '{value.__name__}'" if isinstance(value, type) else f"'{type_title(value)}' object"
    return errors.NO_METHOD(owner=title, type=type_title(value), name=name)


def need(value: Any, function: str, argument: str = "input", position: int = 1) -> Any:
    """The tensor itself. Raises TypeError for anything else, in the words of the function of C++ that PyTorch hands it to."""
    if not isinstance(value, Tensor):
        actual = type_title(value)
        raise errors.ARGUMENT_TYPE(
            function=function, argument=argument, position=position, expected="Tensor", actual=actual
        )
    return value


def numpy_dtype(dtype: Any, function: str = "empty") -> Any:
    """NumPy's form of a dtype. Raises TypeError for anything else, in the words of the function that PyTorch hands it to."""
    if not isinstance(dtype, dtypes.dtype):
        actual = type_title(dtype)
        raise errors.KEYWORD_TYPE(function=function, argument="dtype", expected="torch.dtype", actual=actual)
    return dtype.numpy


def only_tensors(values: Iterable[Any], argument: int = 0) -> list[Any]:
    """The tensors as a list. Raises TypeError, as PyTorch's C++ does, where another object is among them."""
    listed = list(values)
    for index, each in enumerate(listed):
        if not isinstance(each, Tensor):
            raise errors.SEQUENCE_ELEMENT(index=index, argument=argument, actual=type_title(each))
    return listed
