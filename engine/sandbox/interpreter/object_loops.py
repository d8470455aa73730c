"""NumPy's loops over Python's objects, which processes that run programs do without.

An operator of arrays takes whatever stands beside the array: a list with an integer beyond 64 bits, a fraction, ``None``. NumPy
makes objects of all of it and gives an array of them, which no function of the gate sees. Its loops hold the elements by their
addresses alone, and these call the program. So every loop with a result of objects is taken out of the universal functions
themselves: out of the list by which NumPy finds a loop, and in the tables by which it adds one to the list another one takes its
place, which ends at the first elements: with Python's own error where it has one, of ``1.5 - None``. It costs other elements
nothing. Loops that compare objects and give truth values stay, for ``a == None``: what they go through is made of the operands
and nobody else has it.
"""

from __future__ import annotations

import ctypes
import operator
import sys
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from gradflow.engine.sandbox.gate import type_name

_OBJECT: Final = type(np.dtype(object))
_PLAIN: Final = frozenset({bool, int, float, complex, str, bytes, type(None)})
_PYTHONS: Final[dict[str, tuple[str, Callable[..., object]]]] = {
    "add": ("+", operator.add),
    "subtract": ("-", operator.sub),
    "multiply": ("*", operator.mul),
    "divide": ("/", operator.truediv),
    "floor_divide": ("//", operator.floordiv),
    "remainder": ("%", operator.mod),
    "divmod": ("divmod()", divmod),
    "power": ("** or pow()", pow),
    "left_shift": ("<<", operator.lshift),
    "right_shift": (">>", operator.rshift),
    "bitwise_and": ("&", operator.and_),
    "bitwise_or": ("|", operator.or_),
    "bitwise_xor": ("^", operator.xor),
    "matmul": ("*", operator.mul),  # it multiplies first
}
"""How Python's errors name an operator, and what ends with them for elements that are no numbers."""
_kept: Final[list[object]] = []
"""What was taken out, and the tables that took the place of NumPy's: it refers to them by their addresses."""
_Pointer = ctypes.c_void_p


class _Ufunc(ctypes.Structure):
    """``PyUFuncObject``, as NumPy's headers have it."""

    _fields_ = (
        ("references", ctypes.c_ssize_t),
        ("kind", _Pointer),
        ("nin", ctypes.c_int),
        ("nout", ctypes.c_int),
        ("nargs", ctypes.c_int),
        ("identity", ctypes.c_int),
        ("functions", _Pointer),
        ("data", _Pointer),
        ("ntypes", ctypes.c_int),
        ("reserved", ctypes.c_int),
        ("name", ctypes.c_char_p),
        ("types", _Pointer),
        ("doc", _Pointer),
        ("ptr", _Pointer),
        ("obj", _Pointer),
        ("userloops", _Pointer),
        ("core_enabled", ctypes.c_int),
        ("core_count", ctypes.c_int),
        ("core_sizes", _Pointer),
        ("core_places", _Pointer),
        ("core_offsets", _Pointer),
        ("signature", _Pointer),
        ("type_resolver", _Pointer),
        ("dict", _Pointer),
        ("vectorcall", _Pointer),
        ("identities", _Pointer),
        ("op_flags", _Pointer),
        ("iter_flags", ctypes.c_uint32),
        ("sizes", _Pointer),
        ("flags", _Pointer),
        ("identity_value", _Pointer),
        ("cache", _Pointer),
        ("loops", _Pointer),
    )


def _inside(ufunc: np.ufunc) -> _Ufunc | None:
    """What a universal function is made of; ``None`` where it is built in another way than here, in another NumPy."""
    if ctypes.sizeof(_Ufunc) > np.ufunc.__basicsize__:
        return None
    inside = _Ufunc.from_address(id(ufunc))
    told = (ufunc.nin, ufunc.nout, ufunc.nargs, ufunc.ntypes)
    return inside if (inside.nin, inside.nout, inside.nargs, inside.ntypes) == told else None


def ufuncs() -> set[np.ufunc]:
    """All of NumPy's own."""
    return {each for each in vars(sys.modules["numpy._core._multiarray_umath"]).values() if isinstance(each, np.ufunc)}


def without_object_loops() -> None:
    """Take the loops that give objects out of all universal functions, for the whole process. A second time nothing happens."""
    if not _kept:
        for ufunc in ufuncs():
            if any("O" in each.partition("->")[2] for each in ufunc.types):
                _take_out(ufunc)


def _take_out(ufunc: np.ufunc) -> None:
    inside = _inside(ufunc)
    if inside is None:
        return
    loops: Any = ctypes.cast(inside.loops, ctypes.py_object).value
    if type(loops) is not list:
        return
    _kept.append(list(loops))
    loops[:] = [each for each in loops if _OBJECT not in each[0][ufunc.nin :]]
    ending = np.frompyfunc(_ending(ufunc), ufunc.nin, ufunc.nout)  # has never found a loop
    other = _Ufunc.from_address(id(ending))
    rows = [k for k, each in enumerate(ufunc.types) if "O" in each.partition("->")[2]]
    inside.functions = _with(inside.functions, rows, inside.ntypes, other.functions)
    inside.data = _with(inside.data, rows, inside.ntypes, other.data)
    inside.cache, other.cache = other.cache, inside.cache
    _kept.append(ending)


def _with(place: int | None, rows: list[int], count: int, other: int) -> int | None:
    """Where a copy of a table of addresses is, whose rows of these numbers have the first address of another table."""
    row = ctypes.sizeof(_Pointer)
    table = bytearray(ctypes.string_at(place, count * row) if place else bytes(count * row))
    for k in rows:
        table[k * row : (k + 1) * row] = ctypes.string_at(other, row)
    changed = bytes(table)
    _kept.append(changed)
    return ctypes.cast(ctypes.c_char_p(changed), _Pointer).value


def _ending(ufunc: np.ufunc) -> Callable[..., object]:
    """What a loop over objects does with its first elements."""
    symbol, python = _PYTHONS.get(ufunc.__name__, (ufunc.__name__, None))

    def end(*elements: object) -> object:
        if python is not None and all(type(each) in _PLAIN for each in elements):
            python(*elements)
        names = " and ".join(repr(type_name(each)) for each in elements)
        raise TypeError(f"unsupported operand type(s) for {symbol}: {names}")

    return end
