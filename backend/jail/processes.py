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

Told = Callable[[Report], object]


@dataclass(slots=True)
class Cell:
    """A process that was ordered: the service's end of its socket, and how it ended, once that is known."""

    number: int
    socket: socket.socket
    ended: asyncio.Future[Report]
    rehearsed: bool = False


class ForkServer:
    """`spares` are the processes that wait for a request. ``told`` is called with the report of each that ended."""

    def __init__(self, process: subprocess.Popen[bytes], control: socket.socket, seccomp: bool, told: Told) -> None:
        self.process = process
        self.control = control
        self.seccomp = seccomp
        self.spares: deque[Cell] = deque()
        self._told = told
        self._numbers = itertools.count()
        self._cells: dict[int, Cell] = {}
        self._reports = bytearray()
        asyncio.get_running_loop().add_reader(control, self._read)

    @property
    def alive(self) -> bool:
        """Whether it can be given orders."""
        return self.control.fileno() >= 0 and self.process.poll() is None

    def begin(self, *, last: bool = False) -> Cell:
        """A process whose clock runs from now on; ``last``: it gives way to all others. Raises Lost."""
        cell = self.spares.popleft() if self.spares else self._prepare()
        try:
            self.control.send(wire.ORDER.pack(wire.BEGIN_LAST if last else wire.BEGIN, cell.number))
        except OSError:
            cell.socket.close()
            raise Lost from None
        return cell

    def refill(self, spares: int) -> None:
        """Order processes for the requests to come. A failure will be seen by the run that wants one."""
        with contextlib.suppress(Lost):
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
            self._ended(number, Report(Ending(ending), code, cpu))
        del self._reports[:whole]

    def _ended(self, number: int, report: Report) -> None:
        cell = self._cells.pop(number)
        if not cell.ended.done():
            cell.ended.set_result(report)
        if cell in self.spares:
            self.spares.remove(cell)
            cell.socket.close()
        self._told(report)

    def _hang_up(self) -> None:
        """Nothing more will be heard of any process."""
        if self.control.fileno() >= 0:
            asyncio.get_running_loop().remove_reader(self.control)
            self.control.close()
        for cell in self._cells.values():
            cell.ended.cancel()
        self._cells.clear()


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
