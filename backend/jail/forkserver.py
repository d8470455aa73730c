"""The warm parent: a process with one thread that has imported NumPy and the engine, and forks once for each run.

    python -m gradflow.backend.jail.forkserver DESCRIPTOR CONFIGURATION

DESCRIPTOR is the control socket, over which the service hands in one socket for each run (see `gradflow.backend.jail.wire`); when it
closes, the fork server kills what is running and ends. CONFIGURATION is a JSON object, see `Configuration`. The service
starts this program anew, not by forking itself: a fork of a process that has threads may deadlock.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import math
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass

from gradflow.backend.jail import wire
from gradflow.backend.jail.confine import Confinement, Limits, address_space
from gradflow.backend.jail.work import Work
from gradflow.engine import collector

_SHORT = 0.05
"""Seconds of a processor after which a run gives way to those that began later: most programs end before that."""
_LOOK = 0.06
"""Seconds from one look at it to the next."""
_LAST = 19
"""The priority (`nice`) of programs that are not plain, and of long runs where the system has no class for what runs when nothing
else does."""

_GARBAGE = 20_000
"""Objects before the collector looks for cycles: a small program ends before that."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """``worker`` is ``module:function``; the function takes ``options`` and gives the `Work`, or what it runs. Times are in
    seconds."""

    worker: str
    options: dict[str, float]
    time_limit: float
    memory_limit: int

    def to_json(self) -> str:
        """As the command line takes it."""
        return json.dumps(asdict(self))


@dataclass(slots=True)
class Run:
    """A child: its socket is kept open here to see when the service lets go of it. No deadline: it waits for work. ``told``:
    the processor time that has been reported. ``way``: what it does as soon as it is not the only run. ``gave_way``: whether it
    runs only when nothing else does."""

    number: int
    socket: socket.socket
    deadline: float | None = None
    long: float | None = None
    overdue: bool = False
    way: Callable[[int, Run], None] | None = None
    gave_way: bool = False
    told: float = 0.0


class ForkServer:
    """Starts, watches, kills and reaps the processes of the runs."""

    def __init__(self, control: socket.socket, work: Work, confinement: Confinement, time_limit: float) -> None:
        self.control = control
        self.work = work
        self.confinement = confinement
        self.time_limit = time_limit
        self.runs: dict[int, Run] = {}
        self.poll = select.poll()
        self.wakeup, self._signalled = os.pipe()
        self._building: Iterator[None] | None = work.building
        self._reports = bytearray()

    def serve(self) -> None:
        """Until the service closes the control socket."""
        self._watch_children()
        self.poll.register(self.control, select.POLLIN)
        self.control.sendall(b"1" if self.confinement.seccomp else b"0")
        self.control.setblocking(False)
        serving = True
        while serving:
            seen = self.poll.poll(0 if self._building else self._patience())
            if not seen:
                self._build()
            for descriptor, _ in seen:
                if descriptor == self.control.fileno():
                    serving = self._accept() and self._send_reports()
                elif descriptor == self.wakeup:
                    os.read(self.wakeup, 4096)
                else:
                    self._abandon(descriptor)
            self._kill_overdue()
            self._slow_down_long()
            self._reap()
        self._kill_all()

    def _build(self) -> None:
        """Make one more thing ready. What is made is kept out of the garbage collector's sight, and so shared for longer."""
        if self._building is not None and next(self._building, self) is self:
            self._building = None
            collector.freeze_loaded()

    def _watch_children(self) -> None:
        """A child that ends wakes the poll: the signal's number arrives on the pipe."""
        for end in (self.wakeup, self._signalled):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(self._signalled)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self.poll.register(self.wakeup, select.POLLIN)

    def _patience(self) -> float | None:
        """Milliseconds until something is due."""
        due = [run.long or run.deadline for run in self.runs.values() if run.deadline and not run.overdue]
        return max(0.0, (min(filter(None, due)) - time.monotonic()) * 1000 + 1) if due else None

    def _accept(self) -> bool:
        """Carry out all orders there are: a run must be known to have begun before its end is seen."""
        while True:
            try:
                order, descriptors, _, _ = socket.recv_fds(self.control, wire.ORDER.size, 1)
            except BlockingIOError:
                return True
            except ConnectionError:
                return False
            if not order:
                return False
            kind, number = wire.ORDER.unpack(order)
            if kind == wire.PREPARE:
                self._prepare(number, socket.socket(fileno=descriptors[0]))
            elif kind == wire.REST:
                self._rest(number)
            else:
                self._begin(number, kind)

    def _prepare(self, number: int, connection: socket.socket) -> None:
        try:
            pid = os.fork()
        except OSError:
            with connection:
                self._report(number, wire.Ending.NOT_STARTED, 0, 0.0)
            return
        if pid == 0:
            self._be_the_child(connection.fileno())
        self.runs[pid] = Run(number, connection)
        self.poll.register(connection, 0)  # reports hang-ups only

    def _begin(self, number: int, order: bytes) -> None:
        for run in self.runs.values():
            if run.number == number:
                run.deadline = time.monotonic() + self.time_limit
                run.long = None if order == wire.BEGIN_LAST else time.monotonic() + _LOOK
                run.way = {wire.BEGIN_LAST: _give_way, wire.BEGIN: _go_behind}.get(order)
        self._let_pass()

    def _let_pass(self) -> None:
        """Runs give way to each other. A run that is alone does not: something else on the machine may be busy for long."""
        busy = [(pid, run) for pid, run in self.runs.items() if run.deadline and not run.overdue]
        if len(busy) > 1:
            for pid, run in busy:
                if run.way is not None:
                    run.way(pid, run)
                    run.way = None

    def _rest(self, number: int) -> None:
        """It has answered, and waits for another request."""
        for pid, run in self.runs.items():
            if run.number == number and not run.overdue:
                run.deadline = run.long = run.way = None
                used = _processor_time(pid)
                if not math.isfinite(used):
                    used, run.gave_way = run.told, True
                self._report(number, wire.Ending.RESTS, int(run.gave_way), used - run.told)
                run.told = used

    def _be_the_child(self, descriptor: int) -> None:
        """Never returns: nothing of the fork server's may run in the child."""
        status = 1
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            self.confinement.enter(descriptor)
            self.work.run(descriptor)
            status = 0
        finally:
            os._exit(status)

    def _abandon(self, descriptor: int) -> None:
        """The service closed its end: nobody waits for this run any more."""
        with contextlib.suppress(KeyError):
            self.poll.unregister(descriptor)
        for pid, run in self.runs.items():
            if run.socket.fileno() == descriptor:
                os.kill(pid, signal.SIGKILL)

    def _slow_down_long(self) -> None:
        now = time.monotonic()
        for pid, run in self.runs.items():
            if run.long and now >= run.long and not run.overdue:
                if _processor_time(pid) - run.told < _SHORT:
                    run.long = now + _LOOK
                    continue
                run.long, run.way = None, _give_way
                self._let_pass()

    def _kill_overdue(self) -> None:
        now = time.monotonic()
        for pid, run in self.runs.items():
            if run.deadline and now >= run.deadline and not run.overdue:
                run.overdue = True
                os.kill(pid, signal.SIGKILL)

    def _reap(self) -> None:
        while self.runs:
            pid, status, used = os.wait4(-1, os.WNOHANG)
            if pid == 0:
                return
            run = self.runs.pop(pid)
            with contextlib.suppress(KeyError):
                self.poll.unregister(run.socket)
            code = os.waitstatus_to_exitcode(status)
            with run.socket:
                self._report(
                    run.number, _ending(run, code), abs(code), max(0.0, used.ru_utime + used.ru_stime - run.told)
                )

    def _report(self, number: int, ending: wire.Ending, code: int, cpu: float) -> None:
        """Never waits: what the service does not take now is sent when it does."""
        self._reports += wire.REPORT.pack(number, ending, code, cpu)
        self._send_reports()

    def _send_reports(self) -> bool:
        """Whether the service is still there."""
        try:
            while self._reports:
                del self._reports[: self.control.send(self._reports)]
        except BlockingIOError:
            self.poll.modify(self.control, select.POLLIN | select.POLLOUT)
            return True
        except ConnectionError:
            return False
        self.poll.modify(self.control, select.POLLIN)
        return True

    def _kill_all(self) -> None:
        for pid in self.runs:
            os.kill(pid, signal.SIGKILL)
        for pid in self.runs:
            os.waitpid(pid, 0)


