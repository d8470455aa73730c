"""Equal requests are answered once: the second waits for the answer to the first, and a while later gets the same bytes.

Held in memory, in one process. A program that reads the clock or draws without a seed is run each time.

Who asks what another client asks already, and whose run has not begun, waits in the queue for both: the run begins when
it is the turn of one of them. Else a client could keep others waiting by asking for their programs at the end of a long
queue of its own.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final, TypeAlias

import orjson

_CHANGING: Final = re.compile(
    r"\b(?:time|timeit|datetime|u?random|id|hash|uuid|secrets|perf_counter|monotonic|tempfile|getpid)\b"
)
"""Words of programs whose output may differ from run to run."""
_OVERHEAD: Final = 500
_LARGEST_PART: Final = 16
"""An answer may take this part of the memory, and not more."""


Begun: TypeAlias = Callable[[], None]
"""To be called when a run has got its place."""


@dataclass(slots=True)
class _Work:
    """One answer that is under way, and by client those who stand in the queue for it, or the one whose turn it was."""

    answer: asyncio.Future[bytes]
    turns: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    begun: bool = False
    waiting: int = 0

    def begin(self, client: str) -> None:
        """The others leave the queue."""
        self.begun = True
        for other in [who for who in self.turns if who != client]:
            self.turns.pop(other).cancel()


class AnswerCache:
    """``size`` bytes of answers, each for ``seconds``. What is used least goes first."""

    def __init__(self, size: int, seconds: float) -> None:
        self._size, self._seconds = size, seconds
        self._held = 0
        self._answers: OrderedDict[bytes, tuple[float, bytes]] = OrderedDict()
        self._working: dict[bytes, _Work] = {}
        self.hits = 0

    async def answer(
        self,
        request: Mapping[str, Any],
        work: Callable[[Begun], Awaitable[bytes]],
        keep: Callable[[bytes], bool],
        client: str = "",
    ) -> bytes:
        """What ``work`` gives for this request, now or before. ``keep`` says of an answer whether it holds later too.

        The work is given up when nobody waits for it any more. client: in whose place ``work`` waits.
        """
        if not self._size or _CHANGING.search(request["source"]):
            return await work(lambda: None)
        key = sha256(orjson.dumps(request, option=orjson.OPT_SORT_KEYS)).digest()
        known = self._known(key)
        if known is not None:
            return known
        under_way = self._working.get(key)
        if under_way is None:
            under_way = self._working[key] = _Work(asyncio.get_running_loop().create_future())
        else:
            self.hits += 1
        if not under_way.begun and client not in under_way.turns:
            turn = self._turn(key, under_way, client, work, keep)
            under_way.turns[client] = asyncio.ensure_future(turn)
        return await self._wait(key, under_way)

    async def _wait(self, key: bytes, under_way: _Work) -> bytes:
        under_way.waiting += 1
        try:
            return await asyncio.shield(under_way.answer)
        finally:
            under_way.waiting -= 1
            if not under_way.waiting:
                under_way.answer.cancel()
                for turn in under_way.turns.values():
                    turn.cancel()
                if self._working.get(key) is under_way:
                    del self._working[key]

    async def _turn(
        self,
        key: bytes,
        under_way: _Work,
        client: str,
        work: Callable[[Begun], Awaitable[bytes]],
        keep: Callable[[bytes], bool],
    ) -> None:
        """A failure is everybody's where nobody else stands in the queue for the same."""
        try:
            payload = await work(lambda: under_way.begin(client))
        except Exception as error:
            del under_way.turns[client]
            if not under_way.turns and not under_way.answer.done():
                under_way.answer.set_exception(error)
            return
        if len(payload) + _OVERHEAD <= self._size // _LARGEST_PART and keep(payload):
            self._put(key, payload)
        if not under_way.answer.done():
            under_way.answer.set_result(payload)

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
