"""What Python's library remembers of the keys that it was asked with, which a program can make: forgotten when its run is over.

A key with a ``__hash__`` and ``__eq__`` of its own stands for another one, and what is kept under it would be found by the next
program that runs in the same process.
"""

from __future__ import annotations

import fnmatch
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
_OF_NAMES: Final[Callable[[], object]] = vars(fnmatch)["_compile_pattern"].cache_clear
_OF_PATTERNS: Final[list[dict[Any, Any]]] = [vars(re)[name] for name in ("_cache", "_cache2") if name in vars(re)]
"""By the class of the pattern, the pattern and the flags."""
_FLAGS: Final[dict[Any, Any]] = re.RegexFlag._value2member_map_
_KNOWN_FLAGS: Final = dict(_FLAGS)


def forget_keys() -> None:
    """Have the library begin anew."""
    for forget in _OF_TYPING:
        forget()
    for cached in _OF_REPLACEMENTS:
        cached.cache_clear()
    _OF_FORMATS()
    _OF_NAMES()
    for known in _OF_PATTERNS:
        kept = [(key, made) for key, made in known.items() if key[0] in (str, bytes)]
        if len(kept) != len(known):
            known.clear()
            known.update(kept)
    if len(_FLAGS) != len(_KNOWN_FLAGS):
        _FLAGS.clear()
        _FLAGS.update(_KNOWN_FLAGS)
