"""Packages that are not here: a file that only imports one runs, and what it uses of it is refused where it is used.

Files of repositories import at their top what another part of them needs. Nothing of such a package is here but its name.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, Final

from gradflow.engine.errors.language.known_modules import KNOWN
from gradflow.engine.sandbox.gate import PROGRAM_FILE, allow, is_public
from gradflow.engine.sandbox.special_names import is_special

_OF_PYTHON: Final = frozenset({"pdb", "cProfile", "profile", "pstats", "tracemalloc", "atexit"})
"""Modules of Python's own whose import alone asks for nothing."""


class PackagePart:
    """Something of a package of which everything can be named: `_part` makes what stands under a name."""

    def __init__(self, title: str) -> None:
        self._title = title

    def __getattr__(self, name: str) -> Any:
        if is_special(name) or name.startswith("_"):
            raise AttributeError(f"'{self._title}' has no attribute '{name}'")
        return self._part(f"{self._title}.{name}")

    def _part(self, title: str) -> PackagePart:
        return type(self)(title)


class TypelessPart(PackagePart):
    """Something of a package of whose types nothing is that a program has."""

    def __instancecheck__(self, instance: object) -> bool:
        return False

    def __subclasscheck__(self, subclass: object) -> bool:
        return False


class Absent(TypelessPart):
    """Something of a package that is not here. ``refusal`` makes the error of whoever uses it."""

    def __init__(self, title: str, refusal: Callable[[], Exception]) -> None:
        super().__init__(title)
        self._refusal = refusal

    def _part(self, title: str) -> PackagePart:
        return Absent(title, self._refusal)

    def __call__(self, *given: Any, **named: Any) -> Any:
        raise self._refusal()

    def __iter__(self) -> Iterator[Any]:
        raise self._refusal()

    def __getitem__(self, key: Any) -> Any:
        return self  # a generic type in an annotation

    def __or__(self, other: Any) -> Any:
        return self  # one type or another, in an annotation

    __ror__ = __or__

    def __repr__(self) -> str:
        return f"<{self._title}, not available>"


def stands_in(name: str) -> bool:
    """Whether a module, which is not here, can be imported all the same. Where the program waits for an error, it gets it."""
    package = name.partition(".")[0]
    if package not in KNOWN or (package in sys.stdlib_module_names and package not in _OF_PYTHON):
        return False
    return not _is_tried(sys._getframe(1))


def _is_tried(frame: FrameType | None) -> bool:
    """Whether the program is inside a ``try`` or ``with``, in whatever of its functions."""
    while frame is not None:
        code = frame.f_code
        if code.co_filename == PROGRAM_FILE:
            for entry in dis.Bytecode(code).exception_entries:  # type: ignore[attr-defined]  # typeshed does not have it
                if entry.start <= frame.f_lasti < entry.end:
                    return True
        frame = frame.f_back
    return False


def _register() -> None:
    allow(Absent, readable=lambda _, name: is_public(name))


_register()
