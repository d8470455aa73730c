"""Every fix of `fixes.txt`: applied, it gives the program that stands there, which gets past the error; in any context.

A block of the file is the code of the error, the program, and the program after the fix; a line `!!!!!` names the error
that then comes next, for programs that have another one. `before 3.12` after the code says that it is an error of older
versions of Python.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from gradflow.engine.diagnosis import apply_edits
from gradflow.engine.diagnosis.fixers import FIXERS
from gradflow.engine.run import run
from gradflow.engine.trace import ErrorRecord
from tests.engine.diagnosis.fix_contexts import CONTEXTS, Context, commented, in_function, with_crlf
from tests.engine.errors.test_catalogue import FIXES

TEXT_CONTEXTS: tuple[Context, ...] = (commented, in_function, with_crlf)
TEXT_ERRORS = ("SyntaxError", "IndentationError", "TabError")


@dataclass(frozen=True)
class Example:
    """A failing program, and what its fix makes of it."""

    code: str
    source: str
    fixed: str
    further: str | None


def examples() -> Iterator[Example]:
    """The blocks of the file."""
    text = (Path(__file__).parent / "fixes.txt").read_text(encoding="utf-8").rstrip("\n")
    for block in text.split("\n-----\n"):
        before, after = block.split("\n=====\n")
        head, source = before.split("\n", 1)
        fixed, _, further = after.partition("\n!!!!! ")
        code, _, end = head.removeprefix("# ").partition(" before ")
        if not end or sys.version_info < tuple(map(int, end.split("."))):
            yield Example(code, source, fixed, further or None)


EXAMPLES = list(examples())


@cache
def error_of(source: str) -> ErrorRecord:
    record = run(source).error
    assert record is not None
    return record


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: f"{example.code}:{example.source[-30:]!r}")
def test_a_fix_gives_the_program_that_was_meant(example: Example) -> None:
    record = error_of(example.source)
    assert record.code == example.code
    assert record.fix is not None
    assert record.fix.title.en
    assert record.fix.title.zh
    fixed = apply_edits(example.source, record.fix.edits)
    assert fixed == example.fixed
    after = run(fixed).error
    assert (after and after.type) == example.further


@pytest.mark.parametrize("context", CONTEXTS, ids=lambda context: context.__name__)
def test_a_fix_in_another_context_is_as_right(context: Context) -> None:
    """No fix is offered, or one that gets past the error; nearly everywhere there is one."""
    offered = missing = 0
    for example in EXAMPLES:
        is_text = error_of(example.source).type in TEXT_ERRORS
        source = None if is_text and context not in TEXT_CONTEXTS else context(example.source)
        record = run(source).error if source is not None else None
        if source is None or record is None or record.code != example.code:
            continue
        if record.fix is None:
            missing += 1
            continue
        offered += 1
        after = run(apply_edits(source, record.fix.edits)).error
        if after is not None and not (example.code == "unmatched-indent" and after.type == "NameError"):
            assert (after.code, after.message) != (record.code, record.message), source
            assert after.type == example.further, source
    assert offered > 0
    assert missing <= offered / 8


def test_what_the_program_makes_of_its_objects_harms_no_fix() -> None:
    source = (
        "import torch\nclass Odd(list):\n    def __len__(self): raise KeyError('odd')\n"
        "    def __eq__(self, other): raise KeyError('odd')\nv = Odd([1])\nv[1]"
    )
    record = error_of(source)
    assert (record.type, record.code, record.fix) == ("IndexError", "sequence-index", None)


def test_most_fixes_have_an_example() -> None:

    shown = {example.code for example in EXAMPLES} | {error_of(source).code for source in FIXES}
    assert len(set(FIXERS) - shown) < 60


@pytest.mark.parametrize(
    "source",
    [
        "import torch\nx = torch.ones(3)\ny = torch.ones(4)\nx + y",
        "import torch\nx = torch.ones(3, requires_grad=True)\nx.argmax().backward()",
        "import torch\nx = torch.ones(3)\nx.append(1)",
        "import torch\nx = torch.ones(3)\nx.T = 3",
        "import pandas as pd\npd.DataFrame()",
        "import lightning\nlightning.Trainer()",
        "x = 3 +",
        "break",
        "else:\n    x = 1",
        "f = lambda: pass",
        "a, b = [1, 2, 3]",
        "def f(x): return x\nf()",
        "import bokeh.plotting as plt\nfor x in plt.colors: print(x)",
        "import torch\ny = torch.ones(2) * 2\ndef f():\n    y.add_(torch.ones(3, 2))\nf()",
        "improt torchh, as",
    ],
)
def test_no_fix_where_none_is_certain(source: str) -> None:
    assert error_of(source).fix is None
