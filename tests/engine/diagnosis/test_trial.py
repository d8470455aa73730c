"""A fix is proven by running the mended program."""

from __future__ import annotations

from dataclasses import replace

from gradflow.engine.diagnosis.trial import gets_past, with_proven_fix
from gradflow.engine.run import run
from gradflow.engine.trace import Edit, ErrorRecord, Fix, Span, Text

SOURCE = "import torch\ny = torch.ones(2, requires_grad=True) * 2\ny.backward()"


def error_of(source: str) -> ErrorRecord | None:
    return run(source).error


def failed() -> ErrorRecord:
    record = error_of(SOURCE)
    assert record is not None
    return record


def test_a_fix_that_helps_stays() -> None:
    record = failed()
    assert record.fix is not None
    assert with_proven_fix(record, SOURCE, error_of) is record


def test_a_fix_after_which_the_same_error_comes_is_taken_back() -> None:
    useless = Fix(Text("a line", "一行"), [Edit(Span(1, 0, 1, 0), "import math\n")])
    record = replace(failed(), fix=useless)
    assert with_proven_fix(record, SOURCE, error_of).fix is None


def test_the_same_error_further_on_is_another_one() -> None:
    record = failed()
    assert record.span is not None
    later = replace(record, span=replace(record.span, line=record.span.line + 1))
    assert gets_past(record, [], later)
    assert not gets_past(record, [], record)
    assert not gets_past(record, [], replace(record, span=None))
