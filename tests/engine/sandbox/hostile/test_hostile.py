"""Programs that try to get out of the language: drawn from a grammar, and written by hand.

To look for ways that nobody has met: ``GRADFLOW_HOSTILE=20000``, and ``GRADFLOW_HOSTILE_SEED`` for others.
"""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Final

import pytest

from gradflow.engine.run import run
from gradflow.engine.sandbox import gate
from gradflow.engine.sandbox.program import Rejected, check
from tests.engine.sandbox.hostile.grammar import PRELUDE, attempt
from tests.engine.sandbox.hostile.oracle import reached
from tests.engine.sandbox.hostile.shapes import MORE

DRAWS: Final = int(os.environ.get("GRADFLOW_HOSTILE", "2000"))
SEED: Final = int(os.environ.get("GRADFLOW_HOSTILE_SEED", "1"))
TOGETHER: Final = 25
CARRIED: Final = [
    program
    for name in ("newcomers.txt", "stand_ins.txt", "strangers.txt", "visitors.txt")
    for program in Path(__file__).with_name(name).read_text(encoding="utf-8").split("\n\n")
]
WRITTEN: Final = Path(__file__).with_name("programs.txt").read_text(encoding="utf-8").split("\n\n")


def test_the_oracle_sees_what_is_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a hole made by hand."""
    monkeypatch.setattr(gate, "_special_readable", lambda cls, name: True)
    monkeypatch.setattr(gate, "_function_readable", lambda value, name: True)
    assert reached("out = []\ndef f(): pass\nout.append(getattr(f, '__globals__'))")
    assert reached("out = []\ndef f(x):\n    return lambda: x\nout.append([{1: f(1).__closure__}])")


@pytest.mark.parametrize("part", range(4))
def test_nothing_is_reached_by_any_route(part: int) -> None:
    chance = random.Random(SEED * 4 + part)
    for _ in range(DRAWS // TOGETHER // 4):
        attempts = [attempt(chance) for _ in range(TOGETHER)]
        source = PRELUDE + "\n".join(attempts)
        whole = not _is_refused(source)
        assert (reached(source) if whole else _smallest(attempts)) == [], _smallest(attempts)


def _is_refused(source: str) -> bool:
    try:
        check(source)
    except Rejected:
        return True
    return False


def _smallest(attempts: list[str]) -> list[tuple[str, list[str]]]:
    return [(one, found) for one in attempts if (found := reached(PRELUDE + one))]


@pytest.mark.parametrize("program", WRITTEN, ids=lambda program: program.split("\n")[0][:60])
def test_a_program_written_to_get_out_gets_nothing(program: str) -> None:
    assert reached(PRELUDE + program) == []


def test_what_comes_before_the_programs_runs() -> None:
    """Or none of them would be tried."""
    assert run(PRELUDE + MORE).error is None


@pytest.mark.parametrize("program", CARRIED, ids=lambda program: program.split("\n")[0][:60])
def test_what_programs_carry_along_gives_nothing(program: str) -> None:
    assert reached(PRELUDE + MORE + program) == []
