"""A tensor and a number, as PyTorch's own formulas combine them: functions that save the number and no tensor.

In a program ``x * 2`` makes a tensor of the number; inside of a gradient that is recorded the number stays one.
"""

from __future__ import annotations

import operator
from typing import Any

from gradflow.engine.ops.pointwise.elementwise import V, Z
from gradflow.engine.registry import REGISTRY, Array, helper, op

NUMBERS = (int, float, complex, bool)


def _with_number(name: str, gradient: str, latex: str, symbol: str) -> dict[str, Any]:
    return {
        "gradients": {"input": gradient},
        "grad_fn": f"{name.capitalize()}Backward1",
        "latex": latex,
        "symbol": symbol,
        "functions": (),
        "methods": (),
        "torch": None,
        "elementwise": True,
        "inplace": False,
        "samples": ((V, 2.0), (V, -3)),
        "edges": ((Z, 2.0), (V, 1.5 - 2j)),
    }


@op(**_with_number("add", "g", "⟨0⟩+⟨1⟩", "+"))
def add_scalar(input: Array, other):
    """A tensor plus a number."""
    return input + other


@op(**_with_number("sub", "g", "⟨0⟩-⟨1⟩", "−"))
def sub_scalar(input: Array, other):
    """A tensor minus a number."""
    return input - other


@op(**_with_number("mul", "g * conj(other)", r"⟨0⟩\,⟨1⟩", "×"))
def mul_scalar(input: Array, other):
    """A tensor times a number."""
    return input * other


@op(**_with_number("div", "g / conj(other)", r"⟨0⟩ \oslash ⟨1⟩", "÷"))
def div_scalar(input: Array, other):
    """A tensor divided by a number."""
    return input / other


@helper()
def operator_add(b: Any, a: Any, wraps: bool) -> Any:
    """``a + b`` in a formula that records itself, given its right operand first."""
    return combined("add", a, b, wraps)


@helper()
def operator_sub(b: Any, a: Any, wraps: bool) -> Any:
    """``a - b`` in a formula that records itself, given its right operand first."""
    return combined("sub", a, b, wraps)


@helper()
def operator_mul(b: Any, a: Any, wraps: bool) -> Any:
    """``a * b`` in a formula that records itself, given its right operand first."""
    return combined("mul", a, b, wraps)


@helper()
def operator_div(b: Any, a: Any, wraps: bool) -> Any:
    """``a / b`` in a formula that records itself, given its right operand first."""
    return combined("div", a, b, wraps)


@helper()
def scaled(tensor: Any, value: Any) -> Any:
    """A tensor times a number, recorded also where the number is 1."""
    return combined("mul", tensor, value)


def combined(name: str, a: Any, b: Any, wraps: bool = False) -> Any:
    """The result of ``add``, ``sub``, ``mul`` or ``div`` of two tensors, a tensor and a number, or two numbers.

    wraps: numbers come from a function for which PyTorch has made tensors of them.
    """
    if name in ("add", "mul") and a.__class__ in NUMBERS:
        a, b = b, a
    if a.__class__ in NUMBERS and b.__class__ in NUMBERS:
        return _OF_NUMBERS[name](a, b)
    if b.__class__ in NUMBERS and not wraps:
        return REGISTRY[f"{name}_scalar"].call(a, b)
    return REGISTRY[name].call(a, b)


_OF_NUMBERS = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv}
