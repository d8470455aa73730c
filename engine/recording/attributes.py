"""What a function was called with besides tensors."""

from __future__ import annotations

from itertools import islice
from typing import Any

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


def plain(given: Any) -> object:
    """A setting as JSON can carry it. Numbers, lists and texts of the program's own classes are taken without asking these."""
    if given is None or isinstance(given, bool):
        return given
    if isinstance(given, int):
        number = int.__int__(given)
        return number if abs(number) < 2**63 else str(number)[:MOST_TEXT]
    if isinstance(given, float):
        return numbers(np.asarray(float.__float__(given)))[0]
    if isinstance(given, np.ndarray):
        return given.tolist() if given.size <= 64 else f"array of shape {list(given.shape)}"
    if isinstance(given, list | tuple):
        elements = list.__iter__(given) if isinstance(given, list) else tuple.__iter__(given)
        return [plain(each) for each in islice(elements, 64)]
    if isinstance(given, str):
        return str.__str__(given)[:MOST_TEXT]
    return type_name(given) if is_program_class(type(given)) else str(given)[:MOST_TEXT]
