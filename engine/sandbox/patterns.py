"""What the patterns of ``match`` ask of a subject: items, values of keys, attributes, each read as a program may read it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from gradflow.engine import errors
from gradflow.engine.errors.error_kind import kind_of
from gradflow.engine.sandbox.gate import exact_name, is_program_class, read_value

_TEXTS: Final = (str, bytes, bytearray)
_ITSELF: Final = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)
"""Types whose one positional pattern is matched by the subject itself."""
_ABSENT: Final = object()


def sequence_items(subject: Any, before: int, after: int | None) -> list[Any] | None:
    """The items of a sequence with as many as the pattern has parts; None of anything else.

    after: how many parts follow a starred one; None without a star. Its items are given as a list.
    """
    if not isinstance(subject, Sequence) or isinstance(subject, _TEXTS):
        return None
    length = len(subject)
    if length < before + (after or 0) or (after is None and length > before):
        return None
    items = [subject[k] for k in range(length)]
    return items if after is None else [*items[:before], items[before : length - after], *items[length - after :]]


def mapping_values(subject: Any, keys: tuple[Any, ...], rest: bool) -> list[Any] | None:
    """The values of the keys of a mapping that has them all, and the other entries where ``rest`` asks for them."""
    if not isinstance(subject, Mapping):
        return None
    values = [subject.get(key, _ABSENT) for key in keys]
    if any(value is _ABSENT for value in values):
        return None
    return [*values, {key: value for key, value in subject.items() if key not in keys}] if rest else values


def class_attributes(subject: Any, cls: Any, count: int, names: tuple[str, ...]) -> list[Any] | None:
    """What the parts of the pattern of a class are to match: ``count`` positional ones, then the attributes ``names``.

    None where the subject is no instance, or lacks an attribute. Raises TypeError, in Python's words.
    """
    if not isinstance(cls, type) and not any("__instancecheck__" in vars(kind) for kind in type(cls).__mro__):
        raise TypeError("called match pattern must be a type")
    if not isinstance(subject, cls):
        return None
    itself = count > 0 and "__match_args__" not in _fields(cls) and isinstance(cls, type) and issubclass(cls, _ITSELF)
    allowed = (None,) if itself else _positional(cls)
    if count > len(allowed):
        plural = "" if len(allowed) == 1 else "s"
        raise TypeError(f"{cls.__name__}() accepts {len(allowed)} positional sub-pattern{plural} ({count} given)")
    asked = [] if itself else [exact_name(name) for name in allowed[:count]]
    for name in names:
        if name in asked:
            raise TypeError(f"{cls.__name__}() got multiple sub-patterns for attribute '{name}'")
    try:
        found = [read_value(subject, name) for name in (*asked, *names)]
    except AttributeError as error:
        if kind_of(error) is errors.ATTRIBUTE_REFUSED:
            raise
        return None
    return [subject, *found] if itself else found


def _fields(cls: Any) -> dict[str, Any]:
    """What the program's classes among the bases of a class define."""
    line = cls.__mro__ if isinstance(cls, type) else ()
    return {name: value for kind in reversed(line) if is_program_class(kind) for name, value in vars(kind).items()}


def _positional(cls: Any) -> tuple[Any, ...]:
    given = _fields(cls).get("__match_args__", ())
    if type(given) is not tuple:
        raise TypeError(f"{cls.__name__}.__match_args__ must be a tuple (got {type(given).__name__})")
    return given
