"""A fix is proven by running the mended program."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gradflow.engine.diagnosis import apply_edits
from gradflow.engine.diagnosis.finding import Diagnosed, Finding
from gradflow.engine.diagnosis.trial import difference, gets_past, with_proven_fix
from gradflow.engine.run import run
from gradflow.engine.trace import Edit, ErrorRecord, Fix, Span, Text, Trace

SOURCE = "import torch\ny = torch.ones(2, requires_grad=True) * 2\ny.backward()"


def proven(trace: Trace) -> ErrorRecord:
    record = with_proven_fix(trace, run)
    assert record is not None
    return record


def failed(*fixes: Fix, source: str = SOURCE) -> Trace:
    """The trace of a failed program, with these fixes in place of its own."""
    trace = run(source)
    assert trace.error is not None
    told = replace(trace.error) if not isinstance(trace.error, Diagnosed) else trace.error
    found = [Finding(Text("cause", "原因"), list(fixes))] if fixes else told.findings
    object.__setattr__(trace, "error", Diagnosed.of(told, found))
    return trace


def edit(line: int, column: int, end: int, text: str) -> Fix:
    return Fix(Text("a change", "修改"), [Edit(Span(line, column, line, end), text)])


def test_a_fix_that_helps_stays() -> None:
    record = proven(failed())
    assert record.fix is not None
    assert [fix.title.en for fix in record.choices] == ["`y.backward(torch.ones_like(y))`", "`y.mean().backward()`"]
    assert record.choices[0] == record.fix


def test_a_fix_after_which_the_same_error_comes_is_taken_back() -> None:
    record = proven(failed(edit(1, 0, 0, "import math\n")))
    assert (record.fix, record.choices) == (None, [])
    assert record.explanation == Text("cause", "原因")


def test_what_is_left_of_two_readings_is_no_choice() -> None:
    record = proven(failed(edit(1, 0, 0, "import math\n"), edit(3, 11, 11, "torch.ones(2)")))
    assert record.fix is not None
    assert record.choices == []


LOOP = """import torch
w = torch.tensor(3., requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for turn in range(4):
    loss = (w - 1) ** 2
    loss.backward()
    opt.step()
    opt.zero_grad()
undefined"""


@pytest.mark.parametrize(
    ("source", "unsound"),
    [
        (LOOP, edit(9, 0, 9, "torch.ones(0)")),
        (LOOP, edit(9, 0, 9, "for turn in range(2): torch.tensor(1., requires_grad=True).backward()")),
        (LOOP, edit(9, 0, 9, "y = w * 2\nfor turn in range(2): y.backward()")),
        (LOOP, edit(9, 0, 9, "for turn in range(3): ((w + 1) ** 2).backward()")),
        (LOOP, edit(9, 0, 9, "(torch.tensor([1., 2.], requires_grad=True) * 2).sum().backward()")),
        (LOOP, edit(9, 0, 9, "1 / 0")),
    ],
)
def test_a_fix_that_only_makes_the_error_go_away_is_taken_back(source: str, unsound: Fix) -> None:
    assert proven(failed(unsound, source=source)).fix is None
    assert proven(failed(edit(9, 0, 9, "turn"), source=source)).fix is not None


def test_a_fix_with_the_fix_of_the_next_error_is_one() -> None:
    source = "import torch\nx = torch.ones(2, requires_grad=True\nprint(x.sume())"
    record = proven(run(source))
    assert record.fix is not None
    assert run(apply_edits(source, record.fix.edits)).error is None
    assert record.fix.title.en.count(";") == 1


def test_no_fix_where_there_is_no_time() -> None:
    assert with_proven_fix(failed(), run, seconds=0).fix is None  # type: ignore[union-attr]  # it failed


def test_the_same_error_further_on_is_another_one() -> None:
    record = proven(failed())
    fix = Fix(Text("", ""), [])
    assert record.span is not None
    later = replace(record, span=replace(record.span, line=record.span.line + 1))
    assert gets_past(record, fix, later)
    assert not gets_past(record, fix, record)
    assert not gets_past(record, fix, replace(record, span=None))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a\nb\nc", "a\nx\nc"),
        ("a\nb", "b"),
        ("a\nb", "a"),
        ("a", "a\nb\nc"),
        ("b", "a\nb"),
        ("a\nb\nc", "c\nd"),
        ("a\n", "a\nb\n"),
    ],
)
def test_a_difference_makes_the_one_of_the_other(before: str, after: str) -> None:
    assert apply_edits(before, difference(before, after)) == after


def test_what_shows_behind_a_fix_is_told() -> None:
    record = proven(
        run("import torch\nw = torch.tensor(1.0, requires_grad=True)\n(w ** 2).backward()\nw.assign_sub(w.grad)")
    )
    assert record.fix is not None
    assert "; " in record.fix.title.en
    assert "With that mended, the next mistake shows: " in record.explanation.en
    assert "改好之后会露出下一个错误：" in record.explanation.zh


def test_a_chosen_dimension_is_no_reason_to_change_the_layer_behind_it() -> None:
    source = "import torch\nh = torch.randn(2, 5, 8)\nm = h.mean(dim=3)\nprint(torch.nn.Linear(8, 2)(m))"
    assert proven(run(source)).fix is None
