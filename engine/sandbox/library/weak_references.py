"""``weakref``: references that do not keep their object, and dictionaries and sets of them. Nothing is called at the end of one."""

from __future__ import annotations

import weakref
from typing import Any, Final, NoReturn

from gradflow.engine import errors
from gradflow.engine.sandbox.classes.kept_whole import keep_whole
from gradflow.engine.sandbox.gate import allow

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


def _finalize(*given: Any, **options: Any) -> NoReturn:
    raise errors.CALL_REFUSED(name="weakref.finalize()")


def members() -> dict[str, object]:
    """What is in ``weakref``."""
    return {
        "ref": ref,
        "ReferenceType": ref,
        "finalize": _finalize,
        "WeakKeyDictionary": weakref.WeakKeyDictionary,
        "WeakValueDictionary": weakref.WeakValueDictionary,
        "WeakSet": weakref.WeakSet,
    }


def _register() -> None:
    allow(ref, shown_as=ref)
    ref.__module__ = "weakref"
    for cls in (weakref.WeakKeyDictionary, weakref.WeakValueDictionary):
        keep_whole(cls)
        allow(cls, _DICT, shown_as=cls)
    allow(weakref.WeakSet, _SET, shown_as=weakref.WeakSet)


_register()
