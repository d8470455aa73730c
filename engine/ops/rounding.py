"""Signs, absolute values and rounding, element by element."""

from __future__ import annotations

import numpy as np

from engine.ops.elementwise import V
from engine.registry import Array, op


@op(gradients={"input": "g * sgn(input)"}, latex=r"\left|⟨0⟩\right|", symbol="|x|", elementwise=True, samples=((V,),))
def abs(input: Array):
    """Absolute value. The gradient at 0 is 0."""
    return np.abs(input)


@op(
    gradients={"input": "zeros_like_array(g)"}, latex=r"\operatorname{sgn}\left(⟨0⟩\right)", symbol="sgn", elementwise=True,
    grad_fn="SgnBackward0", samples=((V,),),
)  # fmt: skip
def sgn(input: Array):
    """-1, 0 or 1: the sign."""
    return np.sign(input)


@op(
    gradients={"input": "zeros_like_array(g)"}, latex=r"\operatorname{sgn}\left(⟨0⟩\right)", symbol="sgn", elementwise=True,
    samples=((V,),),
)  # fmt: skip
def sign(input: Array):
    """-1, 0 or 1: the sign."""
    return np.sign(input)
