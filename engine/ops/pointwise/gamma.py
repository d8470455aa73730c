"""The incomplete gamma functions and Hurwitz's zeta function."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics import incomplete_gamma, special
from gradflow.engine.ops.pointwise.elementwise import (
    POSITIVE,
    named,
    of_one_kind,
    refuse_integer_elements,
    rounded,
)
from gradflow.engine.registry import Operand, helper, op

SHAPES, POINTS = [[0.5, 1.25, 2.0], [4.5, 15.0, 0.1]], [[1.5, 0.75, 2.5], [0.25, 12.5, 3.0]]
LIMITS = (([0.0, 0.0, 1.0, 2.0, -1.0, 1.0], [0.0, 1.0, 0.0, float("inf"), 1.0, -1.0]),)


@helper(latex=r"\text{no derivative}")
def not_provided(g, name):
    """Raises NotImplementedError: PyTorch has no derivative for this operand."""
    raise errors.WITHOUT_DERIVATIVE(name=name)


def _incomplete(name: str, sign: str, latex: str) -> dict[str, Any]:
    return {
        "gradients": {
            "input": f"not_provided(g, '{name}: input')",
            "other": f"{sign}g * exp((input - 1.0) * log(other) - other - lgamma(input))",
        },
        "latex": latex,
        "symbol": latex[0],
        "promote": "common",
        "edges": ((SHAPES, POINTS), *LIMITS),
    }


@op(refuses={"c": "igamma_cpu"}, **_incomplete("igamma", "", r"P\left(⟨0⟩, ⟨1⟩\right)"))
def igamma(input: Operand, other: Operand):
    """The regularized lower incomplete gamma function."""
    refuse_integer_elements("igamma_cpu", input, other)
    return rounded(incomplete_gamma.lower, np.asarray(input), np.asarray(other))


@op(refuses={"c": "igammac_cpu"}, **_incomplete("igammac", "-", r"Q\left(⟨0⟩, ⟨1⟩\right)"))
def igammac(input: Operand, other: Operand):
    """The regularized upper incomplete gamma function."""
    refuse_integer_elements("igammac_cpu", input, other)
    return rounded(incomplete_gamma.upper, np.asarray(input), np.asarray(other))


_ZETA: dict[str, Any] = {
    "refuses": {"ce": "zeta_cpu"},
    "latex": named(r"\zeta", 2),
    "symbol": "ζ",
    "promote": "float",
    "methods": (),
    "inplace": False,
    "torch": "special.zeta",
}
_ZETA_SLOPES: Final = {"input": "not_provided(g, 'zeta')", "other": "g * -(input * zeta(input + 1.0, other))"}


@op(
    **_ZETA,
    gradients=_ZETA_SLOPES,
    grad_fn="SpecialZetaBackward0",
    functions=("special.zeta",),
    edges=(
        ([1.5, 2.0, 3.0], [0.5, 1.0, 2.5]),
        ([0.5, 1.0, 2.5, 2.0, 3.0, 2.0], [1.0, 1.0, -0.5, -0.5, -1.0, 0.0]),
    ),
)
def zeta(input: Operand, other: Operand):
    """The sum of (k + other) ** -input over k from 0."""
    return rounded(_zeta, *of_one_kind(input, other))


@op(
    **_ZETA,
    gradients={"other": _ZETA_SLOPES["other"]},
    grad_fn="SpecialZetaBackward1",
    functions=(),
    samples=((2.5, POSITIVE),),
    edges=((2.0, [1, 2]),),
)
def zeta_base(input: Operand, other: Operand):
    """`zeta` of a number."""
    return rounded(_zeta, *of_one_kind(input, other))


@op(
    **_ZETA,
    gradients={"input": _ZETA_SLOPES["input"]},
    grad_fn="SpecialZetaBackward2",
    functions=(),
    edges=(([1.5, 2.0, 3.0], 1.5),),
)
def zeta_scalar(input: Operand, other: Operand):
    """`zeta` that begins with a number."""
    return rounded(_zeta, *of_one_kind(input, other))


def _zeta(s: Any, q: Any) -> Any:
    s, q = np.broadcast_arrays(s, q)
    sums: Any = special.hurwitz  # takes arrays as well
    usual = (s > 1) & ((q > 0) | (s == np.floor(s)))
    value = sums(np.where(usual, s, 2.0), np.where(usual, q, 1.0))
    pole = (s > 1) & (q <= 0) & (q == np.floor(q))
    return np.where((s == 1) | pole, np.inf, np.where(usual, value, np.nan))
