"""What a function was called with besides tensors."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from functools import partial
from itertools import islice
from types import FunctionType, MethodType
from typing import Any, Final

import numpy as np

from gradflow.engine.recording.entries import NodeEntry, TensorEntry
from gradflow.engine.recording.values import MOST_TEXT, numbers
from gradflow.engine.sandbox.gate import is_program_class, type_name


def attributes(entry: NodeEntry) -> dict[str, object]:
    """The settings, and the operands that are plain numbers."""
    assert entry.op is not None
    settings = [p.name for p in entry.op.params if p.kind == "setting"]
    found = dict(zip(settings, map(plain, entry.settings), strict=False))
    for p, operand in zip(entry.op.tensors, entry.operands, strict=False):
        if not isinstance(operand, TensorEntry) and operand is not None:
            found[p.name] = plain(operand)
    return {name: given for name, given in found.items() if given is not None}


def exact(given: Any) -> Any:
    """A number or text of a class of the program's as Python's own, by Python's own methods; the type of any other object of one."""
    if given is None or given.__class__ in _EXACT:
        return given
    if isinstance(given, int):
        return int.__int__(given)
    if isinstance(given, float):
        return float.__float__(given)
    if isinstance(given, str):
        return str.__str__(given)
    return type(given) if is_program_class(type(given)) else given


_EXACT: Final = frozenset({bool, int, float, str})


def plain(given: Any) -> object:
    """A setting as JSON can carry it. Objects of the program are not asked: they could do anything, and the run is over."""
    asked, given = given, exact(given)
    if given is type(asked) and not isinstance(asked, type):
        return type_name(asked)
    if given is None or isinstance(given, bool):
        return given
    if isinstance(given, int):
        return given if abs(given) < 2**63 else str(given)[:MOST_TEXT]
    if isinstance(given, float):
        return numbers(np.asarray(given))[0]
    if isinstance(given, str):
        return given[:MOST_TEXT]
    if isinstance(given, np.ndarray):
        return given.tolist() if given.size <= 64 else f"array of shape {list(given.shape)}"
    if isinstance(given, list | tuple):
        elements = list.__iter__(given) if isinstance(given, list) else tuple.__iter__(given)
        return [plain(each) for each in islice(elements, 64)]
    if type(given) is slice:
        return f"slice({', '.join(str(plain(each)) for each in (given.start, given.stop, given.step))})"
    if isinstance(given, type) or type(given) in _HOLDING:
        return type_name(given)
    return str(given)[:MOST_TEXT]


_HOLDING: Final = frozenset({dict, set, frozenset, deque, OrderedDict, defaultdict, partial, MethodType, FunctionType})
"""Python's own types whose text asks what they hold."""
