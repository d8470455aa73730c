"""Who is served next: a bounded number at work, a bounded number waiting, and no client before its turn."""

from __future__ import annotations

import asyncio
import math
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final, TypeAlias

from gradflow.backend.jail.failures import Full

_MEMORY: Final = 20.0
"""Seconds in which half of what a client has used is forgotten."""
_MUCH: Final = 3.0
"""Seconds of a place that make a client one of those who use much, and who share half of the places."""
_FORGOTTEN: Final = 0.01
_FRESH: Final = 0.02
"""Seconds for which a request at work counts as just begun: on a free core most programs have ended by then."""
_UNSURE: Final = 8
"""Of so many that may begin within a moment, one may be from somebody unknown whose program may be of any length."""


@dataclass(slots=True)
class _Account:
    """What a client uses: requests at work, and seconds of places, of which the old ones are forgotten. ``known``: one has
    ended."""

    clock: Callable[[], float]
    since: float
    at_work: int = 0
    used: float = 0.0
    known: bool = False

    def seconds(self) -> float:
        """Used until now."""
        now = self.clock()
        left = 0.5 ** ((now - self.since) / _MEMORY)
        self.used = self.used * left + self.at_work * (1 - left) * _MEMORY / math.log(2)
        self.since = now
        return self.used


@dataclass(slots=True, eq=False)
class _Work:
    """A request at work, and the timer until it is no longer fresh, where that is counted."""

    client: str
    unsure: bool
    timer: asyncio.TimerHandle | None = None


_Called: TypeAlias = asyncio.Future[_Work]


@dataclass(slots=True, eq=False)
class _Seat:
    """A request that waits to be called."""

    short: bool
    called: _Called


class WaitingRoom:
    """At most ``places`` at work, at most ``seats`` waiting. Clients take turns; each one's requests keep their order.

    With ``together``, no more than so many begin within a moment: short ones that share the cores all end late, and one after
    the other all but the last end sooner. Those that take longer do not keep the others from beginning, nor do
    clients whose programs take long: theirs have the lowest priority. Of the first programs of their clients fewer begin within
    a moment, but for short ones, so that many who come at once with long ones do not hold up those who ask for little.

    A place goes to a client with the fewest requests at work. Clients whose programs take long, one after the other, have
    half of the places among them. When the last seat is taken, a client that has fewer
    waiting than another gets the seat of the other's newest request, which is turned away.
    """

    def __init__(
        self,
        places: int,
        seats: int,
        turn: float,
        clock: Callable[[], float] = time.monotonic,
        *,
        together: int | None = None,
    ) -> None:
        self._clock = clock
        self._count = places
        self._together = together
        self._seats = seats
        self._turn = turn
        self._queues: OrderedDict[str, deque[_Seat]] = OrderedDict()
        self._accounts: dict[str, _Account] = {}
        self.waiting = 0
        self.busy = 0
        self.fresh = 0
        self._unsure = 0

    @asynccontextmanager
    async def place(self, client: str = "", *, short: bool = True) -> AsyncIterator[bool]:
        """A place at work, as soon as it is the client's turn; `Full` when there is not even a seat. True for a client
        whose programs took long until now. short: whether this one is known to be short."""
        if self._queues or self.busy >= self._count or not self._may_begin(client, short):
            work = await self._wait(client, short)
        else:
            work = self._take(client, short)
        try:
            yield self._uses_much(client)
        finally:
            self._leave(work)

    def _may_begin(self, client: str, short: bool) -> bool:
        """Whether this client is one of those who may take a place now."""
        if not self._uses_much(client):
            if self._together is None:
                return True
            unsure = self._unsure if self._is_unsure(client, short) else 0
            return self.fresh < self._together and unsure < max(1, self._together // _UNSURE)
        among = sum(each.at_work for each in self._accounts.values() if each.at_work and each.seconds() >= _MUCH)
        return among < max(1, self._count // 2)

    def _is_unsure(self, client: str, short: bool) -> bool:
        account = self._accounts.get(client)
        return not short and (account is None or not account.known)

    def _uses_much(self, client: str) -> bool:
        account = self._accounts.get(client)
        if account is None or (account.used < _MUCH and not account.at_work):
            return False  # it only becomes less: hundreds may wait, of whom this is asked each time
        return account.seconds() >= _MUCH

    def _take(self, client: str, short: bool) -> _Work:
        self.busy += 1
        unsure = self._is_unsure(client, short)
        account = self._accounts.setdefault(client, _Account(self._clock, self._clock()))
        account.seconds()
        account.at_work += 1
        work = _Work(client, unsure)
        if self._together is not None and not self._uses_much(client):
            self.fresh += 1
            self._unsure += unsure
            work.timer = asyncio.get_running_loop().call_later(_FRESH, self._grow, work)
        return work

    def _grow(self, work: _Work) -> None:
        """It takes longer than most: the next may begin beside it."""
        self._age(work)
        self._call_next()

    def _age(self, work: _Work) -> None:
        if work.timer is not None:
            work.timer.cancel()
            work.timer = None
            self.fresh -= 1
            self._unsure -= work.unsure

    def _leave(self, work: _Work) -> None:
        self._age(work)
        self.busy -= 1
        account = self._accounts[work.client]
        account.seconds()
        account.at_work -= 1
        account.known = True
        self._forget()
        self._call_next()

    def _forget(self) -> None:
        """Accounts of those who have gone."""
        if len(self._accounts) > 2 * (self._count + self._seats):
            kept = {who: each for who, each in self._accounts.items() if each.at_work or each.seconds() > _FORGOTTEN}
            self._accounts = kept

    async def _wait(self, client: str, short: bool) -> _Work:
        if self.waiting >= self._seats:
            self._make_room(client)
        called: _Called = asyncio.get_running_loop().create_future()
        seat = _Seat(short, called)
        self._queues.setdefault(client, deque()).append(seat)
        self.waiting += 1
        self._call_next()
        try:
            return await called
        except asyncio.CancelledError:
            if called.done() and not called.cancelled() and called.exception() is None:
                self._leave(called.result())  # called just as the client went away
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
        seat.called.set_exception(self._full())

    def _full(self) -> Full:
        return Full(max(1, round(self._turn * self.waiting / self._count)))

    def _call_next(self) -> None:
        while self._queues and self.busy < self._count:
            client = self._next()
            if client is None:
                return
            queue = self._queues[client]
            seat = queue.popleft()
            self.waiting -= 1
            if queue:
                self._queues.move_to_end(client)
            else:
                del self._queues[client]
            if not seat.called.done():
                seat.called.set_result(self._take(client, seat.short))

    def _next(self) -> str | None:
        """The first of those who wait and may begin that has the fewest at work."""
        found, fewest = None, math.inf
        for client, queue in self._queues.items():
            count = self._at_work(client)
            if count < fewest and self._may_begin(client, queue[0].short):
                found, fewest = client, count
                if not count:
                    break
        return found

    def _at_work(self, client: str) -> int:
        account = self._accounts.get(client)
        return account.at_work if account else 0
