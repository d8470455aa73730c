"""Where a search looks: the expressions of the failed line, then those that its values were computed from."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice
from typing import Final

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.findings.layers import maker_of
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.namespace.nn.module import Module as Layer

_MOST: Final = 60
_EACH: Final = 30


def failed(case: Case) -> ast.AST | None:
    """The expression that failed, or the statement where it is no expression."""
    node = case.find(ast.expr) or case.find(ast.stmt)
    if isinstance(node, ast.For):
        return node.iter
    return node


def spots(case: Case) -> list[ast.expr]:
    """The expressions that an error can come from, those of the failed one first, each once."""
    root = failed(case)
    if root is None:
        return []
    return list(islice(dict.fromkeys(_around(case, root)), _MOST))


def _around(case: Case, root: ast.AST) -> Iterator[ast.expr]:
    own = [one for one in ast.walk(root) if isinstance(one, ast.expr)]
    yield from own
    flow = Flow(case)
    for one in own:
        if isinstance(one, ast.Name | ast.Attribute | ast.Call):
            for behind in islice(flow.behind(one), _EACH):
                yield behind
                yield from _inside(case, behind)


def _inside(case: Case, node: ast.expr) -> Iterator[ast.expr]:
    """The numbers and texts of a call, and of the call that made the layer which it applies."""
    held = case.value(node) if isinstance(node, ast.Name | ast.Attribute) else None
    made = maker_of(case, held) if isinstance(held, Layer) else None
    for call in (node, made):
        if isinstance(call, ast.Call):
            yield from (one for one in ast.walk(call) if isinstance(one, ast.expr))
