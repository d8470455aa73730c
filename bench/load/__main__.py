"""python -m bench.load [--seconds N] [SCENE ...]

Plays the scenes one after the other, tells beside each figure its limit, and exits with status 1 where one was broken.
Everything runs on this machine, the clients too: what else it does is in the figures. A scene that fails, or does not come
to its end, counts as broken, and the next one is played.
"""

from __future__ import annotations

import argparse
import contextlib
import signal
import sys
import time
import traceback
from collections.abc import Iterator
from types import FrameType
from typing import Final

from bench.load import scenes
from bench.load.children import children

SCENES: Final = {
    "learners": scenes.learners,
    "fairness": scenes.fairness,
    "lesson": scenes.lesson,
    "throughput": scenes.throughput,
    "memory": scenes.memory,
    "children": children,
    "kills": scenes.kills,
}


_LOADS: Final = 12
"""No scene keeps up its load as often as that."""
_BESIDE: Final = 400
"""Seconds for what a scene does beside its loads: servers that start, processes that are killed."""


@contextlib.contextmanager
def ended_within(seconds: float) -> Iterator[None]:
    """Raises TimeoutError in what takes longer."""

    def overdue(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"the scene did not end within {seconds:.0f} s")

    before = signal.signal(signal.SIGALRM, overdue)
    signal.setitimer(signal.ITIMER_REAL, seconds, 5)  # again and again, should it be caught
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def played(name: str, seconds: float) -> bool:
    """Whether a scene came to its end and kept its limits."""
    began, kept = time.monotonic(), False
    try:
        with ended_within(seconds * _LOADS + _BESIDE):
            kept = SCENES[name](seconds)
    except Exception:
        traceback.print_exc()
    print(f"{name}: {'kept' if kept else 'BROKEN'}, in {time.monotonic() - began:.0f} s", flush=True)
    return kept


def main() -> int:
    """As above."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20, help="how long each load is kept up (20)")
    parser.add_argument("scenes", nargs="*", choices=[[], *SCENES], help="all of them, unless named")
    given = parser.parse_args()
    broken = [name for name in given.scenes or SCENES if not played(name, given.seconds)]
    print(f"limits broken: {', '.join(broken)}" if broken else "all limits kept")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
