"""Trigonometric and hyperbolic functions, element by element."""

from __future__ import annotations

import numpy as np

from engine.ops.elementwise import UNIT, rounded, unary
from engine.registry import Operand, op


@op(**unary("g * cos(input)", r"\sin ⟨0⟩", "sin"))
def sin(input: Operand):
    """Sine; the input in radians."""
    return rounded(np.sin, input)


@op(**unary("g * -sin(input)", r"\cos ⟨0⟩", "cos"))
def cos(input: Operand):
    """Cosine; the input in radians."""
    return rounded(np.cos, input)


@op(**unary("g * (1 + out * out)", r"\tan ⟨0⟩", "tan", ((UNIT,),)))
def tan(input: Operand):
    """Tangent; the input in radians."""
    return rounded(np.tan, input)


@op(**unary("g * (1 - out * out)", r"\tanh ⟨0⟩", "tanh"))
def tanh(input: Operand):
    """Hyperbolic tangent."""
    return rounded(np.tanh, input)
