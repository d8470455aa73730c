"""``importlib``, ``timeit`` and ``traceback``: what an import statement, a call or ``except ... as`` would do as well."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, Final

from gradflow.engine import errors
from gradflow.engine.sandbox.gate import exact_name, type_name
from gradflow.engine.sandbox.library.plain_modules import SimpleNamespace
from gradflow.engine.sandbox.policy import IMPORT
from gradflow.engine.sandbox.stand_ins import Module

_TIMES: Final = 1_000_000


def _import(namespace: dict[str, Any]) -> Callable[[str, bool], Any]:
    """What the import statements of the program call."""
    found: Callable[[str, bool], Any] = namespace["__builtins__"][IMPORT]
    return found


def _import_module(namespace: dict[str, Any]) -> Callable[..., Any]:
    def import_module(name: Any, package: Any = None) -> Any:
        """The module that ``import name`` would bind. Raises as that statement."""
        path = exact_name(name)
        if path.startswith("."):
            raise errors.CALL_REFUSED(name="a relative import")
        return _import(namespace)(path, True)

    return import_module


def _find_spec(namespace: dict[str, Any]) -> Callable[..., Any]:
    def find_spec(name: Any, package: Any = None) -> Any:
        """Something that has the module's name, or None where there is no such module."""
        try:
            _import(namespace)(exact_name(name), True)
        except ImportError:
            return None
        return SimpleNamespace(name=name)

    return find_spec


def _seconds(
    stmt: Any = None, setup: Any = None, timer: Any = None, number: Any = _TIMES, globals: Any = None
) -> float:
    """The time of ``number`` calls of a function."""
    if any(isinstance(each, str) and each != "pass" for each in (stmt, setup)):
        raise errors.CALL_REFUSED(name="timeit of a statement that is a text; give it a function, `lambda: ...`")
    begin = time.perf_counter()
    for each, times in ((setup, 1), (stmt, number)):
        for _ in range(times if callable(each) else 0):
            each()
    return time.perf_counter() - begin


def _repeated(
    stmt: Any = None, setup: Any = None, timer: Any = None, repeat: int = 5, number: Any = _TIMES
) -> list[float]:
    return [_seconds(stmt, setup, timer, number) for _ in range(repeat)]


def _last_line(error: BaseException | None) -> str:
    if error is None:
        return "NoneType: None\n"
    cls, text = type(error), str(error)
    name = cls.__qualname__ if cls.__module__ in ("builtins", "__main__") else f"{cls.__module__}.{cls.__qualname__}"
    return f"{name}: {text}\n" if text else f"{name}\n"


def _format_exc(limit: Any = None, chain: bool = True) -> str:
    """The error that is being handled, without the frames that it went through."""
    error = sys.exc_info()[1]
    return _last_line(error) if error is None else f"Traceback (most recent call last):\n{_last_line(error)}"


def _given_error(given: Any, value: Any) -> BaseException | None:
    """The error among the arguments of ``format_exception``: alone, or after its class."""
    found = given if value is None else value
    if found is not None and not isinstance(found, BaseException):
        raise TypeError(f"Exception expected for value, {type_name(found)} found")
    return found


def _format_exception(
    exc: Any, /, value: Any = None, tb: Any = None, limit: Any = None, chain: bool = True
) -> list[str]:
    error = _given_error(exc, value)
    return [_last_line(error)] if error is None else ["Traceback (most recent call last):\n", _last_line(error)]


def _format_exception_only(exc: Any, /, value: Any = None) -> list[str]:
    return [_last_line(_given_error(exc, value))]


def _to_the_error_stream(*given: object, **named: object) -> None:
    """Nothing: what goes to the error stream is not shown."""


_PRINTING: Final = ("print_exc", "print_exception", "print_last", "print_stack", "print_tb")


def members(namespace: dict[str, Any]) -> dict[str, dict[str, object]]:
    """The modules by name, for a program with these global names."""
    util: dict[str, object] = {"find_spec": _find_spec(namespace)}
    return {
        "importlib": {
            "import_module": _import_module(namespace),
            "invalidate_caches": lambda: None,
            "util": Module("importlib.util", util),
        },
        "importlib.util": util,
        "traceback": {
            **dict.fromkeys(_PRINTING, _to_the_error_stream),
            "format_exc": _format_exc,
            "format_exception": _format_exception,
            "format_exception_only": _format_exception_only,
        },
        "timeit": {"timeit": _seconds, "repeat": _repeated, "default_timer": time.perf_counter},
    }
