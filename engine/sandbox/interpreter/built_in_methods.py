"""Methods of Python's own types that rely on memory which the program can free or choose meanwhile, and others in their place.

``x[::2] = items`` counts the places of a list before it asks for the items, and writes there also when the list has been
emptied since. ``x < y`` of lists compares two items that nobody holds, once with the one and then with the other. The
iterators over ``__getitem__`` and over calls give up what they go by once for each call that finds the end, also where one
call ran within another. ``str()`` of a `UnicodeDecodeError` reads the byte at the place that the program gave, wherever that is. All of
them are reached by statements and by functions of the library, which the gate does not see, so that the types themselves
get other methods, in processes that run programs and nothing else.
"""

from __future__ import annotations

import collections
import ctypes
import gc
import json.encoder
from collections.abc import Callable
from operator import index
from typing import Any, Final

from gradflow.engine.sandbox.interpreter import held_parts
from gradflow.engine.sandbox.interpreter.object_loops import without_object_loops

_IMMUTABLE: Final = 1 << 8
"""Py_TPFLAGS_IMMUTABLETYPE."""
_FLAGS: Final = 21 * ctypes.sizeof(ctypes.c_void_p)
"""Where `tp_flags` is in a type."""
_Error: Final = UnicodeDecodeError


class _Items:
    def __getitem__(self, index: int) -> None:
        raise IndexError


_Iterator: Final[type[Any]] = type(iter(_Items()))
_Caller: Final[type[Any]] = type(iter(int, 1))
_set_item: Final[Callable[[list[Any], Any, Any], None]] = list.__setitem__
_ORDERS: Final = {name: vars(list)[name] for name in ("__lt__", "__le__", "__gt__", "__ge__")}
_asked: Final = set[int]()
"""The addresses of the iterators that are being asked."""


def _words_of_python(step: int) -> str:
    """What this Python says of a number that is written into places of a list."""
    try:
        _set_item([0, 0], slice(0, 2, step), 0)
    except TypeError as error:
        return str(error)
    return ""


_NO_ITEMS: Final = {step: _words_of_python(step) for step in (1, 2)}


def guard_built_in_methods() -> None:
    """Put the methods below in the place of Python's own, for the whole process. A second time nothing happens."""
    if list.__setitem__ is not _set_item:
        return
    without_object_loops()
    _put(list, "__setitem__", _with_items_at_hand)
    for name, compare in _ORDERS.items():
        _put(list, name, _of_copies(compare))
    for iterator in (_Iterator, _Caller):
        _put(iterator, "__next__", _one_at_a_time(iterator.__next__))
    _put(_Error, "__str__", _text_of_error)
    for error in (UnicodeEncodeError, UnicodeDecodeError, UnicodeTranslateError):
        _put(error, "__init__", _with_numbers_at_hand(error.__init__))
    _put(collections.deque, "index", _place_in_copy)
    for cls, name, method in held_parts.methods():
        before = cls.__repr__
        _put(cls, name, method)
        held_parts.keep_printing(cls, before)
    setattr(json.encoder, "c_make_encoder", None)  # noqa: B010  # else type checkers look for it; it lets go of what it still reads; the one in Python takes its place
    setattr(collections, "_count_elements", _count)  # noqa: B010  # else type checkers are confused


def _put(cls: type, name: str, method: Callable[..., Any]) -> None:
    """Set a method of a type that takes none. Where types are built in another way than here, in another Python, they stay as they
    are: the walls of the process hold all the same."""
    flags = ctypes.c_ulong.from_address(id(cls) + _FLAGS)
    if flags.value != cls.__flags__:
        return
    flags.value &= ~_IMMUTABLE
    [table] = gc.get_referents(vars(cls))  # from 3.12 on it is apart from the type, and `setattr` writes beside it
    try:
        table[name] = method
        setattr(cls, name, method)  # so that what C calls is this one, too
    finally:
        flags.value |= _IMMUTABLE


def _with_items_at_hand(self: list[Any], key: Any, value: Any, /) -> None:
    """``list.__setitem__``, which asks nobody for items once it has counted."""
    if type(key) is slice and type(value) not in (list, tuple):
        try:
            items = iter(value)
        except TypeError:
            plain = key.step is None or (type(key.step) is int and key.step == 1)
            raise TypeError(_NO_ITEMS[1 if plain else 2]) from None
        value = list(items)
    _set_item(self, key, value)


def _of_copies(compare: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """A comparison of lists, of copies that keep their items while these are compared."""

    def order(self: list[Any], other: Any, /) -> Any:
        return compare(list.copy(self), list.copy(other) if isinstance(other, list) else other)

    order.__name__ = order.__qualname__ = compare.__name__
    return order


def _one_at_a_time(go_on: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """``next()`` of an iterator that calls the program, not from within that call."""

    def __next__(self: Any, /) -> Any:
        address = id(self)
        if address in _asked:
            raise ValueError("iterator already executing")
        _asked.add(address)
        try:
            return go_on(self)
        finally:
            _asked.discard(address)

    return __next__


def _with_numbers_at_hand(initialize: Callable[..., None]) -> Callable[..., None]:
    """``UnicodeError.__init__``, which runs nothing of the program's once it has taken the first of its arguments."""

    def __init__(self: Any, /, *given: Any, **named: Any) -> None:
        initialize(self, *(index(each) if hasattr(type(each), "__index__") else each for each in given), **named)

    return __init__


def _place_in_copy(self: collections.deque[Any], value: Any, /, *bounds: Any) -> int:
    """``deque.index``, of a copy that keeps its items while these are compared."""
    try:
        return list(self).index(value, *bounds)
    except ValueError:
        raise ValueError(f"{value!r} is not in deque") from None


def _read(name: str) -> Callable[[Any], Any]:
    """How an attribute of Python's own is read, whatever a derived class has under this name."""
    read: Callable[[Any], Any] = vars(_Error)[name].__get__
    return read


_data, _encoding, _reason, _start, _end = (
    _read("object"),
    _read("encoding"),
    _read("reason"),
    _read("start"),
    _read("end"),
)


def _text_of_error(self: UnicodeDecodeError, /) -> str:
    """``str(error)``, in Python's words."""
    data = _data(self)
    if data is None:  # it has never been told what happened
        return ""
    encoding, reason = str(_encoding(self)), str(_reason(self))
    start, end = _start(self), _end(self)
    if 0 <= start < len(data) and end == start + 1:
        return f"'{encoding}' codec can't decode byte 0x{data[start]:02x} in position {start}: {reason}"
    return f"'{encoding}' codec can't decode bytes in position {start}-{end - 1}: {reason}"


def _count(mapping: Any, iterable: Any) -> None:
    """What ``Counter`` counts with: CPython's adds to numbers that it does not hold meanwhile."""
    known = mapping.get
    for each in iterable:
        mapping[each] = known(each, 0) + 1
