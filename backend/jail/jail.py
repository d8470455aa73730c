"""One run, one process, but for plain programs, which may follow one another in one: the service's side.

`Jail.run` hands one socket to the fork server for each run, sends the request over the other end and awaits the
answer. Closing that end at any time ends the run, so a cancelled task leaves no process behind. A few processes are
ordered before there is a request for them: forking and confining takes longer than a small program does.

Raises what `gradflow.backend.jail.failures` holds.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from gradflow.backend.jail import wire
from gradflow.backend.jail.conversation import Budget, Hold, converse
from gradflow.backend.jail.failures import Full as Full
from gradflow.backend.jail.failures import JailError as JailError
from gradflow.backend.jail.failures import Lost, Unborn
from gradflow.backend.jail.failures import Unavailable as Unavailable
from gradflow.backend.jail.forkserver import Configuration
from gradflow.backend.jail.plain import depends_on_the_process
from gradflow.backend.jail.processes import Cell, ForkServer, Launched, Told, brought_up, launch
from gradflow.backend.jail.waiting_room import WaitingRoom
from gradflow.backend.jail.wire import Answer, Ending, Killed, Report

log = logging.getLogger("gradflow.jail")

_MARGIN: Final = 5.0
_IDLE: Final = 0.03
_ATTEMPTS: Final = 2
_PROCESSES: Final = 8
"""How many processes may end before they are given a request, one after the other, until the machine is to blame."""
ANSWERS: Final = 24 << 20
"""Bytes of large answers that are in the service at one time."""


def _nobody(report: Report) -> None:
    pass


def _nothing() -> None:
    pass


class Jail:
    """Runs requests in confined processes. Start it before use and close it in the end."""

    def __init__(
        self,
        configuration: Configuration,
        *,
        places: int,
        seats: int,
        spares: int = 0,
        runs: int = 1,
        together: int | None = None,
        told: Told = _nobody,
        idle: float = _IDLE,
        launched: Launched | None = None,
    ) -> None:
        """idle: seconds after the end of a run without a next one after which there is time for a rehearsal.
        runs: how many plain programs one process may run. together: how many may begin within a moment.
        launched: the first fork server, where it has been started already; who did that ends it."""
        self.configuration = configuration
        self.spares = spares
        self.runs = runs
        self.places = places
        self.room = WaitingRoom(places, seats, configuration.time_limit, together=together)
        self.answers = Budget(ANSWERS)
        self._told = told
        self._pause = idle
        self._launched = launched
        self._server: ForkServer | None = None
        self._idle: asyncio.TimerHandle | None = None
        self._starting = asyncio.Lock()

    @property
    def seccomp(self) -> bool:
        """Whether the kernel filters the system calls of a run."""
        return self._server is not None and self._server.seccomp

    @property
    def ready(self) -> bool:
        """Whether the fork server is up."""
        return self._server is not None and self._server.alive

    @property
    def waiting_processes(self) -> int:
        """How many processes are kept ready."""
        return 0 if self._server is None else len(self._server.spares)

    @property
    def resting_processes(self) -> int:
        """How many processes have run plain programs and wait for the next."""
        return 0 if self._server is None else len(self._server.resting)

    async def start(self) -> None:
        """Bring up the fork server, if it is not up."""
        await self._ready()
        self._rehearse()

    async def close(self) -> None:
        """End the fork server, and with it every run."""
        if self._idle is not None:
            self._idle.cancel()
        async with self._starting:
            self._drop(self._server)

    async def run(
        self,
        request: bytes,
        *,
        longest: int,
        client: str = "",
        begun: Callable[[], None] = _nothing,
        plain: bool = False,
    ) -> Answer | Killed:
        """Have ``request`` worked on; an answer of more than ``longest`` bytes counts as killed.

        client: whose turn it is. begun: called when the turn has come. plain: the process may be one that has run other plain
        programs, and may run more.
        """
        try:
            async with self.room.place(client, short=plain) as used_much:
                begun()
                with Hold(self.answers) as hold:
                    return await self._run(request, longest, hold, last=used_much, plain=plain)
        finally:
            self._rehearse_when_idle()

    async def _run(self, request: bytes, longest: int, hold: Hold, *, last: bool, plain: bool) -> Answer | Killed:
        for _ in range(_ATTEMPTS):
            server = await self._ready()
            try:
                return await self._attempt(server, request, longest, hold, last=last, plain=plain)
            except Lost:
                log.warning("The fork server went away; starting it anew.")
                hold.release()
                self._drop(server)
        raise Unavailable("The process that starts the runs went away repeatedly.")

    def _rehearse_when_idle(self) -> None:
        """Requests that follow one another leave gaps: there a rehearsal would be in the way of the next."""
        if self._idle is not None:
            self._idle.cancel()
        if self._pause:
            self._idle = asyncio.get_running_loop().call_later(self._pause, self._rehearse)
        else:
            self._rehearse()

    def _rehearse(self) -> None:
        """Use the time while there is nothing to do. While there is, a rehearsal would only be in its way."""
        if self._server is not None and not self.room.busy and not self.room.waiting:
            self._server.rehearse(2 * self.spares if self.runs > 1 else 0)

    async def _ready(self) -> ForkServer:
        async with self._starting:
            if self._server is None or not self._server.alive:
                self._drop(self._server)
                launched, self._launched = self._launched or launch(self.configuration), None
                self._server = await brought_up(launched, self._told)
                self._server.most_runs, self._server.most_resting = self.runs, self.places
                self._server.refill(self.spares)
            return self._server

    def _drop(self, server: ForkServer | None) -> None:
        """Several runs may find out about one loss: only the first may stop it."""
        if server is not None and server is self._server:
            self._server = None
            server.stop()

    async def _attempt(
        self, server: ForkServer, request: bytes, longest: int, hold: Hold, *, last: bool, plain: bool
    ) -> Answer | Killed:
        for _ in range(_PROCESSES):
            try:
                cell = server.begin(last=last, plain=plain)
                was_used = cell.runs > 0
                result = await self._in_process(server, cell, request, longest, hold, plain=plain)
                if not was_used or not depends_on_the_process(result):
                    return result
                plain = False
                hold.release()
            except Unborn:
                hold.release()
            finally:
                server.refill(self.spares)
        raise Unavailable("The processes of the runs end before they begin.")

    async def _in_process(
        self, server: ForkServer, cell: Cell, request: bytes, longest: int, hold: Hold, *, plain: bool
    ) -> Answer | Killed:
        answer = None
        try:
            async with asyncio.timeout(self.configuration.time_limit + _MARGIN):
                answer = await converse(cell.socket, request, longest, hold, plain=plain)
                return await _ending(cell) if answer is None else answer
        except TimeoutError:
            raise Lost from None
        finally:
            if plain and isinstance(answer, Answer) and answer.kind == wire.ANSWER and not answer.note:
                server.rest(cell)
            else:
                cell.socket.close()


async def _ending(cell: Cell) -> Killed:
    """What the fork server says of a process that gave no answer."""
    await asyncio.wait({cell.ended})
    if cell.ended.cancelled():
        raise Lost
    report = cell.ended.result()
    if report.ending == Ending.UNUSED:
        raise Unborn
    if report.ending == Ending.NOT_STARTED:
        raise Unavailable("The machine has no room for one more process.")
    return Killed(report.ending, report.code)
