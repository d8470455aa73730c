"""Hostile programs in confined processes, where a system call that is not one of computing ends the process at once.

    python -P -m tests.support.hostile_jail SECONDS SEED [--without-gate] < programs > report

The programs are JSON, a list; with none, they are drawn until the time is over. The report: how many ran, what those that
got hold of something held (`oracle.reached`), and which ended their process by a system call.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import sys
import time
from typing import Any, Final

import pyseccomp

from gradflow.backend.jail import confine, worker
from gradflow.engine.sandbox.program import PROGRAM_FILE
from tests.engine.sandbox.hostile import grammar, shapes
from tests.engine.sandbox.hostile.oracle import reached

TOGETHER: Final = 20
MEMORY: Final = 512 << 20
OWN: Final = "/proc/self/oom_score_adj"  # opened by the confinement itself
ALONE: Final = 5.0
BOUNDS: Final = {
    "time_limit": 5.0,
    "memory_limit": MEMORY,
    "operation_limit": 10_000,
    "max_response_bytes": 1 << 24,
    "grace": 1,
}


def confinement() -> confine.Confinement:
    """As for a run, but that a call which is refused there ends the process here."""
    limits = confine.Limits(60.0, MEMORY, confine.address_space())
    return confine.Confinement(limits, refusal=pyseccomp.KILL_PROCESS)


def run_confined(programs: list[str], walls: confine.Confinement, gate: bool) -> tuple[list[list[Any]], int]:
    """Pairs of a program's number and what it got; and the signal that ended the process, or 0."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(reading)
            walls.enter(writing)
            for number, source in enumerate(programs):
                signal.setitimer(signal.ITIMER_REAL, ALONE)
                try:
                    found = reached(source) if gate else _raw(source)
                except BaseException as error:
                    found = [] if _is_of_the_machine(error) else [f"the engine fails: {type(error).__name__}: {error}"]
                signal.setitimer(signal.ITIMER_REAL, 0)
                if found:
                    os.write(writing, json.dumps([number, [each[:300] for each in found[:5]]]).encode() + b"\n")
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading, encoding="utf-8", errors="replace") as report:
        lines = report.read().splitlines()
    _, status = os.waitpid(pid, 0)
    return [json.loads(line) for line in lines], -min(0, os.waitstatus_to_exitcode(status))


def _is_of_the_machine(error: BaseException) -> bool:
    return isinstance(error, MemoryError | RecursionError | Slow)


class Slow(BaseException):
    """A program takes too long."""


def _slow(number: int, frame: object) -> None:
    raise Slow


def _raw(source: str) -> list[str]:
    """Without the gate: Python itself, of which nothing may leave the process."""
    try:
        exec(compile(source, "<program>", "exec"), {"__name__": "hostile"})
    except Slow:
        raise
    except BaseException:
        pass
    return []


def judged(programs: list[str], walls: confine.Confinement, gate: bool) -> list[dict[str, Any]]:
    """What was found, each with its program alone."""
    found, ended = run_confined(programs, walls, gate)
    told = [{"program": programs[number], "reached": what} for number, what in found]
    if ended not in (signal.SIGSYS, signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS):
        return told
    if len(programs) == 1:
        harmless = gate and ended == signal.SIGSYS and _opens_only_itself(programs[0])
        return told if harmless else [*told, {"program": programs[0], "signal": ended}]
    half = len(programs) // 2
    return judged(programs[:half], walls, gate) + judged(programs[half:], walls, gate)


def _opens_only_itself(source: str) -> bool:
    """Of a text that is no program Python wants to show the line, and looks for a file ``<unknown>``; nothing else is opened."""
    seen: list[str] = []

    def notice(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            seen.append(str(arguments[0]))

    walls = confine.Confinement(confine.Limits(60.0, MEMORY, confine.address_space()))
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            sys.addaudithook(notice)
            walls.enter(writing)
            with contextlib.suppress(BaseException):
                reached(source)
            os.write(writing, json.dumps(seen).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading, encoding="utf-8") as report:
        told = report.read()
    os.waitpid(pid, 0)
    return bool(told) and set(json.loads(told)) <= {OWN, "<unknown>", PROGRAM_FILE} and "<unknown>" in told


def main() -> None:
    """As above."""
    seconds, seed, gate = float(sys.argv[1]), int(sys.argv[2]), "--without-gate" not in sys.argv
    given: list[str] = json.load(sys.stdin)
    worker.make(BOUNDS)
    signal.signal(signal.SIGALRM, _slow)
    walls, chance, ran, told = confinement(), random.Random(seed), 0, []
    if given:
        for first in range(0, len(given), TOGETHER):
            told += judged(given[first : first + TOGETHER], walls, gate)
        ran = len(given)
    until = time.monotonic() + seconds
    while not given and time.monotonic() < until:
        programs = [
            shapes.program(chance) if chance.random() < 0.6 else grammar.program(chance, 4) for _ in range(TOGETHER)
        ]
        told += judged(programs, walls, gate)
        ran += len(programs)
    json.dump({"ran": ran, "found": told}, sys.stdout)


if __name__ == "__main__":
    main()
