"""Where the modules of a run were made, which a model that a function holds is called after; and what the program did with
modules that leaves no other trace: a flag put on one, a state taken of one and given back to it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from types import FrameType
from typing import TYPE_CHECKING, Final

from gradflow.engine.namespace.nn.module import Module
from gradflow.engine.recording import module_paths
from gradflow.engine.tensor import Tensor

if TYPE_CHECKING:
    from gradflow.engine.recording.entries import CodePosition

FLAG: Final = re.compile(r"requires?d?_?grads?")
"""What tensors have, as it is written, and modules have not."""
_MOST: Final = 2000
"""Modules that are noted: a search over thousands of models names the first of them."""
_MOST_TAKEN: Final = 20_000
"""Tensors of states that are noted."""
_OUTWARD: Final = 3
"""Functions that hand on what they made, whose callers are asked for a name."""


class MadeModules:
    """The modules of a run in the order in which they were made. ``filename`` is that of the program's code objects."""

    def __init__(self, filename: str) -> None:
        self._filename = filename
        self._made: list[tuple[Module, list[CodePosition]]] = []
        self.flagged: dict[CodePosition, str] = {}
        """Where the program gave a module an attribute that tensors have, and which."""
        self.given_back: dict[CodePosition, CodePosition] = {}
        """Where a module was given the very tensors that it has, after they were changed, by where these were taken."""
        self._taken: dict[int, tuple[Tensor, CodePosition, int]] = {}

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

    def flag_put(self, name: str, place: Callable[[], CodePosition | None]) -> None:
        """A module got an attribute that is true or false."""
        if FLAG.fullmatch(name) and (here := place()) is not None:
            self.flagged[here] = name

    def state_taken(self, state: Mapping[str, object], place: CodePosition | None) -> None:
        """``state_dict()`` gave these."""
        for tensor in state.values() if place is not None and len(self._taken) < _MOST_TAKEN else ():
            if isinstance(tensor, Tensor):
                self._taken[id(tensor)] = tensor, place, tensor._st.version  # type: ignore[assignment]  # it is not None

    def state_given_back(self, tensor: Tensor, place: CodePosition | None) -> None:
        """A parameter is given a tensor in its own memory."""
        if place is not None and (known := self._taken.get(id(tensor))) is not None and known[2] != tensor._st.version:
            self.given_back.setdefault(known[1], place)

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
