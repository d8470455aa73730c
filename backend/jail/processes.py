"""The fork server as the service sees it: a process, a control socket, and the processes that wait for a request."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import socket
import subprocess
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from gradflow.backend import helper_process
from gradflow.backend.jail import wire
from gradflow.backend.jail.failures import Lost, Unavailable
from gradflow.backend.jail.forkserver import Configuration
from gradflow.backend.jail.wire import Ending, Report

_START_LIMIT: Final = 60.0
_CHUNK: Final = 1 << 16
_WORN: Final = 1.0
"""Seconds of a processor after which a process that rests is not asked again. The kernel ends one that has used what a single run
may and a second more."""

Told = Callable[[Report], object]


@dataclass(slots=True)
class Cell:
    """A process that was ordered: the service's end of its socket, and how it ended, once that is known."""

    number: int
    socket: socket.socket
    ended: asyncio.Future[Report]
    rehearsed: bool = False
    runs: int = 0
    cpu: float = 0.0
    rests: bool = False


class ForkServer:
    """`spares` are the processes that wait for their first request, `resting` those that have answered plain programs and wait
    for the next. ``told`` is called with the report of each that ended or rests."""

    def __init__(self, process: subprocess.Popen[bytes], control: socket.socket, seccomp: bool, told: Told) -> None:
        self.process = process
        self.control = control
        self.seccomp = seccomp
        self.spares: deque[Cell] = deque()
        self.resting: list[Cell] = []
        self.most_runs = 1
        self.most_resting = 0
        self._told = told
        self._numbers = itertools.count()
        self._cells: dict[int, Cell] = {}
        self._reports = bytearray()
        asyncio.get_running_loop().add_reader(control, self._read)

    @property
    def alive(self) -> bool:
        """Whether it can be given orders."""
        return self.control.fileno() >= 0 and self.process.poll() is None

    def begin(self, *, last: bool = False, plain: bool = False) -> Cell:
        """A process whose clock runs from now on; ``last``: it gives way to all others. ``plain``: one that has run other plain
        programs will do. Raises Lost."""
        cell = self._rested() if plain and not last else None
        cell = cell or (self.spares.popleft() if self.spares else self._prepare())
        try:
            order = wire.BEGIN_LAST if last else wire.BEGIN_FIRST if plain else wire.BEGIN
            self.control.send(wire.ORDER.pack(order, cell.number))
        except OSError:
            cell.socket.close()
            raise Lost from None
        return cell

    def _rested(self) -> Cell | None:
        """The process that rests since last: its memory is the likeliest to be at hand."""
        while self.resting:
            cell = self.resting.pop()
            cell.rests = False
            try:
                cell.socket.recv(1, socket.MSG_PEEK)
            except BlockingIOError:  # it is alive, and has said nothing that it was not asked
                return cell
            except OSError:
                pass
            cell.socket.close()
        return None

    def rest(self, cell: Cell) -> None:
        """It has answered a plain program: it may be asked again, once the fork server has heard of it. One that has ended
        meanwhile may not: nothing more will be heard of it."""
        if cell.ended.done():
            cell.socket.close()
            return
        cell.rests = True
        try:
            self.control.send(wire.ORDER.pack(wire.REST, cell.number))
        except OSError:
            cell.socket.close()

    def refill(self, spares: int) -> None:
        """Order processes for the requests to come. A failure will be seen by the run that wants one."""
        with contextlib.suppress(Lost):
            while len(self.spares) < spares:
                self.spares.append(self._prepare())

    def rehearse(self, plain: int) -> None:
        """Have the processes that wait run a program of ours, so that a request finds them with memory of their own. ``plain``: so
        many are kept for plain programs, whatever others take."""
        with contextlib.suppress(Lost):
            while len(self.resting) < min(plain, self.most_resting):
                cell = self._prepare()
                cell.rests = True
                self.resting.insert(0, cell)
        for cell in (*self.resting, *self.spares):
            if not cell.rehearsed and not cell.runs:
                cell.rehearsed = True
                with contextlib.suppress(OSError):  # the run that takes it will see
                    cell.socket.send(wire.frame(wire.REHEARSE, b""))

    def stop(self) -> None:
        """End the process, and with it every run."""
        self._hang_up()
        for cell in self.spares:
            cell.socket.close()
        self.process.kill()
        self.process.wait()

    def _prepare(self) -> Cell:
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        cell = Cell(next(self._numbers), ours, asyncio.get_running_loop().create_future())
        with theirs:
            try:
                socket.send_fds(self.control, [wire.ORDER.pack(wire.PREPARE, cell.number)], [theirs.fileno()])
            except OSError:
                ours.close()
                raise Lost from None
        self._cells[cell.number] = cell
        return cell

    def _read(self) -> None:
        """Reports have come in, or the fork server went away."""
        try:
            received = self.control.recv(_CHUNK)
        except BlockingIOError:
            return
        except OSError:
            received = b""
        if not received:
            self._hang_up()
            return
        self._reports += received
        whole = len(self._reports) - len(self._reports) % wire.REPORT.size
        for number, ending, code, cpu in wire.REPORT.iter_unpack(self._reports[:whole]):
            report = Report(Ending(ending), code, cpu)
            if report.ending == Ending.RESTS:
                self._rests(self._cells[number], report)
            else:
                self._ended(self._cells.pop(number), report)
            self._told(report)
        del self._reports[:whole]

    def _rests(self, cell: Cell, report: Report) -> None:
        """A process that has run often, or long, is not asked again: what programs leave behind adds up, and so does the
        processor time, of which the kernel gives it only so much."""
        cell.runs += 1
        cell.cpu += report.cpu
        worn = report.code or cell.runs >= self.most_runs or cell.cpu > _WORN
        if worn or len(self.resting) >= self.most_resting:
            cell.socket.close()
        else:
            self.resting.append(cell)

    def _ended(self, cell: Cell, report: Report) -> None:
        if not cell.ended.done():
            cell.ended.set_result(report)
        if cell in self.spares:
            self.spares.remove(cell)
            cell.socket.close()
        elif cell.rests:
            if cell in self.resting:
                self.resting.remove(cell)
            cell.socket.close()

    def _hang_up(self) -> None:
        """Nothing more will be heard of any process."""
        if self.control.fileno() >= 0:
            asyncio.get_running_loop().remove_reader(self.control)
            self.control.close()
        for cell in self._cells.values():
            cell.ended.cancel()
            if cell.rests:
                cell.socket.close()
        self._cells.clear()
        self.resting.clear()


@dataclass(frozen=True, slots=True)
class Launched:
    """A fork server that was started, and may not be up yet."""

    process: subprocess.Popen[bytes]
    control: socket.socket

    def end(self) -> None:
        """It is not wanted any more."""
        self.control.close()
        self.process.kill()
        self.process.wait()


def launch(configuration: Configuration) -> Launched:
    """Start a fork server: it takes a second until it is up, in which the caller can do something else."""
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
    return Launched(process, ours)


async def brought_up(launched: Launched, told: Told) -> ForkServer:
    """The fork server, once it is up. Raises Unavailable."""
    try:
        ready = await asyncio.wait_for(asyncio.get_running_loop().sock_recv(launched.control, 1), _START_LIMIT)
    except (TimeoutError, OSError):
        ready = b""
    server = ForkServer(launched.process, launched.control, ready == b"1", told)
    if not ready:
        server.stop()
        raise Unavailable("The process that starts the runs did not come up.")
    return server
