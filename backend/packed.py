"""Runs as short text, for pages that have them inside. `frontend/src/lib/page/packed.ts` says how, and reads it."""

from __future__ import annotations

import base64
import gzip
from typing import Any, Final

import numpy as np
import orjson

_KEY: Final = "float32[]"
"""The key of what stands in place of a list: ``{_KEY: [where it begins, how many]}``."""

_LETTERS: Final = bytes.maketrans(b"&<>", b",.:")
"""The letters of base85 that HTML reads in its own way, and those in their place."""

_FEWEST: Final = 4
"""A shorter list is shorter as JSON."""


def pack(json: bytes) -> str:
    """Text of ASCII that holds what ``json`` says: each list of numbers of 32 bits once, in bytes, and all of it gzipped."""
    numbers = _Numbers()
    rest = orjson.dumps(numbers.replaced(orjson.loads(json)))
    values = np.frombuffer(b"".join(numbers.lists), np.uint8).reshape(-1, 4).T.tobytes()
    packed = gzip.compress(len(rest).to_bytes(4, "little") + rest + values, 9, mtime=0)
    return base64.b85encode(packed).translate(_LETTERS).decode()


class _Numbers:
    def __init__(self) -> None:
        self.lists: list[bytes] = []
        self._begun: dict[bytes, int] = {}
        self._count = 0

    def replaced(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: self.replaced(each) for key, each in value.items()}
        if not isinstance(value, list):
            return value
        bits = _bits(value)
        if bits is None:
            return [self.replaced(each) for each in value]
        if bits not in self._begun:
            self._begun[bits] = self._count
            self._count += len(value)
            self.lists.append(bits)
        return {_KEY: [self._begun[bits], len(value)]}


def _bits(value: list[Any]) -> bytes | None:
    """The numbers of a list as float32; None where it is short, holds something else, or float32 has not all their digits."""
    if len(value) < _FEWEST or not all(type(each) is float for each in value):
        return None
    doubles = np.array(value, "<f8")
    with np.errstate(over="ignore"):
        singles = doubles.astype("<f4")
    return singles.tobytes() if np.array_equal(singles, doubles) else None
