"""Every trap of `traps.txt` is told at its line, its fix is right, and programs that are right are left alone."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

from gradflow.engine.diagnosis import apply_edits, traps
from gradflow.engine.diagnosis.traps import Record, Trap
from gradflow.engine.run import run
from gradflow.engine.trace import Note
from tests.golden.cases import cases
from tests.support.traps import TrapExample, in_a_function, right_programs, trap_examples

ROOT = Path(__file__).parents[3]
TRAPS = {trap.code: trap for module in traps.MODULES for trap in vars(module).values() if isinstance(trap, Trap)}


EXAMPLES = list(trap_examples())
RIGHT = list(right_programs())


@pytest.fixture(autouse=True)
def loud(monkeypatch: pytest.MonkeyPatch) -> None:
    """Finders that fail are heard of here; in the product they are left out."""
    monkeypatch.setattr(traps, "_found", lambda finder, record: finder(record))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: f"{example.code}:{example.source[-30:]!r}")
def test_a_trap_is_told_at_its_line_and_mended(example: TrapExample) -> None:
    trace = run(example.source)
    assert trace.error is None
    assert [(note.code, note.span and note.span.line) for note in trace.notes] == [(example.code, example.line)]
    fix = trace.notes[0].fix
    assert (fix and apply_edits(example.source, fix.edits)) == example.fixed
    if example.fixed is not None:
        mended = run(example.fixed)
        assert mended.error is None
        assert mended.notes == []


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: f"{example.code}:{example.source[-30:]!r}")
def test_a_trap_is_told_in_a_function_as_well(example: TrapExample) -> None:
    within = in_a_function(example.source)
    if within is None:
        return
    source, outside = within
    trace = run(source)
    if trace.error is not None:  # a function of the program reads what is no global name now
        return
    line = example.line if example.line <= outside else example.line + 1
    told = [(note.code, note.span and note.span.line) for note in trace.notes]
    assert (example.code, line) in told


@pytest.mark.parametrize("source", RIGHT, ids=lambda source: repr(source[-40:]))
def test_programs_that_are_right_are_left_alone_in_a_function_as_well(source: str) -> None:
    within = in_a_function(source)
    trace = run(within[0] if within is not None else source)
    assert trace.error is not None or trace.notes == []


def test_every_trap_has_an_example() -> None:
    assert {example.code for example in EXAMPLES} == set(TRAPS)


@pytest.mark.parametrize("trap", TRAPS.values(), ids=TRAPS)
def test_both_languages_say_the_same_things(trap: Trap) -> None:
    names = [{name for _, name, _, _ in string.Formatter().parse(text) if name} for text in (trap.en, trap.zh)]
    assert names[0] == names[1]
    assert re.search(r"[\u4e00-\u9fff]", trap.zh)


SHOWN_ON_PURPOSE = ROOT / "tests" / "engine" / "diagnosis" / "trap_programs.txt"
"""Recorded programs that walk into a trap, with its code: to show it, or to try what PyTorch does there."""


def test_recorded_programs_that_are_right_are_left_alone() -> None:
    found = {
        f"{Path(case.path).relative_to(ROOT)} {note.code}" for case in cases() for note in _told(case.path.read_text())
    }
    assert sorted(found) == SHOWN_ON_PURPOSE.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("source", RIGHT, ids=lambda source: repr(source[-40:]))
def test_programs_that_look_like_a_trap_and_are_right_are_left_alone(source: str) -> None:
    trace = run(source)
    assert trace.error is None
    assert trace.notes == []


TWO_LISTS = """\
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 4)
        self.layers = [nn.Linear(4, 4) for _ in range(2)]
        self.norms = [nn.LayerNorm(4) for _ in range(2)]
    def forward(self, x):
        x = self.first(x)
        for layer, norm in zip(self.layers, self.norms):
            x = torch.relu(norm(layer(x)))
        return x
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    net(torch.ones(4, 3)).sum().backward()
    optimizer.step()
"""


def test_the_fix_of_one_of_two_lists_mends_both() -> None:
    notes = run(TWO_LISTS).notes
    assert [note.code for note in notes] == ["parameters-in-plain-list"] * 2
    for note in notes:
        assert note.fix is not None
        mended = run(apply_edits(TWO_LISTS, note.fix.edits))
        assert mended.error is None
        assert mended.notes == []


def _told(source: str) -> list[Note]:
    return [note for note in run(source).notes if note.code != "ipython-line"]


def test_a_finder_that_fails_costs_its_own_notes_only(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(record: Record) -> Iterator[Note]:
        raise RuntimeError("odd")
        yield

    monkeypatch.undo()
    monkeypatch.setattr(traps, "FINDERS", (failing, *traps.FINDERS))
    assert [note.code for note in run(EXAMPLES[0].source).notes] == [EXAMPLES[0].code]
