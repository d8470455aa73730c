"""The worker of the service with faults of ours: a module that was not loaded, and a function that opens a file."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable

from gradflow.backend.jail import worker


def make(options: dict[str, float]) -> Callable[[int], None]:
    """As `worker.make`."""
    work = worker.make(options)
    del sys.modules["unicodedata"]
    math.cbrt = _open_a_file
    return work


def _open_a_file(x: float) -> float:
    with open("/etc/hostname", encoding="utf-8"):
        return x
