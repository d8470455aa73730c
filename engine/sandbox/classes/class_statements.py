"""How a class of the program comes to be: it is looked at before anybody else may have it.

Python makes a class and then asks what stands in its body and what stands in its bases (``__set_name__``,
``__init_subclass__``), the library's metaclasses and the engine's classes write into it, and a descriptor of a metaclass or
of a base is given it each time. What stands first in the body is asked first: here that is the gate itself.
"""

from __future__ import annotations

import abc
import builtins
import enum
import hashlib
import itertools
import secrets
import types
import typing
from collections.abc import Callable
from types import FunctionType
from typing import Any, Final

from gradflow.engine import errors
from gradflow.engine.sandbox import gate
from gradflow.engine.sandbox.classes.raw_content import put
from gradflow.engine.sandbox.gate import exact_name
from gradflow.engine.sandbox.program_classes import (
    METACLASSES,
    check_bases,
    metaclasses,
    register_class,
    shield_getattr,
)
from gradflow.engine.sandbox.special_names import METADATA, METHODS, TABLES, is_special

_SECRET: Final = secrets.token_bytes(16)
_COUNT: Final = itertools.count()
_PYTHONS_BUILDER: Final[Callable[..., Any]] = builtins.__build_class__
_NAMED_TUPLES: Final[object] = vars(typing)["NamedTupleMeta"]
_PYTHONS_INIT: Final[Callable[[type], None]] = vars(abc)["_abc_init"]
_PROTO_MEMBER: Final[Any] = vars(enum)["_proto_member"]
_PYTHONS_MEMBER: Final[Callable[[object, type, str], None]] = _PROTO_MEMBER.__set_name__


class _FirstLook:
    """What stands first in the body of a class and looks at the class. ``refused`` is why it may not be."""

    __slots__ = ("name", "refused")

    def __init__(self) -> None:
        self.name = f"<{hashlib.blake2b(b'%d' % next(_COUNT), key=_SECRET, digest_size=16).hexdigest()}>"
        """That it has in the body, which nobody else can know: a program could give it to something of its own."""
        self.refused: BaseException | None = None

    def __get__(self, instance: object, owner: type) -> None:
        """A descriptor is no member of an enumeration."""

    def __set_name__(self, owner: type, name: str) -> None:
        try:
            type.__delattr__(owner, name)
            register_class(owner)
            if issubclass(type(owner), abc.ABCMeta):  # else ``isinstance`` would write into what a base remembers
                put(owner, "_abc_impl", vars(abc.ABCMeta("", (), {}))["_abc_impl"])
                _PYTHONS_INIT(owner)
        except BaseException as error:
            self.refused = error  # before Python 3.12 what leaves here is hidden in a RuntimeError
            raise


def made(kind: Callable[..., Any], name: Any, bases: Any, content: dict[str, Any], /, **keywords: Any) -> Any:
    """The class that ``kind(name, bases, content)`` makes, which has been looked at first."""
    look = _FirstLook()
    rest = dict(content)
    dict.clear(content)
    dict.__setitem__(content, look.name, look)
    for key, value in rest.items():
        dict.__setitem__(content, key, value)
    return _asked(look, lambda: kind(name, bases, content, **keywords))


def _asked(look: _FirstLook, make: Callable[[], Any]) -> Any:
    try:
        cls = make()
    except BaseException:
        if look.refused is None:
            raise
    if look.refused is not None:
        raise look.refused
    if isinstance(cls, type) and vars(cls).get(look.name) is look:  # a metaclass that copied what stands in the body
        type.__delattr__(cls, look.name)
        register_class(cls)
    return cls


def build_class(body: FunctionType, name: str, /, *bases: Any, **keywords: Any) -> Any:
    """What a class statement calls, with its body as a function."""
    real = types.resolve_bases(bases)
    kinds = [keywords["metaclass"]] if "metaclass" in keywords else []
    kinds += [type(base) for base in real]
    if any(issubclass(kind, own) for kind in kinds for own in metaclasses):
        return _PYTHONS_BUILDER(body, name, *bases, **keywords)  # looked at by the metaclass itself
    kind, content, keywords = types.prepare_class(name, real, keywords)
    look = _FirstLook()
    dict.__setitem__(content, look.name, look)
    exec(body.__code__, body.__globals__, content, closure=body.__closure__)
    if real is not bases:
        content["__orig_bases__"] = bases
    if kind is _NAMED_TUPLES and "__init_subclass__" in content:  # which it would ask for what it has just made
        raise errors.CALL_REFUSED(name="a named tuple with __init_subclass__")
    return _asked(look, lambda: kind(name, real, content, **keywords))


def make_class(name: Any, bases: Any, content: Any) -> type:
    """``type(name, bases, content)``: as a class statement, of plain classes and with the names that one may define."""
    if type(name) is not str or type(bases) is not tuple or type(content) is not dict:
        raise errors.CALL_REFUSED(name="type() with three arguments other than a text, a tuple and a dictionary")
    bases = check_bases(*bases)
    if any(not isinstance(base, type) or type(base) not in METACLASSES for base in bases):
        raise errors.CALL_REFUSED(name="type() with a base that has a metaclass")
    defined = {exact_name(each): value for each, value in content.items()}
    for each in defined:
        if each in TABLES or (is_special(each) and each not in METHODS | METADATA | {"__doc__"}):
            raise errors.CALL_REFUSED(name=f"a class with {each}")
    if "__getattr__" in defined:
        defined["__getattr__"] = shield_getattr(defined["__getattr__"])
    return register_class(made(type, name, bases, {**defined, "__module__": "__main__"}))


def _member_named(self: object, owner: type, name: str) -> None:
    """An enumeration makes its members as it is made itself; in another class what stands for a member is nobody's."""
    if not issubclass(type(owner), enum.EnumType) or gate.is_program_class(type(owner)):
        raise errors.CALL_REFUSED(name="a member of an enumeration in another class")
    _PYTHONS_MEMBER(self, owner, name)


def _register() -> None:
    gate.class_makers[:] = [make_class]
    _PROTO_MEMBER.__set_name__ = _member_named


_register()
