"""``UserDict`` and ``UserList`` of ``collections``, of which copies are made as a program would make them.

Python's own make an object without its constructor, and write the attributes of the one that is copied into it: a
``__new__`` of the program's can give any object for that. NumPy is told nothing of what they hold, for that is asked by
methods of the program.
"""

from __future__ import annotations

import collections
from typing import Any, Final

from gradflow.engine.sandbox.classes.kept_whole import keep_whole
from gradflow.engine.sandbox.gate import allow, is_public

_CONTENT: Final = "data"


class UserDict(collections.UserDict[Any, Any]):
    """A dictionary around a dictionary."""

    def __init__(self, dict: Any = None, /, **kwargs: Any) -> None:
        super().__init__(dict, **kwargs)

    def copy(self) -> Any:
        """Another one with the same content."""
        return type(self)(self.data)

    __copy__ = copy


class UserList(collections.UserList[Any]):
    """A list around a list."""

    def __init__(self, initlist: Any = None) -> None:
        super().__init__(initlist)

    def copy(self) -> Any:
        """Another one with the same content."""
        return type(self)(self.data)

    __copy__ = copy


MEMBERS: Final[dict[str, object]] = {"UserDict": UserDict, "UserList": UserList}


def _register() -> None:
    for cls, behind in ((UserDict, collections.UserDict), (UserList, collections.UserList)):
        cls.__module__ = "collections"
        keep_whole(cls)
        names = [*filter(is_public, dir(cls)), _CONTENT]
        allow(cls, names, writable=(_CONTENT,), subclass=True)
        allow(behind, names)  # where most of these are defined: subclasses have them, too


_register()
