"""Where the modules of a run were made: a model that a function holds is called as that function calls it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import FrameType
from typing import TYPE_CHECKING, Final

from gradflow.engine.namespace.nn.module import Module
from gradflow.engine.recording import module_paths

if TYPE_CHECKING:
    from gradflow.engine.recording.entries import CodePosition

_MOST: Final = 2000
"""Modules that are noted: a search over thousands of models names the first of them."""
_OUTWARD: Final = 3
"""Functions that hand on what they made, whose callers are asked for a name."""


class MadeModules:
    """The modules of a run in the order in which they were made. ``filename`` is that of the program's code objects."""

    def __init__(self, filename: str) -> None:
        self._filename = filename
        self._made: list[tuple[Module, list[CodePosition]]] = []

    def add(self, module: Module, frame: FrameType | None) -> None:
        """``module`` was made in ``frame``, or in one that it was called from."""
        if len(self._made) >= _MOST:
            return
        positions: list[CodePosition] = []
        while frame is not None and len(positions) < _OUTWARD:
            if frame.f_code.co_filename == self._filename and not _makes(frame, module):
                positions.append((frame.f_code, frame.f_lasti))
            frame = frame.f_back
        self._made.append((module, positions))

    def copied(self, value: object, frame: FrameType | None) -> None:
        """`add`, of a copy, which may be a module."""
        if isinstance(value, Module):
            self.add(value, frame)

    def named(self, name_at: Callable[[list[CodePosition]], str]) -> Iterator[tuple[str, Module]]:
        """Those that are in no other module, with the names that ``name_at`` finds where they were made; "" for none."""
        inner = {id(child) for module, _ in self._made for child in module_paths.children(module)}
        for module, positions in self._made:
            if id(module) not in inner and (name := name_at(positions)):
                yield name, module


def _makes(frame: FrameType, module: Module) -> bool:
    """Whether a frame is the module's own constructor: the name is given where that was called."""
    code = frame.f_code
    if code.co_name != "__init__" or not code.co_argcount:
        return False
    return frame.f_locals.get(code.co_varnames[0]) is module
