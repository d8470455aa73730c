"""What is imported within a run is a fault of ours: nothing can be opened there, so everything must have been loaded."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from types import FrameType
from typing import Final

_IMPORTING: Final = ("<frozen importlib", "importlib/__init__.py")
NAMED_BY_PROGRAMS: Final = "encodings."
"""A program names a codec, and Python looks for a module of that name. All that there are have been loaded."""


class ClosedImports(MetaPathFinder):
    """Stands in for all finders of modules in the process of a run: finds none, and notes what was asked for.

    To who asks the module is missing, as on a machine that does not have it, so that what a library does without an
    optional module it does here. Whether somebody swallows the exception does not matter: the run counts as failed.
    """

    def __init__(self) -> None:
        self.missed: list[str] = []

    def close(self) -> None:
        """From now on, for good."""
        sys.meta_path[:] = [self]

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: object = None) -> None:
        """None: there is no such module."""
        if not fullname.startswith(NAMED_BY_PROGRAMS):
            self.missed.append(f"{fullname!r} was to be imported by {caller(sys._getframe(1))}")


def caller(frame: FrameType | None) -> str:
    """The innermost place outside of the machinery of imports."""
    while frame is not None and any(part in frame.f_code.co_filename for part in _IMPORTING):
        frame = frame.f_back
    return "nobody" if frame is None else f"{frame.f_globals.get('__name__')}, line {frame.f_lineno}"
