"""Exponentials and logarithms, element by element."""

from __future__ import annotations

import numpy as np

from engine.ops.elementwise import POSITIVE, rounded, unary
from engine.registry import Operand, op


@op(**unary("g * out", r"e^{⟨0⟩}", "exp"))
def exp(input: Operand):
    """e to the power of each element."""
    return rounded(np.exp, input)


@op(**unary("g / input", r"\ln ⟨0⟩", "ln", ((POSITIVE,),)))
def log(input: Operand):
    """Natural logarithm; NaN for negative elements."""
    return rounded(np.log, input)


@op(**unary("g * ((1 - out) * out)", r"\sigma\left(⟨0⟩\right)", "σ"))
def sigmoid(input: Operand):
    """1 / (1 + exp(-input))."""
    one = np.asarray(input).dtype.type(1)
    return one / (one + rounded(np.exp, -input))
