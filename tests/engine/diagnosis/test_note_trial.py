"""A fix of a trap is offered only if the mended program gets as far as the program did."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gradflow.engine.diagnosis import apply_edits
from gradflow.engine.diagnosis.note_trial import proven_notes
from gradflow.engine.diagnosis.trial import with_proven_fix
from gradflow.engine.run import run
from gradflow.engine.trace import Edit, Fix, Note, Span, Text, Trace

KEPT = """import torch
w = torch.tensor(3., requires_grad=True)
def shown(value):
    return {last}
total = 0
for turn in range(3):
    loss = (w - turn) ** 2
    loss.backward()
    w.grad = None
    total += loss
print(shown(total))"""


def kept(last: str) -> Note:
    [note] = [one for one in proven_notes(run(KEPT.format(last=last)), run).notes if one.code == "loss-kept-with-graph"]
    return note


def with_fix(trace: Trace, text: str) -> Trace:
    """The trace with a note that offers to write a last line."""
    fix = Fix(Text("a change", "修改"), [Edit(Span(1, 0, 1, 0), text)])
    object.__setattr__(trace, "notes", [Note("a-trap", None, Text("", ""), fix, [])])
    return trace


def test_a_number_is_kept_where_a_number_is_enough() -> None:
    note = kept("float(value)")
    assert note.fix is not None
    assert note.fix.title.en == "`loss.item()`"


def test_the_tensor_without_its_graph_is_kept_where_a_number_fails() -> None:
    note = kept("value.grad_fn")
    assert note.fix is not None
    assert note.fix.title == Text("`loss.detach()`", "`loss.detach()`")
    assert "`loss.detach()`" in note.explanation.en
    assert "item" not in note.explanation.en + note.explanation.zh
    assert run(apply_edits(KEPT.format(last="value.grad_fn"), note.fix.edits)).error is None


def test_a_fix_that_makes_the_program_fail_is_not_offered() -> None:
    assert proven_notes(with_fix(run("import torch"), "undefined\n"), run).notes[0].fix is None
    assert proven_notes(with_fix(run("import torch"), "import math\n"), run).notes[0].fix is not None
    assert proven_notes(with_fix(run("import torch"), "import math\n"), lambda source: None).notes[0].fix is None


def test_a_program_that_fails_may_fail_as_before() -> None:
    assert proven_notes(with_fix(run("1 / 0"), "import math\n"), run).notes[0].fix is not None
    assert proven_notes(with_fix(run("1 / 0"), "undefined\n"), run).notes[0].fix is None


def test_no_fix_where_there_is_no_time() -> None:
    assert proven_notes(with_fix(run("import torch"), "import math\n"), run, seconds=0).notes[0].fix is None


def test_what_the_time_limit_ended_is_left_as_it_is() -> None:
    trace = run("1 / 0")
    assert trace.error is not None
    object.__setattr__(trace, "error", replace(trace.error, code="time-limit"))
    assert proven_notes(with_fix(trace, "undefined\n"), run).notes[0].fix is not None


DECODED = """import torch
import torch.nn.functional as F
cell = torch.nn.GRUCell(3, 4)
def decode(x, h):
    scores = []
    for step in range(3):
        h = cell(x[:, step], h)
        scores.append(h)
        return torch.stack(scores, 1)
out = decode(torch.ones(2, 3, 3), torch.zeros(2, 4))
F.cross_entropy(out.reshape(-1, 4), torch.zeros(6, dtype=torch.long)).backward()
"""
UNCALLED = """import torch
def sizes(model):
    return {name: p.grad.abs().mean().item() for name, p in model.named_parameters()}
for act in (torch.nn.Tanh, torch.nn.ReLU):
    net = torch.nn.Sequential(torch.nn.Linear(2, 2), act())
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for step in range(2):
        loss = net(torch.ones(3, 2)).sum()
        opt.zero_grad()
        loss.backward
        opt.step()
    print(sizes(net))
"""


@pytest.mark.parametrize(
    ("source", "code", "line"), [(DECODED, "return-in-loop", 9), (UNCALLED, "method-not-called", 10)]
)
def test_a_trap_whose_fix_makes_the_program_run_is_the_cause_of_its_error(source: str, code: str, line: int) -> None:
    trace = run(source)
    proven = proven_notes(trace, run)
    assert proven.cause is not None
    assert proven.cause.code == code
    error, notes = proven.told_with(with_proven_fix(trace, run))
    assert error is not None
    assert error.cause is not None
    assert error.cause.line == line
    assert error.explanation.en.startswith(f"On line {line}: ")
    assert error.fix is not None
    assert run(apply_edits(source, error.fix.edits)).error is None
    assert code not in {note.code for note in notes}


def test_the_error_keeps_a_fix_of_its_own() -> None:
    source = "import numpy as np\n" + KEPT.format(last="value").replace("total = 0", "total = []").replace(
        "total += loss", "total.append(loss)"
    )
    source += "\nprint(np.mean(total))"
    trace = run(source)
    told = with_proven_fix(trace, run)
    assert told is not None
    assert told.fix is not None
    assert proven_notes(trace, run).told_with(told)[0] is told
