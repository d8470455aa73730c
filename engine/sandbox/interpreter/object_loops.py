"""NumPy's loops over Python's objects, which processes that run programs do without.

An operator of arrays takes whatever stands beside the array: a list with an integer beyond 64 bits, a fraction, ``None``. NumPy
makes objects of all of it and gives an array of them, which no function of the gate sees. Its loops hold the elements by their
addresses alone, and these call the program. So every loop with a result of objects is taken out of the universal functions
themselves: out of the list by which NumPy finds a loop, and out of the tables by which it would add one to the list. It costs
other elements nothing. Loops that compare objects and give truth values stay, for ``a == None``: what they go through is made
of the operands and nobody else has it, for no program has an array of objects (`Tensor.numpy`, `gradflow.engine.sandbox.array_elements`).
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any, Final

import numpy as np

_OBJECT: Final = type(np.dtype(object))
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
    _shorten(inside, [k for k, each in enumerate(ufunc.types) if "O" not in each.partition("->")[2]])
    fresh = np.frompyfunc(lambda *_: None, ufunc.nin, ufunc.nout)  # has never found a loop
    other = _Ufunc.from_address(id(fresh))
    inside.cache, other.cache = other.cache, inside.cache
    _kept.append(fresh)


def _shorten(inside: _Ufunc, rows: list[int]) -> None:
    """Tables of these rows alone."""
    size = ctypes.sizeof(_Pointer)
    inside.functions = _rows(inside.functions, rows, inside.ntypes, size)
    if inside.data:
        inside.data = _rows(inside.data, rows, inside.ntypes, size)
    inside.types = _rows(inside.types, rows, inside.ntypes, inside.nargs)
    inside.ntypes = len(rows)


def _rows(place: int, rows: list[int], count: int, width: int) -> int | None:
    """Where a copy of these rows of a table is."""
    table = ctypes.string_at(place, count * width)
    shorter = b"".join(table[k * width : (k + 1) * width] for k in rows)
    _kept.append(shorter)
    return ctypes.cast(ctypes.c_char_p(shorter), _Pointer).value
