"""Comparisons that write into their first operand: PyTorch gives them a gradient, which is zero."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine.ops.pointwise.elementwise import SPECIAL, WHOLE, V, W
from gradflow.engine.registry import Array, Operand, op

COMPARISONS = {
    "eq": (np.equal, "="), "ne": (np.not_equal, r"\ne"), "lt": (np.less, "<"), "le": (np.less_equal, r"\le"),
    "gt": (np.greater, ">"), "ge": (np.greater_equal, r"\ge"),
}  # fmt: skip


def _declare(name: str, compare: Any, sign: str, number: int) -> None:
    def body(input: Array, other: Operand):
        return compare(input, other).astype(input.dtype)

    body.__doc__ = f"input {name} other, written into the input."
    gradients = {"input": "zeros_like_array(g)"}
    if number:
        gradients["other"] = "sum_to_size(zeros_like_array(g), other.shape)"
    op(
        name=f"{name}_{'tensor' if number else 'scalar'}_written",
        gradients=gradients,
        grad_fn=f"{name.capitalize()}Backward{number}",
        latex=f"⟨0⟩ {sign} ⟨1⟩",
        symbol=name,
        elementwise=True,
        inplace=True,
        functions=(),
        methods=(),
        torch=f"Tensor.{name}_",
        refuses={} if name in ("eq", "ne") else {"c": f"{name}_cpu"},
        samples=((V, W) if number else (V, 0.6),),
        edges=((WHOLE, WHOLE), (SPECIAL, SPECIAL)) if number else ((WHOLE, 2), ([True, False], 1)),
    )(body)


for _name, (_compare, _sign) in COMPARISONS.items():
    _declare(_name, _compare, _sign, 0)
    _declare(_name, _compare, _sign, 1)
