"""Objects that NumPy must not take apart, and lists that nobody may change while it does.

NumPy walks through nested lists by their addresses. Meanwhile it asks what is in them for a length, for items, for a
number or for a text. If that is the program's code, it can empty the list, and NumPy reads memory that is no more. So no
object whose methods are the program's is taken apart, and the lists that functions get are copies.
"""

from __future__ import annotations

from typing import Any, Final, NoReturn

from gradflow.engine import errors
from gradflow.engine.sandbox.classes.raw_content import has, put

_ARRAY: Final = "__array__"
MEMORY: Final = ("__array_interface__", "__array_struct__")
"""Where NumPy asks an object for the address of its memory."""
_IMMUTABLE: Final = 1 << 8
"""Py_TPFLAGS_IMMUTABLETYPE: of the types of Python's own, which more of its versions have in the heap."""
HEAP: Final = 1 << 9
"""Set in ``__flags__`` of classes that can be changed."""
_DEPTH: Final = 64
"""More dimensions than that has no array."""
_BUILT_IN: Final = (int, float, complex, str, bytes, list, tuple, dict, set, frozenset)
_ASKED: Final = frozenset(
    f"__{name}__" for name in ["len", "getitem", "iter", "float", "int", "index", "complex", "bool", "contains"]
)
"""What NumPy may call of an object that is a number, a text or a sequence of Python's own."""
_TEXTS: Final = frozenset(f"__{name}__" for name in ["str", "repr", "format", "bytes", "trunc"])
"""What it may call of an object without an order of items, where an array of texts is to be made."""


class _NoArray:
    """The answer of an object that NumPy asks for an array. Not a function: NumPy passes over the methods of classes."""

    __slots__ = ()

    def __call__(self, *given: Any, **settings: Any) -> NoReturn:
        raise errors.ARRAY_ELEMENTS(dtype="object")


NO_ARRAY: Final = _NoArray()


class _NoMemory:
    """What stands where NumPy asks an object for the address of its memory: it has none, whatever its dictionary says."""

    __slots__ = ()

    def __get__(self, held: object, owner: type | None = None) -> NoReturn:
        raise errors.NO_ATTRIBUTE(type=(owner or type(held)).__name__, name=MEMORY[0])

    def __set__(self, held: object, value: object) -> NoReturn:
        raise errors.READ_ONLY(type=type(held).__name__, name=MEMORY[0])


NO_MEMORY: Final = _NoMemory()


def have_no_memory(cls: type) -> None:
    """Have NumPy find no address in the objects of a class, which could name any.

    Types of Python's own stay as they are, and so do metaclasses: their objects are classes, which have this themselves.
    """
    for name in MEMORY if cls.__flags__ & (HEAP | _IMMUTABLE) == HEAP and not issubclass(cls, type) else ():
        put(cls, name, NO_MEMORY)


def keep_whole(*classes: type) -> None:
    """Have NumPy refuse the objects of these classes."""
    for cls in classes:
        put(cls, _ARRAY, NO_ARRAY)
        have_no_memory(cls)


def keep_whole_if_asked(cls: type) -> None:
    """The same for a class of the program, unless NumPy would run none of the program's code."""
    if not has(cls, _ARRAY) and (not issubclass(cls, _BUILT_IN) or asks_program(vars(cls), cls)):
        keep_whole(cls)


def asks_program(content: Any, cls: type = object) -> bool:
    """Whether the body of a class has methods that NumPy asks for."""
    return not _ASKED.isdisjoint(content) or (
        issubclass(cls, dict | set | frozenset) and not _TEXTS.isdisjoint(content)
    )


def gives_array(cls: type) -> bool:
    """Whether objects of a class say themselves which array they are."""
    return getattr(cls, _ARRAY, NO_ARRAY) is not NO_ARRAY


def unshared(value: Any, depth: int = _DEPTH) -> Any:
    """The lists among nested lists and tuples as copies; all else as it is."""
    cls = type(value)
    if depth and (cls is list or (cls is tuple and any(type(each) in (list, tuple) for each in value))):
        return cls([unshared(each, depth - 1) if type(each) in (list, tuple) else each for each in value])
    return value
