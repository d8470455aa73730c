"""The check of arguments behind a function that PyTorch has written in Python.

Such a function takes what it is given and hands it on, by position, to one of C++, which checks it. Python's own check
comes first: of the names and the number of the arguments, in Python's words, by our function of the same signature.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

from gradflow.engine import errors
from gradflow.engine.dispatch.argument_messages import type_title
from gradflow.engine.dispatch.signatures import overloads
from gradflow.engine.namespace.checked_calls import understood
from gradflow.engine.namespace.overriding import asked_kinds, by_program, overridden
from gradflow.engine.state import STATE
from gradflow.engine.tensor import Tensor, dtypes

_ACCEPTED: set[tuple[object, ...]] = set()


def given(name: str, *args: Any) -> Any:
    """The arguments as the function of C++ takes them. Raises TypeError in PyTorch's words.

    name: ``relu`` for ``torch.relu``, ``nn.elu`` for one behind ``torch.nn.functional``.
    """
    types = (name, *map(type, args))
    if types in _ACCEPTED:
        return args
    values, _ = overloads()[name].parse(args, {})
    if all(new is old and not isinstance(old, tuple | list) for new, old in zip(values, args, strict=True)):
        _ACCEPTED.add(types)
    return values


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


def written_in_python(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, whose errors are PyTorch's, Python's about the call itself, or tell that something is not supported."""

    behind = hasattr(function, "policy")  # under autocast, the function is one call further

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if STATE.overriding and by_program() and (STATE.function_modes or asked_kinds(args, kwargs)):
            return overridden(call, args, kwargs, f"torch.nn.functional.{name}")
        try:
            return function(*args, **kwargs)
        except Exception as error:
            traceback = error.__traceback__
            if behind and traceback is not None:
                traceback = traceback.tb_next
            if isinstance(error, TypeError) and traceback is not None and traceback.tb_next is None:
                raise error.with_traceback(None) from None
            if _of_program(error):
                raise
            raise understood(error, name, args, kwargs) from None

    return call


def _of_program(error: Exception) -> bool:
    """Whether the error comes from a function that the program has handed over, such as a distance."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    return (
        traceback is not None
        and "/gradflow/engine/" not in traceback.tb_frame.f_code.co_filename.replace("\\", "/")
        and (traceback.tb_frame.f_globals.get("__name__", "").split(".")[0] not in ("numpy", "gradflow"))
    )
