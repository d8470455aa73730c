"""Texts that are evaluated while a program runs reach no more than the program: those written for it, and all other hostile programs as texts."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Final

import pytest

from gradflow.engine.run import run
from gradflow.engine.sandbox.program import Rejected, check
from tests.engine.sandbox.hostile.grammar import PRELUDE, attempt
from tests.engine.sandbox.hostile.oracle import reached
from tests.engine.sandbox.hostile.shapes import MORE
from tests.engine.sandbox.hostile.statements import each_tried

HERE: Final = Path(__file__).parent
EVALUATED: Final = (HERE / "evaluated.txt").read_text(encoding="utf-8").strip().split("\n\n")
OTHERS: Final = ("newcomers.txt", "programs.txt", "stand_ins.txt", "strangers.txt", "visitors.txt")
FORMS: Final = (
    "exec({!r})",
    "ns = {{**globals()}}\nexec({!r}, ns)\nout.append(ns)",
    "def inside(): exec({!r}, globals(), locals())\ninside()",
    "exec(compile({!r}, 'a', 'exec'))",
)


@pytest.mark.parametrize("program", EVALUATED, ids=lambda program: program.split("\n")[0][:60])
def test_a_text_gets_nothing(program: str) -> None:
    assert reached(PRELUDE + MORE + program) == []
    assert reached(PRELUDE + MORE + each_tried(program)) == []


@pytest.mark.parametrize("name", OTHERS)
def test_no_hostile_program_gets_anything_as_a_text(name: str) -> None:
    programs = (HERE / name).read_text(encoding="utf-8").split("\n\n")
    for place, program in enumerate(programs):
        source = PRELUDE + MORE + FORMS[place % len(FORMS)].format(program)
        assert reached(source) == [], program


def test_no_drawn_attempt_does() -> None:
    chance = random.Random(7)
    for place in range(300):
        text = attempt(chance)
        assert reached(PRELUDE + FORMS[place % len(FORMS)].format(text)) == [], text


@pytest.mark.parametrize(
    "program", [each for name in OTHERS[:2] for each in (HERE / name).read_text(encoding="utf-8").split("\n\n")]
)
def test_what_is_refused_in_a_program_is_refused_in_a_text(program: str) -> None:
    refused = _refusal(program)
    if refused is not None:
        error = run(f"exec({program!r})").error
        assert error is not None
        assert (error.type, error.message.partition(" (<string>")[0]) == (refused.type, str(refused.msg))


def _refusal(program: str) -> Rejected | None:
    try:
        check(program)
    except Rejected as refused:
        return refused
    return None