def _go_behind(pid: int, _: Run) -> None:
    """Plain programs are at hand sooner: they are short, and their processes warm."""
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, pid, _LAST)


def _give_way(pid: int, run: Run) -> None:
    """To all others, at once: a process that has only a low priority is not interrupted when another wakes up."""
    run.gave_way = True
    try:
        os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0))
    except (OSError, AttributeError):
        _go_behind(pid, run)


def _processor_time(pid: int) -> float:
    """Seconds that a process has used; without end where it cannot be told."""
    try:
        return time.clock_gettime(~pid << 3 | 2)  # Linux: the clock of all of a process
    except (OSError, AttributeError):
        return math.inf


def _ending(run: Run, code: int) -> wire.Ending:
    if run.deadline is None:
        return wire.Ending.UNUSED
    if run.overdue:
        return wire.Ending.OVERDUE
    return wire.Ending.SIGNALLED if code < 0 else wire.Ending.EXITED


def _load(configuration: Configuration) -> Work:
    module, _, function = configuration.worker.partition(":")
    make: Callable[[dict[str, float]], Work | Callable[[int], None]] = getattr(
        importlib.import_module(module), function
    )
    work = make(configuration.options)
    return work if isinstance(work, Work) else Work(work, iter(()))


def main() -> None:
    """Import everything a run needs, once, and serve."""
    configuration = Configuration(**json.loads(sys.argv[2]))
    work = _load(configuration)
    collector.freeze_loaded()
    gc.set_threshold(_GARBAGE)
    limits = Limits(configuration.time_limit, configuration.memory_limit, address_space())
    with socket.socket(fileno=int(sys.argv[1])) as control:
        ForkServer(control, work, Confinement(limits), configuration.time_limit).serve()


if __name__ == "__main__":
    main()
