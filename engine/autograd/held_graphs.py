"""Whether a program still holds a graph. The record of a run holds every graph, so counting references does not tell."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from types import BuiltinFunctionType, CellType, CodeType, FrameType, FunctionType, MethodType, ModuleType
from typing import Any, Final

from gradflow.engine.autograd.node import AccumulateGrad, Node
from gradflow.engine.state import STATE
from gradflow.engine.tensor import Tensor
from gradflow.engine.tensor.storage import OF_ANOTHER_SHAPE

_MOST: Final = 200_000
"""Objects that are looked at before a graph counts as held."""
_MOST_TRIES: Final = 30
"""How often a graph is looked for before it counts as held for good."""
_OF_THE_RUN: Final = frozenset({"_entry", "_accumulator", "_st"})
_CONTAINERS: Final[tuple[Any, ...]] = (list, tuple, set, frozenset, deque)
_PASSED_BY: Final = (ModuleType, CodeType, FrameType, BuiltinFunctionType, str, bytes, int, float, complex)


def while_held(leaf: Tensor) -> Callable[[], AccumulateGrad | None] | None:
    """What stands for the reference to a leaf's accumulator once the leaf has another shape.

    The accumulator, and the shape that it expects, stays as long as the program holds a graph that leads to it; after
    that the leaf gets a new one, as in PyTorch.
    """
    known, tries = leaf._accumulator, count()

    def looked_up() -> AccumulateGrad | None:
        node = known() if known is not None else None
        if node is None or not _is_held(node):
            return None
        if next(tries) > _MOST_TRIES:
            leaf._accumulator = known
        return node

    return looked_up if known is not None else None


def _is_held(wanted: object) -> bool:
    """Whether something that the program can name, in any function that is running, leads to a node."""
    if STATE.recorder is None:
        return True
    waiting: list[object] = list(_names_of(STATE.recorder.places.filename))
    seen = set(map(id, waiting))
    for held in waiting:
        if held is wanted or len(seen) > _MOST:
            return True
        for one in _behind(held):
            if id(one) not in seen and not isinstance(one, _PASSED_BY):
                seen.add(id(one))
                waiting.append(one)
    return False


def _names_of(filename: str) -> Iterator[object]:
    """What the frames of a program name."""
    frame = sys._getframe()
    while frame.f_back is not None:
        frame = frame.f_back
        if frame.f_code.co_filename == filename:
            names = frame.f_globals | frame.f_locals
            names.pop("__builtins__", None)
            yield from names.values()


def _behind(held: Any) -> list[Any]:
    """What an object leads to, without the engine's own tables and the record of the run."""
    if isinstance(held, FunctionType):
        return [*map(_content, held.__closure__ or ()), *(held.__defaults__ or ())]
    if isinstance(held, Node):
        return [edge[0] for edge in held.next_edges if edge is not None]
    if isinstance(held, Tensor):
        return [value for name, value in vars(held).items() if name not in _OF_THE_RUN]
    if isinstance(held, type):
        return list(vars(held).values()) if held.__module__ == "__main__" else []
    if isinstance(held, dict):
        return [*dict.keys(held), *dict.values(held)]
    if isinstance(held, _CONTAINERS):
        kind = next(each for each in _CONTAINERS if isinstance(held, each))
        return list(kind.__iter__(held))  # and not what a class of the program gives in their place
    if isinstance(held, MethodType):
        return [held.__self__]
    if isinstance(held, partial):
        return [held.func, held.args, held.keywords]
    return list(getattr(held, "__dict__", {}).values())


def _content(cell: CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # of a name without a value
        return None


OF_ANOTHER_SHAPE.append(while_held)
