"""Powers and roots, element by element."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import errors
from engine.ops.elementwise import COLUMN, POSITIVE, V, W, unary
from engine.registry import REGISTRY, Operand, helper, op


@op(
    gradients={"input": "g * power_rule(input, exponent)"}, name="pow_scalar", grad_fn="PowBackward0",
    latex="{⟨0⟩}^{⟨1⟩}", symbol="xⁿ", promote="common",
    samples=((POSITIVE, 2), (V, 3), (POSITIVE, 0.5), (V, 0), (V, 1), (V, -1), (V, -2), (POSITIVE, -1.5), ([0.0, 1.5], 2),
    ([0.0, 1.5], 3), ([0.0, 1.5], 1)), functions=(), methods=(),
    torch="pow",
)  # fmt: skip
def pow_scalar(input: Operand, exponent: Operand):
    """A tensor to the power of a number."""
    return _power(input, exponent)


@op(
    gradients={
        "input": "g * power_rule(input, exponent)",
        "exponent": "where((input == 0) * (exponent >= 0), 0.0, g * out * log(input))",
    },
    grad_fn="PowBackward1", latex="{⟨0⟩}^{⟨1⟩}", symbol="xʸ", promote="common",
    samples=((POSITIVE, W), (POSITIVE, COLUMN), ([0.5, 1.5], 1.7), (POSITIVE, [[0.0], [1.0]])), functions=(), methods=(),
    torch="pow",
)  # fmt: skip
def pow_tensor(input: Operand, exponent: Operand):
    """A tensor to the power of a tensor, element by element, broadcast."""
    return _power(input, exponent)


@op(
    gradients={"exponent": "where((input == 0) * (exponent >= 0), 0.0, g * out * log(input))"},
    grad_fn="PowBackward2", latex="{⟨0⟩}^{⟨1⟩}", symbol="aˣ", promote="common", samples=((2.0, V), (3, W)),
    functions=(), methods=(), inplace=False,
    torch="pow",
)  # fmt: skip
def pow_base(input: Operand, exponent: Operand):
    """A number to the power of a tensor."""
    return _power(input, exponent)


def _power(base: Any, exponent: Any) -> Any:
    kinds = np.asarray(base).dtype.kind, np.asarray(exponent).dtype.kind
    if kinds[0] in "iub" and kinds[1] in "iub":
        if np.any(np.asarray(exponent) < 0):
            raise errors.NEGATIVE_POWER()
        if isinstance(exponent, int):
            return np.power(base, np.asarray(exponent, np.asarray(base).dtype))
    return (
        _POWERS[exponent](base)
        if isinstance(exponent, int | float) and exponent in _POWERS
        else np.power(base, exponent)
    )


_POWERS: dict[float, Any] = {
    2: lambda x: x * x, 3: lambda x: x * x * x, -1: lambda x: 1 / x, -2: lambda x: 1 / (x * x), 0.5: np.sqrt,
}  # fmt: skip


@op(
    gradients={
        "input": "g * power_rule(input, exponent - 1, factor * exponent)",
        "exponent": "g * factor * pow_tensor(input, exponent - 1) * (1 + exponent * log(input))",
        "factor": "g * power_rule(input, exponent)",
    },
    latex=r"⟨2⟩\,⟨1⟩\,{⟨0⟩}^{⟨1⟩-1}", symbol="n·xⁿ⁻¹", promote="common", grad_fn="MulBackward0", functions=(),
    methods=(), inplace=False,
    samples=((V, 3), (POSITIVE, W, COLUMN), (POSITIVE, COLUMN), (V, 0), ([0.0, 1.5], 1), ([0.0, 1.5], 2, 1.5)),
    torch=None,
)  # fmt: skip
def power_slope(input: Operand, exponent: Operand, factor: Operand = 1):
    """factor * exponent * input ** (exponent - 1), and 0 where the product in front is 0."""
    front = factor * exponent
    if not isinstance(front, np.ndarray):
        return front * np.power(input, exponent - 1) if front else np.zeros_like(input)
    return np.where(front == 0, front.dtype.type(0), front * np.power(input, exponent - 1))


def _power_rule_of_tensor(input: Any, exponent: Any, factor: Any = 1) -> Any:
    """A constant has no graph behind it: the chain of derivatives of a power ends, as in PyTorch."""
    if isinstance(exponent, int | float) and not exponent:
        return REGISTRY["zeros_like_array"].call(input)
    return REGISTRY["power_slope"].call(input, exponent, factor)


@helper(latex=r"⟨2⟩\,⟨1⟩\,{⟨0⟩}^{⟨1⟩-1}", tensors=_power_rule_of_tensor)
def power_rule(input, exponent, factor=1):
    """The derivative of a power by its base."""
    return power_slope(input, exponent, factor)


@op(**unary("g / (2 * out)", r"\sqrt{⟨0⟩}", "√", ((POSITIVE,),)))
def sqrt(input: Operand):
    """Square root; NaN for negative elements."""
    return np.sqrt(input)


@op(**unary("g * -0.5 * (out * out * out)", r"1 \oslash \sqrt{⟨0⟩}", "1/√", ((POSITIVE,),)))
def rsqrt(input: Operand):
    """1 / sqrt(input)."""
    return np.reciprocal(np.sqrt(input))
