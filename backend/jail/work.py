"""What the fork server does in each process that it forks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Work:
    """``run`` reads the request from a descriptor and writes the answer to it, inside the walls. ``building``: what can be
    made ready for all processes to come, step by step, while there is nothing else to do."""

    run: Callable[[int], None]
    building: Iterator[None]
