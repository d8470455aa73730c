"""Hostile programs in the jail, where a system call other than those of computing ends the process: none is tried, and with the
gate off none is carried out. For a longer look: ``GRADFLOW_HOSTILE_SECONDS=1200``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from gradflow.backend.helper_process import environment_of_runs
from tests.engine.sandbox.hostile.grammar import PRELUDE
from tests.engine.sandbox.hostile.shapes import MORE
from tests.engine.sandbox.hostile.statements import each_tried

ROOT: Final = Path(__file__).parents[3]
SECONDS: Final = float(os.environ.get("GRADFLOW_HOSTILE_SECONDS", "5"))
SEED: Final = os.environ.get("GRADFLOW_HOSTILE_SEED", "1")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="seccomp is Linux's")


def report(programs: list[str], *options: str, seconds: float = 0) -> dict[str, Any]:
    """Of `tests.support.hostile_jail`."""
    command = [sys.executable, "-P", "-m", "tests.support.hostile_jail", str(seconds), SEED, *options]
    environment = environment_of_runs() | {"PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    done = subprocess.run(
        command, input=json.dumps(programs), env=environment, capture_output=True, text=True, check=True
    )
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])  # before it stands what the library warned of
    return told


def written(name: str, prelude: str) -> list[str]:
    text = (ROOT / "tests" / "engine" / "sandbox" / "hostile" / name).read_text(encoding="utf-8")
    return [prelude + program for program in text.split("\n\n")]


def test_the_written_programs_ask_the_system_for_nothing() -> None:
    names = ("evaluated.txt", "newcomers.txt", "reentrant.txt", "stand_ins.txt", "strangers.txt", "visitors.txt")
    carried = [program for name in names for program in written(name, PRELUDE + MORE)]
    told = report(written("programs.txt", PRELUDE) + carried)
    assert told["found"] == []
    assert told["ran"] > 800


def test_no_statement_of_the_written_programs_does() -> None:
    """Each is tried, whatever the one before it raised."""
    text = (ROOT / "tests" / "engine" / "sandbox" / "hostile" / "guests.txt").read_text(encoding="utf-8")
    told = report([PRELUDE + MORE + each_tried(program) for program in text.split("\n\n")])
    assert told["found"] == []
    assert told["ran"] > 350


def test_drawn_programs_ask_the_system_for_nothing() -> None:
    told = report([], seconds=SECONDS)
    assert told["found"] == []
    assert told["ran"] >= 20


def test_what_asks_the_system_is_seen() -> None:
    told = report(["import os\nos.getcwd()"], "--without-gate")
    assert [each["signal"] for each in told["found"]] == [31]
