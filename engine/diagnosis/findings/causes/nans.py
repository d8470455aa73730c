"""Checks that fail because a value is nan: where the first nan was made."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import numpy as np

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import code, finding
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.tensor import Tensor


@finds(errors.MODULE_ARGUMENT, errors.BCE_RANGE, errors.DISTRIBUTION)
def _not_a_number(case: Case) -> Finding | None:
    """``Categorical(policy(s))`` of nan: the policy itself is spoiled since the step after a loss that was nan."""
    call = case.find(ast.Call)
    given = next(_spoiled(case, call), None) if call is not None else None
    if call is None or given is None:
        return None
    learned_nan = _is_learned(case, given)
    own = case.context.first_nan(Flow(case).tensor(given))
    first = own or (case.context.first_nan(None) if learned_nan else None)
    if first is None:
        return None
    span, text, why = first
    node = case.find(ast.expr, span) if span is not None else None
    where = f" on line {span.line}" if span is not None else ""
    where_zh = f"第 {span.line} 行的 " if span is not None else ""
    learned, learned_zh = (
        (
            " That spoiled the loss, and with the step after it all parameters.",
            "它使损失变成 nan，随后的一步更新又使所有参数变成 nan。",
        )
        if own is None
        else ("", "")
    )
    return finding(
        case,
        f"{code(case, given)} holds nan, and no check lets that pass; what is wrong stands before it. `{text}`{where} made the first nan: {why.en}{learned}",
        f"{code(case, given)} 里有 nan，任何检查都通不过；错误出在它之前。{where_zh}`{text}` 得到了第一个 nan：{why.zh}{learned_zh}",
        (),
        node or span or call,
    )


def _spoiled(case: Case, call: ast.Call) -> Iterator[ast.expr]:
    """The arguments of a call that hold nan."""
    inside = [call.func.value] if isinstance(call.func, ast.Attribute) else []
    for one in [*call.args, *(each.value for each in call.keywords), *inside]:
        held = Flow(case).tensor(one)
        if isinstance(held, Tensor) and held._a.dtype.kind == "f" and bool(np.isnan(held._a).any()):
            yield one


def _is_learned(case: Case, node: ast.expr) -> bool:
    """Whether a model whose parameters are nan gave a value."""
    for one in Flow(case).behind(node):
        value = case.value(one)
        if isinstance(value, Layer) and any(np.isnan(each._a).any() for each in value.parameters()):
            return True
    return False
