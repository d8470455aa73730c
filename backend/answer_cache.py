"""Equal requests are answered once: the second waits for the answer to the first, and a while later gets the same bytes.

Held in memory, in one process. A program that reads the clock or draws without a seed is run each time.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

import orjson

_CHANGING: Final = re.compile(r"\b(?:time|timeit|datetime|random|id|hash|uuid|secrets|perf_counter)\b")
"""Words of programs whose output may differ from run to run."""
_OVERHEAD: Final = 500
_LARGEST_PART: Final = 16
"""An answer may take this part of the memory, and not more."""


@dataclass(slots=True)
class _Work:
    task: asyncio.Task[bytes]
    waiting: int = 0


class AnswerCache:
    """``size`` bytes of answers, each for ``seconds``. What is used least goes first."""

    def __init__(self, size: int, seconds: float) -> None:
        self._size, self._seconds = size, seconds
        self._held = 0
        self._answers: OrderedDict[bytes, tuple[float, bytes]] = OrderedDict()
        self._working: dict[bytes, _Work] = {}
        self.hits = 0

    async def answer(
        self, request: Mapping[str, Any], work: Callable[[], Awaitable[bytes]], keep: Callable[[bytes], bool]
    ) -> bytes:
        """What ``work`` gives for this request, now or before. ``keep`` says of an answer whether it holds later too.

        The work is given up when nobody waits for it any more.
        """
        if not self._size or _CHANGING.search(request["source"]):
            return await work()
        key = sha256(orjson.dumps(request, option=orjson.OPT_SORT_KEYS)).digest()
        known = self._known(key)
        if known is not None:
            return known
        under_way = self._working.get(key)
        if under_way is None:
            under_way = _Work(asyncio.ensure_future(self._do(key, work, keep)))
            self._working[key] = under_way
        else:
            self.hits += 1
        return await self._wait(key, under_way)

    async def _wait(self, key: bytes, under_way: _Work) -> bytes:
        under_way.waiting += 1
        try:
            return await asyncio.shield(under_way.task)
        finally:
            under_way.waiting -= 1
            if not under_way.waiting:
                under_way.task.cancel()
                if self._working.get(key) is under_way:
                    del self._working[key]

    async def _do(self, key: bytes, work: Callable[[], Awaitable[bytes]], keep: Callable[[bytes], bool]) -> bytes:
        payload = await work()
        if len(payload) + _OVERHEAD <= self._size // _LARGEST_PART and keep(payload):
            self._put(key, payload)
        return payload

    def _known(self, key: bytes) -> bytes | None:
        entry = self._answers.get(key)
        if entry is None:
            return None
        until, payload = entry
        if time.monotonic() > until:
            self._remove(key)
            return None
        self._answers.move_to_end(key)
        self.hits += 1
        return payload

    def _put(self, key: bytes, payload: bytes) -> None:
        if key in self._answers:
            self._remove(key)
        self._answers[key] = (time.monotonic() + self._seconds, payload)
        self._held += len(payload) + _OVERHEAD
        while self._held > self._size:
            self._remove(next(iter(self._answers)))

    def _remove(self, key: bytes) -> None:
        _, payload = self._answers.pop(key)
        self._held -= len(payload) + _OVERHEAD
