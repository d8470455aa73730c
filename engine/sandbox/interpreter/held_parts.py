"""Methods of Python's own types that call the program with a part of an object which nobody holds meanwhile, and others in their place.

The text of an error is that of its arguments, which ``error.__init__()`` replaces; so does ``__init__`` of a `defaultdict` with
what makes its values. What is in a list can be taken from it while its text is made. If the program does so in a method of
what is in the part, Python goes on in memory that is no more.
"""

from __future__ import annotations

import builtins
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any, Final

_PARTS: Final = ("args", "errno", "strerror", "filename", "filename2", "msg")
"""What ``__init__`` of an error replaces, and its text is made of."""
_TEXTS: Final = ("__str__", "__repr__")
_DATA: Final = (UnicodeEncodeError, UnicodeDecodeError, UnicodeTranslateError)
"""Errors whose text is made of texts and numbers alone."""
_Method = tuple[type[Any], str, Callable[..., Any]]
_factory: Final[Callable[[Any], Any]] = vars(defaultdict)["default_factory"].__get__


def methods() -> Iterator[_Method]:
    """The methods, with the types and the names that they have there."""
    yield list, "__repr__", _holding(list.__repr__, list.copy)
    yield defaultdict, "__repr__", _holding(defaultdict.__repr__, _factory)
    yield defaultdict, "__missing__", _made_for_missing
    for kind in vars(builtins).values():
        if isinstance(kind, type) and issubclass(kind, BaseException) and kind not in _DATA:
            own = vars(kind)
            parts = [vars(each)[name].__get__ for each in kind.__mro__ for name in _PARTS if name in vars(each)]
            yield from ((kind, name, _holding(own[name], *parts)) for name in _TEXTS if name in own)


def _holding(tell: Callable[[Any], str], *parts: Callable[[Any], Any]) -> Callable[[Any], str]:
    """What makes a text of an object, holding these parts of it."""

    def text(self: Any, /) -> str:
        held = [part(self) for part in parts]
        told = tell(self)
        del held
        return told

    text.__name__ = text.__qualname__ = tell.__name__
    return text


def _made_for_missing(self: defaultdict[Any, Any], key: Any, /) -> Any:
    """``defaultdict.__missing__``."""
    factory = _factory(self)
    if factory is None:
        raise KeyError(key)
    self[key] = made = factory()
    return made


def keep_printing(kind: type, before: object) -> None:
    """Have ``pprint`` know a type, by the method that it knew it by, under the one that took its place."""
    printing = sys.modules.get("pprint")
    known = {} if printing is None else printing.PrettyPrinter._dispatch
    if before in known:
        known[kind.__repr__] = known[before]
