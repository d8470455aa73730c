"""Numbers of another dtype than a function takes: which operand holds them, since where, and what is needed in their place."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, kind_source
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.search.kinds import operands
from gradflow.engine.diagnosis.search.spots import failed
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.tensor import Tensor

_WHOLE: Final = (errors.ONE_HOT_DTYPE,)
RECURRENT: Final = "RNN input dtype"
"""How the message of a recurrent layer begins, which says that its input is of another dtype."""


@finds(*_WHOLE)
def _whole_numbers_needed(case: Case) -> Finding | None:
    """``F.one_hot(labels)`` of labels that are floats."""
    for node, tensor in _tensors(case):
        if not tensor.dtype.is_floating_point:
            continue
        made = kind_source(case, node) or definition(case, node)
        call = case.find(ast.Call)
        if call is None:
            return None
        where, where_zh = (
            (f" (line {line(made)})", f"（第 {line(made)} 行）") if line(made) != case.span.line else ("", "")
        )
        text = f"{case.operand(node)}.long()"
        return finding(
            case,
            f"{code(case, node)}{where} holds floats (`{tensor.dtype}`), and {code(case, call.func)} takes numbers of classes, which are whole"
            f" (`torch.int64`). Convert them: `{text}`, or write them without a point where they are made.",
            f"{code(case, node)}{where_zh} 存的是浮点数（`{tensor.dtype}`），而 {code(case, call.func)} 需要类别编号，即整数（`torch.int64`）。请转换：`{text}`，"
            f"或者在创建时不写小数点。",
            case.fix(case.followed(node, ".long()"), call),
            made,
        )
    return None


def _tensors(case: Case) -> Iterator[tuple[ast.expr, Tensor]]:
    """The tensors that go into the failed expression."""
    node = failed(case)
    for one in operands(case, [node]) if isinstance(node, ast.expr) else ():
        tensor = Flow(case).tensor(one)
        if tensor is not None:
            yield one, tensor


def odd_operand(case: Case) -> tuple[ast.BinOp | ast.Call, ast.expr, Tensor] | None:
    """The product that failed, and its operand that is not float32, with its tensor."""
    flow = Flow(case)
    node = case.find(ast.BinOp) or case.find(ast.Call)
    if node is None or not str(case.details.get("message", RECURRENT)).startswith(RECURRENT):
        return None
    layer = case.value(node.func) if isinstance(node, ast.Call) else None
    parts = [node.left, node.right] if isinstance(node, ast.BinOp) else [*node.args]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not isinstance(layer, Layer):
        parts = [node.func.value, *parts]
    for part in parts:
        tensor = flow.tensor(part)
        if isinstance(tensor, Tensor) and str(tensor.dtype) != "torch.float32":
            return node, part, tensor
    return None
