"""``collections.OrderedDict`` as programs have it, made of a dictionary alone.

The one of CPython keeps a second table beside the dictionary. Where the ``__eq__`` of a key empties it while it is being
written, that table is freed and written into all the same.
"""

from __future__ import annotations

import sys
from collections.abc import ItemsView, Iterator, KeysView, MutableMapping, ValuesView
from operator import eq
from reprlib import recursive_repr
from typing import Any, Final, TypeVar

_K = TypeVar("_K")
_V = TypeVar("_V")
_AS_DICT: Final = sys.version_info >= (3, 12)


class OrderedDict(dict[_K, _V]):
    """A dictionary that knows the order of its keys: compared by it, and changed in it."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__()
        self.update(*given, **named)

    def update(self, *given: Any, **named: Any) -> None:
        """Through ``[key] = value``, which a class derived from this one may define."""
        if type(self).__setitem__ is dict.__setitem__:
            super().update(*given, **named)
        else:
            MutableMapping.update(self, *given, **named)

    def popitem(self, last: bool = True) -> tuple[Any, Any]:
        """The last pair, or the first."""
        if not self:
            raise KeyError("dictionary is empty")
        key = next(reversed(self) if last else iter(self))
        return key, self.pop(key)

    def move_to_end(self, key: Any, last: bool = True) -> None:
        """Make a key the last one, or the first."""
        value = dict.pop(self, key)
        behind = () if last else list(dict.items(self))
        if not last:
            dict.clear(self)
        dict.__setitem__(self, key, value)
        dict.update(self, behind)

    def copy(self) -> Any:
        """One of the same class with the same pairs."""
        return type(self)(self)

    def keys(self) -> Any:
        """The keys as they are at any time."""
        return odict_keys(self)

    def values(self) -> Any:
        """The values as they are at any time."""
        return odict_values(self)

    def items(self) -> Any:
        """The pairs as they are at any time."""
        return odict_items(self)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, OrderedDict):
            return dict.__eq__(self, other) and all(map(eq, self, other))
        return dict.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __or__(self, other: Any) -> Any:
        if not isinstance(other, dict):
            return NotImplemented
        made = type(self)(self)
        made.update(other)
        return made

    def __ror__(self, other: Any) -> Any:
        if not isinstance(other, dict):
            return NotImplemented
        made = type(self)(other)
        made.update(self)
        return made

    def __ior__(self, other: Any) -> Any:
        self.update(other)
        return self

    @recursive_repr()
    def __repr__(self) -> str:
        held: Any = dict(self) if _AS_DICT else list(dict.items(self))
        return f"{type(self).__name__}({held!r})" if self else f"{type(self).__name__}()"


class odict_keys(KeysView[Any]):
    """Of `OrderedDict.keys`."""

    def __iter__(self) -> Iterator[Any]:
        return dict.__iter__(_dictionary(self))

    def __reversed__(self) -> Iterator[Any]:
        return reversed(dict.keys(_dictionary(self)))

    def __repr__(self) -> str:
        return f"odict_keys({list(self)!r})"


class odict_values(ValuesView[Any]):
    """Of `OrderedDict.values`."""

    def __iter__(self) -> Iterator[Any]:
        return iter(dict.values(_dictionary(self)))

    def __reversed__(self) -> Iterator[Any]:
        return reversed(dict.values(_dictionary(self)))

    def __repr__(self) -> str:
        return f"odict_values({list(self)!r})"


class odict_items(ItemsView[Any, Any]):
    """Of `OrderedDict.items`."""

    def __iter__(self) -> Iterator[Any]:
        return iter(dict.items(_dictionary(self)))

    def __reversed__(self) -> Iterator[Any]:
        return reversed(dict.items(_dictionary(self)))

    def __repr__(self) -> str:
        return f"odict_items({list(self)!r})"


def _dictionary(view: Any) -> dict[Any, Any]:
    held: dict[Any, Any] = view._mapping
    return held


OrderedDict.__module__ = "collections"
for _view in (odict_keys, odict_values, odict_items):
    _view.__module__ = "builtins"
