"""Arguments in another order: of the failed call, of the calls that made what it uses, and the two sides of a product."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Reading
from gradflow.engine.diagnosis.findings.words import code
from gradflow.engine.diagnosis.search.reading import at, reading, written
from gradflow.engine.namespace.nn.module import Module as Layer


def swapped(case: Case, nodes: Sequence[ast.expr]) -> Iterator[Reading | None]:
    """The first two arguments of a call the other way round."""
    for call in nodes:
        if not isinstance(call, ast.Call) or len(call.args) < 2:
            continue
        one, two = call.args[:2]
        if _are_sizes(case, call):
            continue
        texts = case.text(one), case.text(two)
        if texts[0] == texts[1] or any(isinstance(each, ast.Starred) for each in (one, two)):
            continue
        where, where_zh = at(case, call)
        edits = [*case.replace(one, texts[1]), *case.replace(two, texts[0])]
        yield reading(
            case,
            call,
            edits,
            f"The first two arguments of {code(case, call)}{where} stand the wrong way round: {code(case, call.func)} takes `{texts[1]}` first and"
            f" `{texts[0]}` after it. Swap them.",
            f"{where_zh}{code(case, call)} 的前两个参数次序反了：{code(case, call.func)} 先要 `{texts[1]}`，再要 `{texts[0]}`。请交换它们。",
        )


def _are_sizes(case: Case, call: ast.Call) -> bool:
    """Whether the arguments of a call that makes no layer are all numbers: nothing says in which order they belong."""
    held = case.value(call.func)
    makes = isinstance(held, type) and issubclass(held, Layer)
    return not makes and all(isinstance(case.value(one), int | float) for one in call.args[:2])


def sides(case: Case, nodes: Sequence[ast.expr]) -> Iterator[Reading | None]:
    """``w @ x`` for ``x @ w``."""
    node = nodes[0] if nodes else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        text = f"{_part(case, node.right)} @ {_part(case, node.left)}"
        yield written(
            case,
            node,
            text,
            f"The factors of {code(case, node)} stand the wrong way round: a product of matrices pairs the columns of the left one with the rows of"
            f" the right one. Write `{text}`.",
            f"{code(case, node)} 的两个因子次序反了：矩阵乘积用左边的列对右边的行。请写成 `{text}`。",
        )


def _part(case: Case, node: ast.expr) -> str:
    return f"({case.text(node)})" if isinstance(node, ast.BinOp | ast.UnaryOp | ast.IfExp) else case.text(node)
