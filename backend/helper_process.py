"""How a helper process of the service is started: the same Python, the same packages, nothing of the current folder."""

from __future__ import annotations

import os
import sys


def command(module: str, *arguments: str) -> list[str]:
    """Runs a module; ``-P`` keeps files of the current folder from standing in for those of Python's library."""
    return [sys.executable, "-P", "-m", module, *arguments]


def environment(*names: str) -> dict[str, str]:
    """These variables of the service's environment and what Python needs to find its modules; no others."""
    wanted = ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH", *names)
    return {name: os.environ[name] for name in wanted if name in os.environ}


def environment_of_runs() -> dict[str, str]:
    """For the processes that run programs. Sets of strings have one order everywhere, and sums one order of addition."""
    asked = {"LANGUAGE": "C", "COLUMNS": "80", "LINES": "24"}  # what argparse would ask the system for
    fixed = asked | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
    return environment("LANG", "LC_ALL") | fixed
