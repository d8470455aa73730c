"""Sums and products with a number that PyTorch's C++ code forms: functions of their own, whose only input is the tensor."""

from __future__ import annotations

from gradflow.engine.ops.pointwise.elementwise import V
from gradflow.engine.registry import Operand, op


@op(
    gradients={"input": "g"},
    grad_fn="AddBackward1",
    latex="⟨0⟩+⟨1⟩",
    symbol="+",
    promote="common",
    functions=(),
    methods=(),
    torch="add",
    samples=((V, 2.0),),
)
def add_scalar(input: Operand, other: Operand):
    """input + a number."""
    return input + other


@op(
    gradients={"input": "g"},
    grad_fn="SubBackward1",
    latex="⟨0⟩-⟨1⟩",
    symbol="−",
    promote="difference",
    functions=(),
    methods=(),
    torch="sub",
    samples=((V, 2.0),),
)
def sub_scalar(input: Operand, other: Operand):
    """input - a number."""
    return input - other


@op(
    gradients={"input": "g * other"},
    grad_fn="MulBackward1",
    latex=r"⟨0⟩ \odot ⟨1⟩",
    symbol="×",
    promote="common",
    functions=(),
    methods=(),
    torch="mul",
    samples=((V, 2.0),),
)
def mul_scalar(input: Operand, other: Operand):
    """input * a number."""
    return input * other


@op(
    gradients={"input": "g / other"},
    grad_fn="DivBackward1",
    latex=r"\frac{⟨0⟩}{⟨1⟩}",
    symbol="÷",
    promote="float",
    functions=(),
    methods=(),
    torch="div",
    samples=((V, 2.0),),
)
def div_scalar(input: Operand, other: Operand):
    """input / a number."""
    return input / other
