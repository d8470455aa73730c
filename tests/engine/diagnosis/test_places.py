"""The place of an error in the program."""

from __future__ import annotations

import pytest

from gradflow.engine.run import run


@pytest.mark.parametrize(
    ("source", "failed"),
    [
        ("for a in f():\n    print(a)\n    print(a)", "f()"),
        ("for a, b in [1, 2]:\n    print(a)\n    print(b)", "a, b"),
        ("while torch.ones(2) > 0:\n    print(1)\n    print(2)", "torch.ones(2) > 0"),
        ("if torch.ones(2) > 0:\n    print(1)\nelse:\n    print(2)", "torch.ones(2) > 0"),
        ("for a in range(2):\n    print(a)\n    a.mean()", "a.mean"),
    ],
)
def test_of_a_loop_or_a_condition_what_fails_is_its_head(source: str, failed: str) -> None:
    head = "import torch\ndef f():\n    yield 1\n    raise ValueError\n"
    error = run(head + source).error
    assert error is not None
    for span in (error.span, error.frames[0].span):
        assert span is not None
        if span.line > 4:
            line = (head + source).splitlines()[span.line - 1]
            assert (span.line, line[span.column : span.end_column]) == (span.end_line, failed)
    assert error.frames[0].span is not None
    assert error.frames[0].span.line > 4
