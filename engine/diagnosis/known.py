"""What is known of a value without computing it: attributes, elements, lengths, and sums of plain numbers."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Final

from gradflow.engine.diagnosis.context import UNKNOWN
from gradflow.engine.sandbox.stand_ins import Module
from gradflow.engine.tensor import Tensor


def known_attribute(owner: object, name: str, otherwise: object) -> object:
    """An attribute of a module or a tensor; of anything else only what stands in its own dictionary."""
    if isinstance(owner, Tensor):
        return getattr(owner, name, UNKNOWN) if name in _TENSOR_ATTRIBUTES else UNKNOWN
    if isinstance(owner, Module):
        return getattr(owner, name, UNKNOWN)
    held = getattr(owner, "__dict__", None)
    if not isinstance(held, Mapping):
        return otherwise
    for part in (held, held.get("_parameters"), held.get("_modules"), held.get("_buffers")):
        if isinstance(part, Mapping) and name in part:
            found: object = part[name]
            return found
    return otherwise


_SIZED: Final = (list, tuple, dict, str, set)


_LARGEST: Final = 10**12


def computed(op: ast.operator, left: object, right: object) -> object:
    """What an operator gives for two plain numbers of moderate size."""
    if type(left) not in (int, float) or type(right) not in (int, float):
        return UNKNOWN
    a, b = left, right
    if not isinstance(a, int | float) or not isinstance(b, int | float) or max(abs(a), abs(b)) > _LARGEST:
        return UNKNOWN
    match op:
        case ast.Add():
            return a + b
        case ast.Sub():
            return a - b
        case ast.Mult():
            return a * b
        case ast.Div() if b:
            return a / b
        case ast.FloorDiv() if b:
            return a // b
        case ast.Mod() if b:
            return a % b
        case ast.Pow() if 0 <= b <= 64 and abs(a) <= 1000:
            return a**b
    return UNKNOWN


def known_element(owner: object, key: object, otherwise: object) -> object:
    """An element of a dictionary or a list."""
    if type(owner) is dict and isinstance(key, str | int | float):
        return owner.get(key, otherwise)
    if type(owner) in (list, tuple) and isinstance(key, int):
        held: Sequence[object] = owner  # type: ignore[assignment]  # it is one of the two
        return held[key] if -len(held) <= key < len(held) else otherwise
    return otherwise


_TENSOR_ATTRIBUTES: Final = frozenset({"shape", "dtype", "grad", "data", "T", "mT", "ndim", "requires_grad", "is_leaf"})


def length(value: object) -> object:
    """How many elements a plain list, text or the like has."""
    return len(value) if isinstance(value, list | tuple | dict | str | set) and type(value) in _SIZED else UNKNOWN
