"""Names that the engine and the library keep for themselves in the classes that programs derive from.

``self._place(index)`` in a class of the engine is meant to be the engine's own: under a method of the program's it would
check nothing any more, or hand out what only the engine may have. So no class of the program defines such a name in front
of the class that keeps it, and the same holds for what Python's library keeps in its objects: a ``TestCase._outcome`` of the
program's would be handed objects that no program has. The fields of data classes, which the library reads past the gate, are values of the program's.
"""

from __future__ import annotations

import dis
import io
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from types import CodeType, FunctionType
from typing import Final

from gradflow.engine import errors
from gradflow.engine.sandbox import gate
from gradflow.engine.sandbox.classes.raw_content import has, owner_of
from gradflow.engine.sandbox.rules import DELETED, KEEPERS, derived, is_closed
from gradflow.engine.sandbox.special_names import TABLES, is_special

_METHODS: Final = (FunctionType, property, cached_property, classmethod, staticmethod)
_MEANT: Final = frozenset({"_apply", "_ff_block", "_from_iterable", "_get_name", "_hash", "_mha_block", "_sa_block"})
"""What PyTorch's and Python's classes call of the classes derived from them; they are given tensors, or what is the program's."""
_HARMLESS: Final = frozenset(
    [
        "_args",
        "_classSetupFailed",
        "_class_cleanups",
        "_diffThreshold",
        "_kwargs",
        "_mapping",
        "_target",
        "_testMethodDoc",
    ]
)
"""What the library keeps and only compares, prints or calls, as the program could: classes of programs set some of these."""
_ENGINES: Final = ("torch", "gradflow.engine.namespace")
"""Where the classes of the engine are at home: of their data, programs read and write what PyTorch shows."""
_APART: Final = (str, bytes, bytearray, io.BytesIO, io.StringIO)
"""Types with methods that the gate gives in a guarded form only."""
_NAMESPACES: Final = frozenset({("types", "SimpleNamespace"), ("threading", "local")})
"""Types of which objects take any attribute."""
_PLAIN: Final = frozenset({"builtins", "abc", "typing", "enum", "collections.abc", "_io", "io", "types"})
_FIELDS: Final = "__dataclass_fields__"


@cache
def _kept_by(base: type) -> frozenset[str]:
    """The methods, properties and data with an underscore that a base has and programs do not see."""
    methods = {name for name, held in vars(base).items() if isinstance(held, _METHODS)}
    data = () if base.__module__.startswith(_ENGINES) else {*vars(base), *_stored_by(base)} - methods - _HARMLESS
    return frozenset(
        name
        for name in (*methods - _MEANT, *data)
        if name.startswith("_")
        and not name.endswith("_")  # which are Python's, for enumerations to define
        and name not in TABLES
        and not gate.class_readable(base, name)
    )


def _stored_by(base: type) -> Iterator[str]:
    """The attributes that the methods of a class write."""
    for held in vars(base).values():
        accessors = (held.fget, held.fset, held.fdel) if isinstance(held, property) else (held,)
        for method in accessors:
            inner = getattr(method, "__func__", getattr(method, "func", method))
            yield from _stored_in(getattr(inner, "__code__", None))


def _stored_in(code: object) -> Iterator[str]:
    if isinstance(code, CodeType):
        if any(name.startswith("_") for name in code.co_names):
            yield from (str(each.argval) for each in dis.get_instructions(code) if each.opname == "STORE_ATTR")
        for inner in code.co_consts:
            yield from _stored_in(inner)


def refuse_kept(cls: type) -> None:
    """Raises for a new class of the program that has what a base needs for itself."""
    own = {name for base in cls.__mro__ if base is cls or gate.is_program_class(base) for name in vars(base)}
    foreign = [base for base in cls.__mro__[1:] if not gate.is_program_class(base)]
    for name in sorted(own):
        if name.startswith("_") and not is_special(name) and is_closed(cls, name, by_bases=False):
            base = next((one for one in foreign if name in _kept_by(one)), foreign[0])
            raise errors.CALL_REFUSED(name=f"a class derived from {base.__name__} with a {name} of its own")
    namespaces = [one for one in foreign if (one.__module__, one.__name__) in _NAMESPACES]
    others = [one for one in foreign if one.__module__ not in _PLAIN and one not in namespaces]
    if others and (namespaces or issubclass(cls, _APART)):
        raise errors.CALL_REFUSED(name=f"a class derived from {others[0].__name__} and from a text or a namespace")
    refuse_fields(cls, field_names(cls))


def field_names(cls: type) -> list[str]:
    """The fields of a class and of all data classes that it derives from, by the key and by the name of each."""
    tables = [vars(base).get(_FIELDS, {}) for base in cls.__mro__]
    return sorted({name for table in tables for key, field in table.items() for name in (key, field.name)})


def refuse_fields(cls: type, names: Iterable[str]) -> None:
    """Raises where a field of a data class has its value from a base: the library would read it past the gate."""
    for name in names:
        owner = owner_of(cls, name)
        if is_closed(cls, name):
            raise errors.CALL_REFUSED(name=f"a dataclass with a field {name} that a base keeps for itself")
        own = owner is not None and (owner is cls or gate.is_program_class(owner))
        plain = owner is not None and issubclass(owner, BaseException) and not callable(vars(owner)[name])  # ``args``
        if (owner is not None or has(type(cls), name)) and not (own or plain):
            raise errors.CALL_REFUSED(name=f"a dataclass with a field {name} that a base has")


def _is_kept(cls: type, name: str) -> bool:
    """Whether a base, none of the program's, keeps this name for itself."""
    if not name.startswith("_"):
        return False
    return any(name in _kept_by(base) for base in cls.__mro__[1:] if not gate.is_program_class(base))


def _is_field(cls: type, name: str) -> bool:
    """Whether the value that a class has under a name is that of a field: without it a base would answer."""
    return any(name in getattr(each, _FIELDS, ()) for each in derived(cls))


KEEPERS.append(_is_kept)
DELETED.append(_is_field)
