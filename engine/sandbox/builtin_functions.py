"""The builtins of a program: Python's own where they are harmless, guarded ones in place of the others."""

from __future__ import annotations
import __future__

import builtins
from collections.abc import Callable
from typing import Final, NoReturn

from gradflow.engine import errors
from gradflow.engine.sandbox import gate, integer_limits, program_classes
from gradflow.engine.sandbox.classes.class_statements import build_class
from gradflow.engine.sandbox.gate import exact_name, read_attribute
from gradflow.engine.sandbox.library import sys_os_time
from gradflow.engine.sandbox.library.files.opened import opened

_PLAIN = (
    "None False True Ellipsis NotImplemented abs all any ascii bin bool bytes callable chr classmethod complex"
    " dict divmod enumerate filter float frozenset hash hex id int isinstance issubclass iter len list map max min"
    " next object oct ord property range repr reversed round set slice sorted staticmethod str sum super tuple zip"
    " format"
)

_REFUSED = "breakpoint bytearray help input memoryview"

_UNSEEN = frozenset({"ExceptionGroup", "BaseExceptionGroup"})

_NOTHING = object()


_EXCEPTIONS: Final[dict[str, object]] = {
    name: value
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException) and name not in _UNSEEN
}
_UNGUARDED: Final[dict[str, object]] = {name: getattr(builtins, name) for name in _PLAIN.split()}


def read_named(value: object, name: str, default: object = _NOTHING, /) -> object:
    try:
        return gate.read_value(value, exact_name(name))
    except AttributeError:
        if default is _NOTHING:
            raise
        return default


read_named.__name__ = read_named.__qualname__ = "getattr"


def _hasattr(value: object, name: str, /) -> bool:
    try:
        read_attribute(value, exact_name(name))
    except AttributeError:
        return False
    return True


def _power(base: object, exponent: object, modulus: object = None) -> object:
    return integer_limits.power(base, exponent) if modulus is None else pow(base, exponent, modulus)  # type: ignore[call-overload]  # any operands


def shown(value: object) -> dict[str, object]:
    """``vars`` of an object."""
    return value.table() if isinstance(value, gate.Module) else program_classes.attributes(value)


def _refused(name: str) -> Callable[..., NoReturn]:
    def refuse(*arguments: object, **keywords: object) -> NoReturn:
        raise errors.CALL_REFUSED(name=f"{name}()")

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


def _plain(name: str, given: object, default: str) -> str:
    """A separator of ``print`` as an exact string: the methods of a subclass are the program's."""
    if given is None:
        return default
    if isinstance(given, str):
        return str.__str__(given)
    raise TypeError(f"{name} must be None or a string, not {type(given).__name__}")


def printer(write: Callable[[str], None]) -> Callable[..., None]:
    """``print`` onto a stream of ours, or onto a ``file`` that has ``write``; ``flush`` has no effect."""

    waiting: list[tuple[list[str], Callable[[str], None]]] = []

    def print(
        *values: object, sep: str | None = " ", end: str | None = "\n", file: object = None, flush: object = False
    ) -> None:
        own_write = write if file is None else read_attribute(file, "write")
        between, last = _plain("sep", sep, " "), _plain("end", end, "\n")
        for begun, write_begun in waiting:  # a value prints while it is made into text
            _flush(begun, write_begun)
        pieces: list[str] = []
        waiting.append((pieces, own_write))
        try:
            for i, value in enumerate(values):
                if i:
                    pieces.append(between)
                pieces.append(str(value))
            pieces.append(last)
        finally:
            waiting.pop()
            _flush(pieces, own_write)

    print.__qualname__ = "print"
    return print


def _flush(pieces: list[str], write: Callable[[str], None]) -> None:
    text = "".join(pieces)
    pieces.clear()
    if text:
        write(text)


def _import_future(name: str, *arguments: object) -> gate.Module:
    """What is left of ``from __future__ import ...`` at run time: the policy has let through nothing else."""
    return gate.Module(name, dict.fromkeys(__future__.all_feature_names, True))


def safe_builtins(write: Callable[[str], None]) -> dict[str, object]:
    """A fresh ``__builtins__`` that prints by ``write``."""
    return {
        **_UNGUARDED,
        **_EXCEPTIONS,
        **{name: _refused(name) for name in _REFUSED.split()},
        "__build_class__": build_class,
        "getattr": read_named,
        "hasattr": _hasattr,
        "setattr": gate.write_attribute,
        "delattr": gate.delete_attribute,
        "pow": _power,
        "open": opened,
        "print": printer(write),
        "type": gate.Type,
        "dir": program_classes.names_of,
        "vars": shown,
        "exit": sys_os_time.leave,
        "quit": sys_os_time.leave,
        "__import__": _import_future,
    }
