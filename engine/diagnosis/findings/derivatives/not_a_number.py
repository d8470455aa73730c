"""NaN on the way back: the function whose derivative is infinite at a value that it was given."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.tensor import Tensor

Test = Callable[[Any], Any]
_EDGES: Final[dict[str, tuple[str, Test, str, str, str]]] = {
    "sqrt": ("SqrtBackward", lambda a: a == 0, "0", "a root has an infinite slope there", "根号在那里的斜率是无穷大"),
    "log": (
        "LogBackward",
        lambda a: a == 0,
        "0",
        "a logarithm has an infinite slope there",
        "对数在那里的斜率是无穷大",
    ),
    "norm": ("LinalgVectorNormBackward", lambda a: a == 0, "0", "a norm has no slope there", "范数在那里没有斜率"),
    "pow": (
        "PowBackward",
        lambda a: a == 0,
        "0",
        "a power below 1 has an infinite slope there",
        "小于 1 次的幂在那里的斜率是无穷大",
    ),
    "acos": (
        "AcosBackward",
        lambda a: abs(a) == 1,
        "1",
        "`acos` has an infinite slope there",
        "`acos` 在那里的斜率是无穷大",
    ),
    "asin": (
        "AsinBackward",
        lambda a: abs(a) == 1,
        "1",
        "`asin` has an infinite slope there",
        "`asin` 在那里的斜率是无穷大",
    ),
}
"""By the function: its node, where its slope is infinite, that value, and the words."""


@finds(errors.NAN_GRADIENT)
def _began_forward(case: Case) -> Finding | None:
    """The first expression whose value is NaN already."""
    flow = Flow(case)
    for node in case.nodes(ast.Call):
        value = flow.tensor(node)
        operand = _operand(case, node)
        before = flow.tensor(operand) if operand is not None else None
        if operand is None or before is None or value is None or not _has_nan(value) or _has_nan(before):
            continue
        return finding(
            case,
            f"The NaN was there before the pass: {code(case, node)} on line {line(node)} gives it, for {code(case, operand)} has"
            f" values at which the function has none. Keep them in its domain, as with `clamp(min=...)`.",
            f"NaN 在反向传播之前就有了：它来自第 {line(node)} 行的 {code(case, node)}，因为 {code(case, operand)} 里有该函数没有定义的值。请让"
            f"这些值保持在定义域内，例如用 `clamp(min=...)`。",
            (),
            node,
        )
    return None


@finds(errors.NAN_GRADIENT)
def _edge(case: Case) -> Finding | None:
    """A root or a logarithm of 0: its infinite slope times 0 is NaN."""
    name = str(case.details.get("name", ""))
    found = next(_at_edges(case, name), None)
    if found is None:
        return None
    node, operand, word = found
    _, _, value, why, why_zh = _EDGES[word]
    tail = ".clamp(min=1e-12)" if value == "0" else ".clamp(-0.999999, 0.999999)"
    text = f"{case.text(operand)}{tail}" if isinstance(operand, ast.Name) else tail
    return finding(
        case,
        f"{code(case, operand)} contains {value}, of which {code(case, node)} is taken on line {line(node)}: {why}, and infinite"
        f" times 0 is NaN. Keep away from {value} before the function: `{text}`.",
        f"{code(case, operand)} 里有 {value}，第 {line(node)} 行对它计算 {code(case, node)}：{why_zh}，而无穷大乘 0 就是 NaN。请在函数之前避开"
        f" {value}：`{text}`。",
        case.fix(case.followed(operand, tail), node),
        node,
    )


def _at_edges(case: Case, name: str) -> Iterator[tuple[ast.expr, ast.expr, str]]:
    """The expressions of this function whose operand has a value at which the slope is infinite."""
    flow = Flow(case)
    for node in case.nodes(ast.expr):
        operand = _operand(case, node)
        word = getattr(node.func, "attr", "") if isinstance(node, ast.Call) else "pow" if operand is not None else ""
        before = flow.tensor(operand) if operand is not None else None
        if operand is not None and before is not None and word in _EDGES:
            function, test, *_ = _EDGES[word]
            if name.startswith(function) and bool(test(before._a).any()):
                yield node, operand, word


def _operand(case: Case, node: ast.expr) -> ast.expr | None:
    """What a function of one tensor is applied to."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=owner)), args=[first, *_]) if owner == case.module_alias(
            "torch"
        ):
            return first
        case ast.Call(func=ast.Attribute(value=value)) if isinstance(Flow(case).tensor(value), Tensor):
            return value
        case ast.BinOp(left=left, op=ast.Pow()):
            return left
    return None


def _has_nan(tensor: Tensor) -> bool:
    return tensor._a.dtype.kind in "fc" and bool(np.isnan(tensor._a).any())
