"""Operators and functions of single objects (``np.float32(2) * value``, ``np.abs(-2**100)``): as Python computes them.

A process that runs programs has no loops of NumPy's over objects (`interpreter/object_loops.py`).
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from gradflow.engine.sandbox import integer_limits
from gradflow.engine.sandbox.gate import read_attribute, type_name

_OPERATORS: Final[dict[str, Callable[..., Any]]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "floor_divide": operator.floordiv,
    "remainder": operator.mod,
    "divmod": divmod,
    "power": integer_limits.OPERATORS["pow"],
    "matmul": operator.matmul,
    "left_shift": integer_limits.OPERATORS["lshift"],
    "right_shift": operator.rshift,
    "bitwise_and": operator.and_,
    "bitwise_or": operator.or_,
    "bitwise_xor": operator.xor,
    "negative": operator.neg,
    "positive": operator.pos,
    "absolute": abs,
    "invert": operator.invert,
    "maximum": lambda a, b: a if a >= b else b,
    "minimum": lambda a, b: a if a <= b else b,
    "sign": lambda a: (a > 0) - (a < 0),
    "square": lambda a: a * a,
    "floor": math.floor,
    "ceil": math.ceil,
    "trunc": math.trunc,
    "gcd": math.gcd,
    "lcm": math.lcm,
}


def of_objects(ufunc: np.ufunc, operands: list[Any]) -> bool:
    """Whether NumPy would go through objects, and give objects."""
    objects = any(isinstance(each, np.ndarray) and each.dtype.hasobject for each in operands)
    return objects and not any(each.startswith("O") and each.endswith("?") for each in ufunc.types)


def are_single(operands: list[Any]) -> bool:
    """Whether no operand is more than one element."""
    return all(np.ndim(each) == 0 for each in operands)


def computed(ufunc: np.ufunc, operands: list[Any]) -> Any:
    """What Python's operator gives for single elements; of a function, what the method of its name gives."""
    name = ufunc.__name__
    items = [each.item() if isinstance(each, np.ndarray | np.generic) else each for each in operands]
    if name in _OPERATORS:
        return _OPERATORS[name](*items)
    try:
        method = read_attribute(items[0], name)
    except AttributeError:
        method = None
    if len(items) != 1 or not callable(method):
        raise TypeError(
            f"loop of ufunc does not support argument 0 of type {type_name(items[0])} which has no callable {name} method"
        )
    return method()


def in_place_of_loop(ufunc: np.ufunc, operands: list[Any]) -> Any:
    """What NumPy's loop over objects would give for single elements, and Python's own error where it would end with one.

    Gives ``NotImplemented`` for operands that are no objects to NumPy, and an array of objects where it would give one: of nothing.
    """
    try:
        arrays = [np.asarray(each) for each in operands]
    except TypeError:  # an object of the program that is no array
        return NotImplemented
    if not of_objects(ufunc, arrays):
        return NotImplemented
    if are_single(arrays):
        return computed(ufunc, arrays)
    if all(each.size for each in arrays):
        computed(ufunc, [each.flat[0] for each in arrays])
    return np.empty(0, object)
