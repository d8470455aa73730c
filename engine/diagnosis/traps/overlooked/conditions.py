"""Conditions that are true whatever is asked: a text stands in them in the place of a question."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine.diagnosis.findings.language.constant_conditions import always_true
from gradflow.engine.diagnosis.traps.record import Record, Trap
from gradflow.engine.trace import Note

ALWAYS_TRUE: Final = Trap(
    "condition-always-true",
    "`{whole}` is always true: Python takes `{text}` for a condition of its own, and a text that is not empty is true. Ask for each text: `{asked}`.",
    "`{whole}` 永远为真：Python 把 `{text}` 单独当作一个条件，而非空字符串为真。请对每个字符串都提问：`{asked}`。",
)


def always_true_tests(run: Record) -> Iterator[Note]:
    """``if "conv" or "norm" in name``."""
    if " or " not in run.program.source:
        return
    for node in run.case.nodes(ast.BoolOp):
        parent = run.case.parents.get(node)
        is_test = getattr(parent, "test", None) is node or node in getattr(parent, "ifs", ())
        found = always_true(run.case, node) if is_test else None
        if found is None:
            continue
        fix = run.fix(run.case.replace(node, found.asked), f"`{found.asked}`", f"`{found.asked}`")
        words = {
            "whole": " ".join(run.case.text(node).split()),
            "text": run.case.text(found.text),
            "asked": found.asked,
        }
        yield ALWAYS_TRUE.note(run.program.span_of(node), (), fix, **words)


TRAPS: Final = (always_true_tests,)
