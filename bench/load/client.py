"""A client that costs little: HTTP/1.1 over one connection, from an address of the loopback network of its own."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit

PATIENCE: Final = 60.0
"""Seconds for an answer: nobody waits for ever."""


class Client:
    """One visitor. ``number`` gives its address: the service counts clients by address."""

    def __init__(self, url: str, number: int = 0) -> None:
        parts = urlsplit(url)
        assert parts.hostname is not None
        self._host, self._port = parts.hostname, parts.port
        self._from = f"127.0.{1 + number // 250}.{1 + number % 250}"
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def get(self, path: str) -> tuple[int, bytes]:
        """Status and body."""
        return await self._ask(f"GET {path} HTTP/1.1\r\nHost: bench\r\n\r\n".encode())

    async def post(self, path: str, body: object) -> tuple[int, bytes]:
        """Status and body."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        head = f"POST {path} HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
        return await self._ask(head.encode() + content)

    async def _ask(self, request: bytes) -> tuple[int, bytes]:
        async with asyncio.timeout(PATIENCE):
            return await self._answer(request)

    async def _answer(self, request: bytes) -> tuple[int, bytes]:
        if self._streams is None:
            self._streams = await asyncio.open_connection(self._host, self._port, local_addr=(self._from, 0))
        reader, writer = self._streams
        try:
            writer.write(request)
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            status = int(head[9:12])
            _, found, rest = head.partition(b"content-length:")
            body = await reader.readexactly(int(rest.partition(b"\r\n")[0]) if found else 0)
        except BaseException:
            self.close()
            raise
        if b"connection: close" in head:
            self.close()
        return status, body

    def close(self) -> None:
        """The next request opens a new connection."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


@dataclass
class Tally:
    """What many requests came to: seconds of those that were answered well, and what else there was."""

    seconds: list[float] = field(default_factory=list)
    failures: dict[str, int] = field(default_factory=dict)

    def failed(self, why: str) -> None:
        """One more."""
        self.failures[why] = self.failures.get(why, 0) + 1

    def at(self, part: float) -> float:
        """The time within which this part was answered, in milliseconds."""
        ordered = sorted(self.seconds) or [float("nan")]
        return ordered[min(len(ordered) - 1, int(len(ordered) * part))] * 1000

    def line(self) -> str:
        """In words."""
        failures = ", ".join(f"{count} {why}" for why, count in self.failures.items()) or "no errors"
        return f"{len(self.seconds)} answers, p50 {self.at(0.5):.0f} ms, p99 {self.at(0.99):.0f} ms, {failures}"


async def trace(client: Client, request: object, tally: Tally) -> dict[str, Any] | None:
    """One trace, counted."""
    began = time.perf_counter()
    try:
        status, body = await client.post("/api/v1/trace", request)
    except (OSError, asyncio.IncompleteReadError, TimeoutError) as error:
        tally.failed(type(error).__name__)
        return None
    if status != 200:
        tally.failed(f"status {status}")
        return None
    tally.seconds.append(time.perf_counter() - began)
    answer: dict[str, Any] = json.loads(body)
    return answer
