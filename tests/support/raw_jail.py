"""Programs in confined processes without the gate: raw Python behind the walls of a run, as the service puts them up.

    python -P -m tests.support.raw_jail SECONDS SEED [--without-walls] < surroundings > report

The surroundings are JSON: what programs are told of the outside (`raw_shapes`), under ``programs`` what to run instead of
drawing, and under ``backwards`` what is in the secret file, reversed: it stands nowhere in the memory of a process.
The report: how many processes and programs ran, how they ended, and what came out of them that is none of theirs.
"""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import random
import select
import signal
import sys
import time
from collections import Counter
from typing import Any, Final

from gradflow.backend.jail import confine, worker
from tests.engine.sandbox.hostile import raw_shapes
from tests.support.hostile_jail import BOUNDS

TOGETHER: Final = 8
MEMORY: Final = 256 << 20
LONGEST: Final = 0.6
MOST_BYTES: Final = 4 << 20
SIGNALS: Final = (signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGTERM)


class Runner:
    """Runs programs, some in one process; one that ends its process leaves the next to another."""

    def __init__(self, known: dict[str, Any], walls: bool) -> None:
        self.known, self.backwards = known, known.pop("backwards").encode()
        limits = confine.Limits(5.0, MEMORY, confine.address_space())
        self.walls = confine.Confinement(limits) if walls else None
        self.endings: Counter[str] = Counter()
        self.left: list[dict[str, str]] = []
        self.signals: Counter[str] = Counter()
        self.programs = self.processes = 0
        for number in SIGNALS:
            signal.signal(number, self._signalled)

    def _signalled(self, number: int, frame: object) -> None:
        self.signals[signal.Signals(number).name] += 1

    def run(self, programs: list[str]) -> None:
        """All of them, one after the other."""
        begun = mmap.mmap(
            -1, mmap.PAGESIZE
        )  # written by the process, which may lie: it only costs it its next programs
        first = 0
        while first < len(programs):
            begun[0] = 0
            written, ending = self._process(programs[first:], begun)
            tried = min(max(1, begun[0]), len(programs) - first)
            if self.backwards in written[::-1]:
                self.left.append({"what": "the secret", "programs": "\n###\n".join(programs[first : first + tried])})
            self.endings[ending] += 1
            self.programs += tried
            self.processes += 1
            first += tried

    def _process(self, programs: list[str], begun: mmap.mmap) -> tuple[bytes, str]:
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                for number in SIGNALS:
                    signal.signal(number, signal.SIG_DFL)
                if self.walls is not None:
                    self.walls.enter(writing)
                for number, source in enumerate(programs, 1):
                    begun[0] = number
                    _run(source, self.known)
            finally:
                os._exit(0)
        os.close(writing)
        written, status = _watch(pid, reading, LONGEST + 0.1 * len(programs))
        return written, _ending(status)


def _run(source: str, known: dict[str, Any]) -> None:
    with contextlib.suppress(BaseException):
        exec(compile(source, "<program>", "exec"), {"__name__": "hostile", **known})


def _watch(pid: int, reading: int, seconds: float) -> tuple[bytes, int]:
    """What a process writes until it ends or its time is over, and its status."""
    written, until = bytearray(), time.monotonic() + seconds
    while time.monotonic() < until and len(written) < MOST_BYTES:
        ready, _, _ = select.select([reading], [], [], 0.1)
        part = os.read(reading, 1 << 16) if ready else None
        if part == b"":
            break
        written += part or b""
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            os.close(reading)
            return bytes(written), status
    os.kill(pid, signal.SIGKILL)
    os.close(reading)
    return bytes(written), os.waitpid(pid, 0)[1]


def _ending(status: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    return signal.Signals(-code).name if code < 0 else str(code)


def main() -> None:
    """As above."""
    seconds, chance = float(sys.argv[1]), random.Random(int(sys.argv[2]))
    known: dict[str, Any] = json.load(sys.stdin)
    given: list[str] = known.pop("programs", [])
    output = os.dup(1)
    _lead_nowhere()
    worker.make(BOUNDS)
    runner = Runner(known, "--without-walls" not in sys.argv)
    if given:
        runner.run(given)
    until = time.monotonic() + seconds
    while not given and time.monotonic() < until:
        runner.run([raw_shapes.program(chance) for _ in range(TOGETHER)])
    orphans = _children()
    report = {name: getattr(runner, name) for name in ("programs", "processes", "endings", "left", "signals")}
    os.write(output, json.dumps(report | {"orphans": orphans}).encode())


def _lead_nowhere() -> None:
    """As in the fork server."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    os.close(nowhere)


def _children() -> list[int]:
    try:
        return [os.waitpid(-1, os.WNOHANG)[0]]
    except ChildProcessError:
        return []


if __name__ == "__main__":
    main()
