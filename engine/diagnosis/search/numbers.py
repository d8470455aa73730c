"""Whole numbers that should be others: those that the message and the shapes of the operands name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import Final

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Reading
from gradflow.engine.diagnosis.findings.words import code, line, text_with
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.search.reading import written
from gradflow.engine.namespace.nn.module import Module as Layer

_MOST: Final = 12


def sizes(case: Case, nodes: Sequence[ast.expr]) -> Iterator[Reading | None]:
    """A number in the making of a layer that the message names, and another that it names for it."""
    if "divisible" in _message(case):
        return
    named = list(dict.fromkeys(int(one) for one in re.findall(r"(?<![\w.])\d{1,6}(?![\w.])", _message(case))))
    count = 0
    for node in nodes:
        call = _call_around(case, node)
        if not isinstance(node, ast.Constant) or type(node.value) is not int or call is None or node.value not in named:
            continue
        for other in named:
            if other in (node.value, 0) or count >= _MOST:
                continue
            count += 1
            text = text_with(case, call, node, str(other))
            yield written(
                case,
                node,
                str(other),
                f"{code(case, call)} on line {line(call)} is made with {node.value}, and what it meets has {other}. Make it with that: `{text}`.",
                f"第 {line(call)} 行的 {code(case, call)} 用的是 {node.value}，而与它配合的是 {other}。请改成一致：`{text}`。",
            )


def _message(case: Case) -> str:
    return str(case.details.get("message", "")) or " ".join(str(one) for one in case.details.values())


def _call_around(case: Case, node: ast.AST) -> ast.Call | None:
    """The call of a layer's class that a number is an argument of."""
    parent = case.parents.get(node)
    if isinstance(parent, ast.keyword):
        parent = case.parents.get(parent)
    held = case.value(parent.func) if isinstance(parent, ast.Call) else None
    return parent if isinstance(parent, ast.Call) and isinstance(held, type) and issubclass(held, Layer) else None


def shape_of(case: Case, node: ast.expr) -> list[int] | None:
    """The shape of what an expression gave."""
    tensor = Flow(case).tensor(node)
    return list(map(int, tensor.shape)) if tensor is not None else None
