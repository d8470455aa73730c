"""What the service takes from the process of a run, which may be anybody's by then.

Every byte is counted before it is looked at: a frame is of a known kind and not longer than its kind may be, there is at
most one note before the answer, and answers that are not small share a budget. Whatever does not hold ends the
conversation, and the run has no answer.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections import deque
from types import TracebackType
from typing import Final

from gradflow.backend.jail import wire
from gradflow.backend.jail.wire import Answer, Ending, Killed

SMALL: Final = 1 << 18
"""Bytes of an answer that is taken without asking whether there is room."""
_CHUNK: Final = 1 << 18
_FITS_SOCKET: Final = 1 << 16
_FEW_PARTS: Final = 64
_SMALLEST_PART: Final = 1 << 10


class Budget:
    """Bytes that the service holds for answers at one time. Who comes first is served first; one alone may exceed it."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.held = 0
        self._waiting: deque[tuple[int, asyncio.Future[None]]] = deque()

    async def take(self, size: int) -> None:
        """Wait until there is room."""
        if not self._waiting and self._fits(size):
            self.held += size
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((size, turn))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.give(size)
            else:
                self._waiting.remove((size, turn))
                self._serve()
            raise

    def give(self, size: int) -> None:
        """Room for others."""
        self.held -= size
        self._serve()

    def _fits(self, size: int) -> bool:
        return not self.held or self.held + size <= self.size

    def _serve(self) -> None:
        while self._waiting and self._fits(self._waiting[0][0]):
            size, turn = self._waiting.popleft()
            if not turn.done():
                self.held += size
                turn.set_result(None)


class Hold:
    """What one request holds of the budget, from the first byte of a large answer until the answer has been sent."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._size = 0

    async def take(self, size: int) -> None:
        """Wait for room, where the answer is not small."""
        if size > SMALL:
            await self._budget.take(size)
            self._size += size

    def __enter__(self) -> Hold:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def release(self) -> None:
        """Nothing is held any more."""
        if self._size:
            self._budget.give(self._size)
            self._size = 0


async def converse(
    connection: socket.socket, request: bytes, longest: int, hold: Hold, *, plain: bool = False
) -> Answer | Killed | None:
    """The answer to ``request``; None where the process ended without one. ``plain``: it may be asked again."""
    framed = wire.frame(wire.ONE_OF_MANY if plain else wire.REQUEST, request)
    if len(framed) <= _FITS_SOCKET:
        await _send(connection, framed)
        return await _answer(connection, longest, hold)
    sending = asyncio.ensure_future(_send(connection, framed))
    try:
        return await _answer(connection, longest, hold)
    finally:
        sending.cancel()
        await asyncio.gather(sending, return_exceptions=True)


async def _send(connection: socket.socket, data: bytes) -> None:
    """A process that does not listen, or has died, is heard all the same: how it ended is told elsewhere."""
    with contextlib.suppress(OSError):
        await asyncio.get_running_loop().sock_sendall(connection, data)


async def _answer(connection: socket.socket, longest: int, hold: Hold) -> Answer | Killed | None:
    most = {wire.NOTE: wire.MAX_TEXT, wire.ANSWER: longest, wire.INVALID: wire.MAX_TEXT, wire.FAILED: wire.MAX_TEXT}
    note = b""
    while True:
        header = await _read(connection, wire.HEADER.size)
        if header is None:
            return None
        kind, length = wire.HEADER.unpack(header)
        if length > most.get(kind, -1):
            return Killed(Ending.TOO_LONG if kind == wire.ANSWER else Ending.MALFORMED, 0)
        await hold.take(length)
        payload = await _read(connection, length)
        if payload is None:
            return None
        if kind != wire.NOTE:
            return Answer(kind, payload, note)
        note = payload
        del most[wire.NOTE]


async def _read(connection: socket.socket, length: int) -> bytes | None:
    """The next ``length`` bytes; None when there are fewer, or when they come drop by drop."""
    loop = asyncio.get_running_loop()
    received = bytearray()
    for _ in range(_FEW_PARTS + length // _SMALLEST_PART):
        if len(received) == length:
            break
        try:
            part = await loop.sock_recv(connection, min(length - len(received), _CHUNK))
        except ConnectionError:
            part = b""
        if len(part) == length:
            return part
        if not part:
            return None
        received += part
    return bytes(received) if len(received) == length else None
