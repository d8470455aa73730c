"""The check of arguments behind a function that PyTorch has written in Python.

Such a function takes what it is given and hands it on, by position, to one of C++, which checks it. Python's own check
comes first: of the names and the number of the arguments, in Python's words, by our function of the same signature.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from gradflow.engine.dispatch.signatures import overloads
from gradflow.engine.namespace.checked_calls import understood
from gradflow.engine.namespace.overriding import asked_kinds, by_program, overridden
from gradflow.engine.sandbox.gate import is_program_class
from gradflow.engine.state import STATE

_ACCEPTED: set[tuple[object, ...]] = set()


def given(name: str, *args: Any) -> Any:
    """The arguments as the function of C++ takes them. Raises TypeError in PyTorch's words.

    name: ``relu`` for ``torch.relu``, ``nn.elu`` for one behind ``torch.nn.functional``.
    """
    types = (name, *map(type, args))
    if types in _ACCEPTED:
        return args
    values, _ = overloads()[name].parse(args, {})
    whole = all(new is old and not isinstance(old, tuple | list) for new, old in zip(values, args, strict=True))
    if whole and not any(is_program_class(type(each)) for each in args):  # which would be kept beyond its run
        _ACCEPTED.add(types)
    return values


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
