"""``enum``: the classes of Python's library, of which programs derive; they cannot be called to make classes."""

from __future__ import annotations

import enum
from types import FunctionType
from typing import Any, Final

from gradflow.engine import errors
from gradflow.engine.sandbox.classes.kept_whole import NO_ARRAY, asks_program, keep_whole
from gradflow.engine.sandbox.gate import allow, is_program_class
from gradflow.engine.sandbox.rules import show_copies
from gradflow.engine.sandbox.special_names import is_special
from gradflow.engine.state import STATE

_VALUES: Final = frozenset({object, int, float, complex, str, bytes, tuple, frozenset, list, dict, set, enum.ReprEnum})
_OWN: Final = frozenset({"name", "value"})


class EnumType(enum.EnumType):
    """Makes enumerations by a class statement only: by a call, any name could be put into the class."""

    def __new__(metacls, cls: str, bases: Any, classdict: Any, *, boundary: Any = None, **options: Any) -> Any:
        if "_simple" in options:  # by which Python's own skips all that it looks at
            raise errors.CALL_REFUSED(name="an enumeration with _simple")
        if any(type(name) is not str or is_special(name) for name in classdict.get("_ignore_", ())):
            raise errors.CALL_REFUSED(name="_ignore_ with special names")
        if "__new__" in classdict or any(_makes_members(each) for base in bases for each in base.__mro__):
            # Python's own writes into whatever it gives, and calls its `__init__`, before anybody can look
            raise errors.CALL_REFUSED(name="an enumeration with __new__")
        if not all(
            _is_plain(each) for base in bases for each in base.__mro__
        ):  # whose methods are compared by the program's
            raise errors.CALL_REFUSED(name="an enumeration of such a class")
        if asks_program(classdict):  # members are made, and can be shown to NumPy, before the class is registered
            classdict["__array__"] = NO_ARRAY
        return super().__new__(metacls, cls, bases, classdict, boundary=boundary, **options)

    def __call__(cls, value: Any, *rest: Any, **options: Any) -> Any:
        if (rest or options) and not cls.__members__:
            raise errors.CALL_REFUSED(name="Enum() with several arguments")
        return super().__call__(value, *rest, **options)


def _is_plain(base: type) -> bool:
    """Whether an enumeration may derive from a class: an enumeration, one of the program, or values of Python's own."""
    return base in _VALUES or issubclass(base, enum.Enum) or is_program_class(base)


def _makes_members(base: type) -> bool:
    """Whether a class of the program would make the members of an enumeration that derives from it: not by what Python wrote for
    named tuples, whose text is no file."""
    made = vars(base).get("__new__") if is_program_class(base) else None
    function = made.__func__ if isinstance(made, staticmethod) else made
    return made is not None and function is not enum.Enum.__new__ and not _is_pythons(function)


def _is_pythons(function: object) -> bool:
    return type(function) is FunctionType and function.__code__.co_filename == "<string>"


class Enum(enum.Enum, metaclass=EnumType):
    """An enumeration."""


class Flag(enum.Flag, metaclass=EnumType):
    """An enumeration of which the members combine."""


class IntEnum(enum.IntEnum, metaclass=EnumType):
    """An enumeration of integers."""


class IntFlag(enum.IntFlag, metaclass=EnumType):
    """An enumeration of integers that combine."""


class StrEnum(enum.StrEnum, metaclass=EnumType):
    """An enumeration of texts."""


_CLASSES: Final = (Enum, Flag, IntEnum, IntFlag, StrEnum)
_PYTHONS: Final = (enum.Enum, enum.Flag, enum.IntEnum, enum.IntFlag, enum.StrEnum)
_pythons_create: Final[Any] = vars(enum.EnumType)["_create_"]


def _create(cls: Any, class_name: Any, names: Any, **options: Any) -> Any:
    """``Enum("Name", names)``, of Python's library alone: what looks special there becomes no member, and is put into the class."""
    if STATE.write is not None:
        raise errors.CALL_REFUSED(name="Enum() with several arguments")
    return _pythons_create(cls, class_name, names, **options)


def _is_open(name: str) -> bool:
    """Members are made before their class is registered, so what they may read and write is said here."""
    return not (is_special(name) or (name.startswith("_") and name.endswith("_")))


def members() -> dict[str, dict[str, object]]:
    """The module by name."""
    return {"enum": {**{cls.__name__: cls for cls in _CLASSES}, "auto": enum.auto, "unique": enum.unique}}


def _register() -> None:
    for cls in (*_CLASSES, *_PYTHONS):  # of Python's own no program derives: their metaclass makes classes by a call
        allow(
            cls,
            _OWN,
            subclass=cls in _CLASSES,
            readable=lambda _, name: _is_open(name),
            writable=lambda name: _is_open(name) and name not in _OWN,
        )
    for cls in _CLASSES:
        cls.__module__ = "enum"
    setattr(enum.EnumType, "_create_", _create)  # noqa: B010  # else type checkers look for it
    keep_whole(Enum, Flag)
    allow(enum.auto, ("value",))
    show_copies(EnumType, ("__members__",))


_register()
