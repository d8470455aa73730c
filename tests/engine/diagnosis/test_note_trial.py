"""A fix of a trap is offered only if the mended program gets as far as the program did."""

from __future__ import annotations

from dataclasses import replace

from gradflow.engine.diagnosis import apply_edits
from gradflow.engine.diagnosis.note_trial import proven_notes
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
    [note] = [one for one in proven_notes(run(KEPT.format(last=last)), run) if one.code == "loss-kept-with-graph"]
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
    assert proven_notes(with_fix(run("import torch"), "undefined\n"), run)[0].fix is None
    assert proven_notes(with_fix(run("import torch"), "import math\n"), run)[0].fix is not None
    assert proven_notes(with_fix(run("import torch"), "import math\n"), lambda source: None)[0].fix is None


def test_a_program_that_fails_may_fail_as_before() -> None:
    assert proven_notes(with_fix(run("1 / 0"), "import math\n"), run)[0].fix is not None
    assert proven_notes(with_fix(run("1 / 0"), "undefined\n"), run)[0].fix is None


def test_no_fix_where_there_is_no_time() -> None:
    assert proven_notes(with_fix(run("import torch"), "import math\n"), run, seconds=0)[0].fix is None


def test_what_the_time_limit_ended_is_left_as_it_is() -> None:
    trace = run("1 / 0")
    assert trace.error is not None
    object.__setattr__(trace, "error", replace(trace.error, code="time-limit"))
    assert proven_notes(with_fix(trace, "undefined\n"), run)[0].fix is not None
