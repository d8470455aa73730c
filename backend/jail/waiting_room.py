"""Who is served next: a bounded number at work, a bounded number waiting, and no client before its turn."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeAlias

from gradflow.backend.jail.failures import Full

_Seat: TypeAlias = asyncio.Future[None]


class WaitingRoom:
    """At most ``places`` at work, at most ``seats`` waiting. Clients take turns; each one's requests keep their order.

    A place goes to a client with the fewest requests at work. When the last seat is taken, a client that has fewer
    waiting than another gets the seat of the other's newest request, which is turned away.
    """

    def __init__(self, places: int, seats: int, turn: float) -> None:
        self._count = places
        self._seats = seats
        self._turn = turn
        self._queues: OrderedDict[str, deque[_Seat]] = OrderedDict()
        self._at_work: Counter[str] = Counter()
        self.waiting = 0
        self.busy = 0

    @asynccontextmanager
    async def place(self, client: str = "") -> AsyncIterator[None]:
        """A place at work, as soon as it is the client's turn; `Full` when there is not even a seat."""
        if self.busy >= self._count or self.waiting:
            await self._wait(client)
        else:
            self._take(client)
        try:
            yield
        finally:
            self._leave(client)

    def _take(self, client: str) -> None:
        self.busy += 1
        self._at_work[client] += 1

    def _leave(self, client: str) -> None:
        self.busy -= 1
        self._at_work[client] -= 1
        if not self._at_work[client]:
            del self._at_work[client]
        self._call_next()

    async def _wait(self, client: str) -> None:
        if self.waiting >= self._seats:
            self._make_room(client)
        seat: _Seat = asyncio.get_running_loop().create_future()
        self._queues.setdefault(client, deque()).append(seat)
        self.waiting += 1
        try:
            await seat
        except asyncio.CancelledError:
            if seat.done() and not seat.cancelled() and seat.exception() is None:
                self._leave(client)  # called just as the client went away
            else:
                self._stand_up(client, seat)
            raise

    def _stand_up(self, client: str, seat: _Seat) -> None:
        queue = self._queues.get(client)
        if queue is not None and seat in queue:
            queue.remove(seat)
            self.waiting -= 1
            if not queue:
                del self._queues[client]

    def _make_room(self, client: str) -> None:
        """Turn away the newest request of the client with the most, or, where that is this client, this one."""
        longest = max(self._queues, key=lambda each: len(self._queues[each]), default=None)
        own = len(self._queues.get(client, ()))
        if longest is None or len(self._queues[longest]) <= own + 1:
            raise self._full()
        seat = self._queues[longest].pop()
        self.waiting -= 1
        seat.set_exception(self._full())

    def _full(self) -> Full:
        return Full(max(1, round(self._turn * self.waiting / self._count)))

    def _call_next(self) -> None:
        while self._queues and self.busy < self._count:
            client = min(self._queues, key=self._at_work.__getitem__)  # the first of those with the fewest
            queue = self._queues[client]
            seat = queue.popleft()
            self.waiting -= 1
            if queue:
                self._queues.move_to_end(client)
            else:
                del self._queues[client]
            if not seat.done():
                self._take(client)
                seat.set_result(None)
