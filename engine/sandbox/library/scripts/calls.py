"""``importlib``, ``timeit`` and ``traceback``: what an import statement, a call or ``except ... as`` would do as well."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from gradflow.engine import errors
from gradflow.engine.sandbox.gate import allow, exact_name, read_attribute, type_name
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


def _timing(namespace: dict[str, Any]) -> dict[str, Callable[..., Any]]:
    """``timeit`` and ``repeat``, of functions, and of texts that run over names of their own."""

    def carry_out(given: Any, times: int, names: Any) -> None:
        if isinstance(given, str) and given != "pass":
            for _ in range(times):
                namespace["__builtins__"]["exec"](given, names)
        elif callable(given):
            for _ in range(times):
                given()

    def timeit(
        stmt: Any = None, setup: Any = None, timer: Any = None, number: Any = _TIMES, globals: Any = None
    ) -> float:
        """The time of ``number`` calls of a function, or turns of a text."""
        names: Any = {} if globals is None else globals
        begin = time.perf_counter()
        carry_out(setup, 1, names)
        carry_out(stmt, int(number), names)
        return time.perf_counter() - begin

    def repeat(
        stmt: Any = None,
        setup: Any = None,
        timer: Any = None,
        repeat: int = 5,
        number: Any = _TIMES,
        globals: Any = None,
    ) -> list[float]:
        """Several of these times."""
        return [timeit(stmt, setup, timer, number, globals) for _ in range(repeat)]

    return {"timeit": timeit, "repeat": repeat, "Timer": partial(Timer, timeit)}


class Timer:
    """The times of a function or a text, which ``timing`` measures."""

    def __init__(
        self,
        timing: Callable[..., float],
        stmt: Any = "pass",
        setup: Any = "pass",
        timer: Any = None,
        globals: Any = None,
    ) -> None:
        self._timing, self._given, self._names = timing, (stmt, setup, timer), globals

    def timeit(self, number: int = _TIMES) -> float:
        """The time of ``number`` of them."""
        return self._timing(*self._given, number, self._names)

    def repeat(self, repeat: int = 5, number: int = _TIMES) -> list[float]:
        """Several of these times."""
        return [self.timeit(number) for _ in range(repeat)]

    def autorange(self, callback: Any = None) -> tuple[int, float]:
        """How often it was run, and the time of that."""
        return 1, self.timeit(1)


allow(Timer, ("autorange", "repeat", "timeit"))


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


def _printed(lines: list[str], file: Any) -> None:
    """Onto a stream of the program's; what goes to the error stream is not shown."""
    if file is not None:
        read_attribute(file, "write")("".join(lines))


def _print_exc(limit: Any = None, file: Any = None, chain: bool = True) -> None:
    _printed([_format_exc()], file)


def _print_exception(
    exc: Any, /, value: Any = None, tb: Any = None, limit: Any = None, file: Any = None, chain: bool = True
) -> None:
    _printed(_format_exception(exc, value), file)


def _print_frames(*given: object, **named: object) -> None:
    """Nothing: frames are not shown."""


_OF_FRAMES: Final = ("print_last", "print_stack", "print_tb")


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
            **dict.fromkeys(_OF_FRAMES, _print_frames),
            "print_exc": _print_exc,
            "print_exception": _print_exception,
            "format_exc": _format_exc,
            "format_exception": _format_exception,
            "format_exception_only": _format_exception_only,
        },
        "timeit": {**_timing(namespace), "default_timer": time.perf_counter},
    }
