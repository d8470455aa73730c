"""One run, one process: the service's side.

`Jail.run` hands one socket to the fork server for each run, sends the request over the other end and awaits the
answer. Closing that end at any time ends the run, so a cancelled task leaves no process behind. A few processes are
ordered before there is a request for them: forking and confining takes longer than a small program does.

Errors:
    JailError
    ├── Full         every place and every seat in the waiting room is taken
    └── Unavailable  the fork server does not come up, or the machine has no room for one more process
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import socket
import subprocess
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from gradflow.backend import helper_process
from gradflow.backend.jail import wire
from gradflow.backend.jail.forkserver import Configuration
from gradflow.backend.jail.wire import Answer, Killed

log = logging.getLogger("gradflow.jail")

_CHUNK = 1 << 18
_START_LIMIT = 60.0
_MARGIN = 5.0
_ATTEMPTS = 2


class JailError(Exception):
    """No answer, and the program is not to blame."""


class Full(JailError):
    """``retry_after`` is a guess in seconds."""

    def __init__(self, retry_after: int) -> None:
        super().__init__("All places are taken.")
        self.retry_after = retry_after


class Unavailable(JailError):
    """The processes cannot be had."""


class _Lost(Exception):
    """The fork server went away during a run."""


class WaitingRoom:
    """At most ``places`` at work, at most ``seats`` waiting, in order of arrival."""

    def __init__(self, places: int, seats: int, turn: float) -> None:
        self._places = asyncio.Semaphore(places)
        self._count = places
        self._seats = seats
        self._turn = turn
        self.waiting = 0
        self.busy = 0

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """A place at work, as soon as there is one; `Full` when there is not even a seat."""
        if self._places.locked() and self.waiting >= self._seats:
            raise Full(max(1, round(self._turn * self.waiting / self._count)))
        self.waiting += 1
        try:
            await self._places.acquire()
        finally:
            self.waiting -= 1
        self.busy += 1
        try:
            yield
        finally:
            self.busy -= 1
            self._places.release()


class _ForkServer:
    """The process and the control socket; `spares` are the processes that wait for a request."""

    def __init__(self, process: subprocess.Popen[bytes], control: socket.socket, seccomp: bool) -> None:
        self.process = process
        self.control = control
        self.seccomp = seccomp
        self.spares: deque[_Cell] = deque()
        self._numbers = itertools.count()

    def begin(self) -> socket.socket:
        """A process whose clock runs from now on."""
        cell = self.spares.popleft() if self.spares else self._prepare()
        try:
            self.control.send(wire.ORDER.pack(wire.BEGIN, cell.number))
        except OSError:
            cell.socket.close()
            raise _Lost from None
        return cell.socket

    def refill(self, spares: int) -> None:
        """Order processes for the requests to come. A failure will be seen by the run that wants one."""
        with contextlib.suppress(_Lost):
            while len(self.spares) < spares:
                self.spares.append(self._prepare())

    def rehearse(self) -> None:
        """Have the processes that wait run a program of ours, so that a request finds them with memory of their own."""
        for cell in self.spares:
            if not cell.rehearsed:
                cell.rehearsed = True
                with contextlib.suppress(OSError):  # the run that takes it will see
                    cell.socket.send(wire.frame(wire.REHEARSE, b""))

    def stop(self) -> None:
        """End the process, and with it every run."""
        for cell in self.spares:
            cell.socket.close()
        self.control.close()
        self.process.kill()
        self.process.wait()

    def _prepare(self) -> _Cell:
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        cell = _Cell(next(self._numbers), ours)
        with theirs:
            try:
                socket.send_fds(self.control, [wire.ORDER.pack(wire.PREPARE, cell.number)], [theirs.fileno()])
            except OSError:
                ours.close()
                raise _Lost from None
        return cell


@dataclass(slots=True)
class _Cell:
    number: int
    socket: socket.socket
    rehearsed: bool = False


class Jail:
    """Runs requests in confined processes. Start it before use and close it in the end."""

    def __init__(self, configuration: Configuration, *, places: int, seats: int, spares: int = 0) -> None:
        self.configuration = configuration
        self.spares = spares
        self.room = WaitingRoom(places, seats, configuration.time_limit)
        self._server: _ForkServer | None = None
        self._starting = asyncio.Lock()

    @property
    def seccomp(self) -> bool:
        """Whether the kernel filters the system calls of a run."""
        return self._server is not None and self._server.seccomp

    async def start(self) -> None:
        """Bring up the fork server, if it is not up."""
        await self._ready()
        self._rehearse()

    async def close(self) -> None:
        """End the fork server, and with it every run."""
        async with self._starting:
            self._drop(self._server)

    async def run(self, request: bytes, *, longest: int) -> Answer | Killed:
        """Have ``request`` worked on; an answer of more than ``longest`` bytes counts as killed."""
        try:
            async with self.room.place():
                for _ in range(_ATTEMPTS):
                    server = await self._ready()
                    with contextlib.suppress(_Lost):
                        return await self._attempt(server, request, longest)
                    log.warning("The fork server went away; starting it anew.")
                    self._drop(server)
            raise Unavailable("The process that starts the runs went away repeatedly.")
        finally:
            self._rehearse()

    def _rehearse(self) -> None:
        """Use the time while there is nothing to do. While there is, a rehearsal would only be in its way."""
        if self._server is not None and not self.room.busy and not self.room.waiting:
            self._server.rehearse()

    async def _ready(self) -> _ForkServer:
        async with self._starting:
            if self._server is None or self._server.process.poll() is not None:
                self._drop(self._server)
                self._server = await _spawn(self.configuration)
                self._server.refill(self.spares)
            return self._server

    def _drop(self, server: _ForkServer | None) -> None:
        """Several runs may find out about one loss: only the first may stop it."""
        if server is not None and server is self._server:
            self._server = None
            server.stop()

    async def _attempt(self, server: _ForkServer, request: bytes, longest: int) -> Answer | Killed:
        try:
            with server.begin() as connection:
                async with asyncio.timeout(self.configuration.time_limit + _MARGIN):
                    return await _converse(connection, request, longest)
        except TimeoutError:
            raise _Lost from None
        finally:
            server.refill(self.spares)


async def _spawn(configuration: Configuration) -> _ForkServer:
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            helper_process.command("gradflow.backend.jail.forkserver", str(theirs.fileno()), configuration.to_json()),
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            env=helper_process.environment_of_runs(),
            start_new_session=True,  # Ctrl-C in a terminal is the service's to answer
        )
    ours.setblocking(False)
    try:
        ready = await asyncio.wait_for(asyncio.get_running_loop().sock_recv(ours, 1), _START_LIMIT)
    except (TimeoutError, OSError):
        ready = b""
    server = _ForkServer(process, ours, ready == b"1")
    if not ready:
        server.stop()
        raise Unavailable("The process that starts the runs did not come up.")
    return server


async def _converse(connection: socket.socket, request: bytes, longest: int) -> Answer | Killed:
    loop = asyncio.get_running_loop()
    with contextlib.suppress(ConnectionError):  # the run may have died already; its trailer tells
        await loop.sock_sendall(connection, wire.frame(wire.REQUEST, request))
    received = bytearray()
    while True:
        try:
            part = await loop.sock_recv(connection, _CHUNK)
        except ConnectionResetError:
            part = b""
        received += part
        end = _expected(received)
        if end > longest + wire.HEADER.size:
            return Killed(wire.Ending.TOO_LONG, 0)
        if wire.HEADER.size <= end <= len(received):
            return Answer(bytes(received[:1]), bytes(memoryview(received)[wire.HEADER.size : end]))
        if not part:
            return _trailer(received)


def _expected(received: bytearray) -> int:
    """Length of the whole frame, 0 while that is not known."""
    if len(received) < wire.HEADER.size or received[:1] == wire.END:
        return 0
    _, length = wire.HEADER.unpack_from(received)
    return int(wire.HEADER.size + length)


def _trailer(received: bytearray) -> Killed:
    tail = received[-wire.TRAILER.size :]
    if len(tail) < wire.TRAILER.size or tail[:1] != wire.END:
        raise _Lost
    _, ending, code = wire.TRAILER.unpack(tail)
    if ending == wire.Ending.UNUSED:
        raise _Lost
    if ending == wire.Ending.NOT_STARTED:
        raise Unavailable("The machine has no room for one more process.")
    return Killed(wire.Ending(ending), code)
