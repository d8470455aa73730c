"""``UserDict`` and ``UserList`` of ``collections``, of which copies are made as a program would make them, and the read-only view
of a dictionary, ``types.MappingProxyType``.

Python's own make an object without its constructor, and write the attributes of the one that is copied into it: a
``__new__`` of the program's can give any object for that. NumPy is told nothing of what they hold, for that is asked by
methods of the program.
"""

from __future__ import annotations

import collections
import collections.abc
from typing import Any, Final

from gradflow.engine import errors
from gradflow.engine.sandbox.classes.kept_whole import keep_whole
from gradflow.engine.sandbox.gate import allow, is_public, type_name
from gradflow.engine.sandbox.library import copies

_CONTENT: Final = "data"


class UserDict(collections.UserDict[Any, Any]):
    """A dictionary around a dictionary."""

    def __init__(self, dict: Any = None, /, **kwargs: Any) -> None:
        super().__init__(dict, **kwargs)

    def copy(self) -> Any:
        """Another one with the same content."""
        if type(self) is UserDict:
            return UserDict(self.data)
        made = _another(self, {})
        made.update(self)
        return made

    def __copy__(self) -> Any:
        return _another(self, copies.copy(self.data))


class UserList(collections.UserList[Any]):
    """A list around a list."""

    def __init__(self, initlist: Any = None) -> None:
        super().__init__(initlist)

    def copy(self) -> Any:
        """Another one with the same content."""
        return type(self)(self)

    def __copy__(self) -> Any:
        return _another(self, copies.copy(self.data))


def _another(value: Any, content: Any) -> Any:
    """An object of the same class with the same attributes, but around other content."""
    made = copies.rebuilt(value, None)
    if type(made) is not type(value):  # it had no attributes to write
        raise errors.CALL_REFUSED(name=f"a copy of {type_name(value)} of another class")
    vars(made)[_CONTENT] = content
    return made


class MappingProxyType(collections.abc.Mapping[Any, Any]):
    """A dictionary of the program that cannot be changed by way of this. Python's own hands the dictionary itself to the ``==`` of
    whatever it is compared with; this one compares copies. Raises TypeError for anything else than a dictionary."""

    __slots__ = ("_shown",)

    def __init__(self, mapping: Any, /) -> None:
        if not isinstance(mapping, dict):
            raise TypeError(f"mappingproxy() argument must be a mapping, not {type_name(mapping)}")
        self._shown = mapping

    def __getitem__(self, key: Any) -> Any:
        return self._shown[key]

    def __iter__(self) -> Any:
        return iter(self._shown)

    def __len__(self) -> int:
        return len(self._shown)

    def __reversed__(self) -> Any:
        return reversed(self._shown)

    def __or__(self, other: Any) -> Any:
        return {**self._shown, **other}

    def copy(self) -> Any:
        """A dictionary with the same content."""
        return dict(self._shown)

    def __eq__(self, other: object) -> bool:
        return bool(dict(self._shown) == (dict(other._shown) if isinstance(other, MappingProxyType) else other))

    __hash__ = None  # type: ignore[assignment]  # as what it shows has none

    def __repr__(self) -> str:
        return f"mappingproxy({self._shown!r})"

    def __str__(self) -> str:
        return str(self._shown)


MEMBERS: Final[dict[str, object]] = {"UserDict": UserDict, "UserList": UserList}


def _register() -> None:
    for cls, behind in ((UserDict, collections.UserDict), (UserList, collections.UserList)):
        cls.__module__ = "collections"
        keep_whole(cls)
        names = [*filter(is_public, dir(cls)), _CONTENT]
        allow(cls, names, writable=(_CONTENT,), subclass=True)
        allow(behind, names)  # where most of these are defined: subclasses have them, too
    allow(MappingProxyType, ("copy", "get", "items", "keys", "values"), shown_as=MappingProxyType)
    MappingProxyType.__module__ = "builtins"
    MappingProxyType.__name__ = MappingProxyType.__qualname__ = "mappingproxy"


_register()
