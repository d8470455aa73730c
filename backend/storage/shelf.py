"""The links as the service asks for them: without blocking it, in bounded time, and with or without a database."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

from sqlalchemy.exc import SQLAlchemyError

from gradflow.backend.settings import Settings
from gradflow.backend.storage.database import NONE, Unusable, connect
from gradflow.backend.storage.links import Bounds, Links, Stored

T = TypeVar("T")

log = logging.getLogger("gradflow.storage")

_THREADS: Final = 4
_WAITING: Final = 64
"""Requests that may be at the database at one time."""
_PATIENCE: Final = 10.0
_AGAIN: Final = 5.0
"""Seconds after which a database that could not be reached is tried again."""


class NoStorage(Exception):
    """There is nothing to keep links in, now or at all; the message is for readers."""

    def __init__(self, message: str, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Shelf:
    """Short links by the settings in force. A service without a place for them starts all the same."""

    def __init__(self, settings: Settings) -> None:
        self._setting = settings.database_url.strip()
        self._bounds = Bounds(settings.links_per_day, settings.max_links_bytes, settings.link_days)
        self._threads = ThreadPoolExecutor(_THREADS, "links")
        self._room = asyncio.Semaphore(_WAITING)
        self._opening = asyncio.Lock()
        self._links: Links | None = None
        self._tried = -_AGAIN

    @property
    def usable(self) -> bool:
        """Whether links can be stored and found, as far as is known."""
        return self._links is not None

    async def start(self) -> None:
        """Open the database, or say in the log why there is none."""
        if self._setting != NONE:
            await self._open()

    async def close(self) -> None:
        """Let go of the database."""
        self._threads.shutdown(wait=True, cancel_futures=True)
        if self._links is not None:
            self._links.close()
            self._links = None

    async def store(self, fragment: str, client: str) -> Stored:
        """Raises NoStorage, and what `Links.store` raises."""
        return await self._ask(lambda links: links.store(fragment, client))

    async def find(self, name: str) -> str | None:
        """Raises NoStorage."""
        return await self._ask(lambda links: links.find(name))

    async def _ask(self, question: Callable[[Links], T]) -> T:
        links = await self._ready()
        if self._room.locked():
            raise NoStorage("Too many links are asked for at the moment.", 1)
        async with self._room:
            try:
                async with asyncio.timeout(_PATIENCE):
                    return await self._in_thread(lambda: question(links))
            except (SQLAlchemyError, TimeoutError) as error:
                log.error("The links could not be reached: %s", _in_one_line(error))
                raise NoStorage("The links cannot be reached at the moment.", 5) from error

    async def _ready(self) -> Links:
        if self._setting == NONE:
            raise NoStorage("This server keeps no links.")
        if self._links is None:
            await self._open()
        if self._links is None:
            raise NoStorage("This server has no place to keep links at the moment.", round(_AGAIN))
        return self._links

    async def _open(self) -> None:
        async with self._opening:
            if self._links is not None or time.monotonic() - self._tried < _AGAIN:
                return
            try:
                async with asyncio.timeout(2 * _PATIENCE):
                    self._links = await self._in_thread(lambda: Links(connect(self._setting), self._bounds))
            except (Unusable, SQLAlchemyError, TimeoutError) as error:
                log.warning("There is no place for short links: %s", _in_one_line(error))
            self._tried = time.monotonic()

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)


def _in_one_line(error: Exception) -> str:
    return " ".join(str(getattr(error, "orig", None) or error).split())[:300] or type(error).__name__
