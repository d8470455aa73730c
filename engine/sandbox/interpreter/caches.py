"""What Python's library remembers of the keys that it was asked with, which a program can make: forgotten when its run is over.

A key with a ``__hash__`` and ``__eq__`` of its own stands for another one, and what is kept under it would be found by the next
program that runs in the same process.
"""

from __future__ import annotations

import re
import struct
import typing
from collections.abc import Callable, Iterable
from typing import Any, Final

_OF_TYPING: Final[Iterable[Callable[[], object]]] = vars(typing).get("_cleanups", ())
_OF_REPLACEMENTS: Final[list[Any]] = [
    vars(re)[name] for name in ("_compile_repl", "_compile_template") if hasattr(vars(re).get(name), "cache_clear")
]
_OF_FORMATS: Final[Callable[[], object]] = vars(struct)["_clearcache"]
_FLAGS: Final[dict[Any, Any]] = re.RegexFlag._value2member_map_
_KNOWN_FLAGS: Final = dict(_FLAGS)


def forget_keys() -> None:
    """Have the library begin anew."""
    for forget in _OF_TYPING:
        forget()
    for cached in _OF_REPLACEMENTS:
        cached.cache_clear()
    _OF_FORMATS()
    if len(_FLAGS) != len(_KNOWN_FLAGS):
        _FLAGS.clear()
        _FLAGS.update(_KNOWN_FLAGS)
