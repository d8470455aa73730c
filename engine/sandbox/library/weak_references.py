"""``weakref``: references that do not keep their object, and dictionaries and sets of them. Nothing is called at the end of one."""

from __future__ import annotations

import operator
import weakref
from typing import Any, Final, NoReturn

from gradflow.engine import errors
from gradflow.engine.sandbox.classes.kept_whole import keep_whole
from gradflow.engine.sandbox.gate import allow, is_readable, read_attribute, write_attribute
from gradflow.engine.sandbox.special_names import is_special

_DICT: Final = ("clear", "copy", "get", "items", "keys", "pop", "popitem", "setdefault", "update", "values")
_SET: Final = ("add", "clear", "copy", "discard", "pop", "remove", "union", "update")


class ref:
    """A weak reference. Called, it gives its object, or None once that is gone."""

    __slots__ = ("_reference",)

    def __init__(self, object: Any, callback: None = None) -> None:
        if callback is not None:
            raise errors.CALL_REFUSED(name="weakref.ref() with a callback")
        self._reference = weakref.ref(object)

    def __call__(self) -> Any:
        return self._reference()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ref) and self._reference == other._reference

    def __hash__(self) -> int:
        return hash(self._reference)

    def __repr__(self) -> str:
        return "<weakref; dead>" if self._reference() is None else f"<weakref; to '{type(self._reference()).__name__}'>"


def _method(name: str) -> Any:
    def call(self: proxy, *given: Any) -> Any:
        return getattr(operator, name)(self._target(), *given)

    return call


class proxy:
    """What does as its object does, and does not keep it. The program reaches through it what it reaches of the object."""

    __slots__ = ("_reference",)

    def __init__(self, object: Any, callback: None = None) -> None:
        if callback is not None:
            raise errors.CALL_REFUSED(name="weakref.proxy() with a callback")
        self._reference = weakref.ref(object)

    def _target(self) -> Any:
        found = self._reference()
        if found is None:
            raise ReferenceError("weakly-referenced object no longer exists")
        return found

    def __getattr__(self, name: str) -> Any:
        if is_special(name):  # for which Python and its libraries ask the class
            raise AttributeError(name)
        return read_attribute(self._target(), name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "_reference":
            object.__setattr__(self, name, value)
        else:
            write_attribute(self._target(), name, value)

    def __call__(self, *given: Any, **named: Any) -> Any:
        return self._target()(*given, **named)

    def __len__(self) -> int:
        return len(self._target())

    def __iter__(self) -> Any:
        return iter(self._target())

    def __bool__(self) -> bool:
        return bool(self._target())

    def __str__(self) -> str:
        return str(self._target())

    def __repr__(self) -> str:
        return f"<weakproxy at {id(self):#x} to {type(self._target()).__name__} at {id(self._target()):#x}>"


for _name in (
    "getitem",
    "setitem",
    "delitem",
    "contains",
    "eq",
    "lt",
    "le",
    "gt",
    "ge",
    "add",
    "sub",
    "mul",
    "truediv",
):
    setattr(proxy, f"__{_name}__", _method(_name))


def _finalize(*given: Any, **options: Any) -> NoReturn:
    raise errors.CALL_REFUSED(name="weakref.finalize()")


def _of_target(found: Any, name: str) -> bool:
    return name != "_reference" and is_readable(found._target(), name)


def members() -> dict[str, object]:
    """What is in ``weakref``."""
    return {
        "ref": ref,
        "ReferenceType": ref,
        "proxy": proxy,
        "finalize": _finalize,
        "WeakKeyDictionary": weakref.WeakKeyDictionary,
        "WeakValueDictionary": weakref.WeakValueDictionary,
        "WeakSet": weakref.WeakSet,
    }


def _register() -> None:
    allow(ref, shown_as=ref)
    allow(proxy, readable=_of_target, writable=lambda name: name != "_reference")
    keep_whole(proxy)
    ref.__module__ = proxy.__module__ = "weakref"
    for cls in (weakref.WeakKeyDictionary, weakref.WeakValueDictionary):
        keep_whole(cls)
        allow(cls, _DICT, shown_as=cls)
    allow(weakref.WeakSet, _SET, shown_as=weakref.WeakSet)


_register()
