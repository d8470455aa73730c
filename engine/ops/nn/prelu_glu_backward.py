"""The gradients of activations with two operands, or of two halves: one function each, whose own gradients are made of others."""

from __future__ import annotations

import numpy as np

from gradflow.engine.ops.formula_helpers import composed
from gradflow.engine.ops.nn.activation_backward import UNIT, V, W, prelu_input, prelu_weight, rule
from gradflow.engine.registry import REGISTRY, Array, op


@composed(r"\operatorname{prelu}''\left(⟨0⟩\right)")
def prelu_twice(find, g, g_weight, input, saved, weight):
    """The gradients through those of prelu; None where nothing comes back for what one would be made of."""
    steep = 0.0 if g is None else weight * g
    if g_weight is not None:
        steep = g_weight * saved + steep
    zeros = find("zeros_like_array")
    of_saved = zeros(saved) if g_weight is None else find("where")(saved > 0, 0.0, g_weight * input)
    of_weight = zeros(saved) if g is None else find("where")(saved > 0, 0.0, g * input)
    return find("where")(saved > 0, 0.0 if g is None else g, steep), of_saved, of_weight


@op(
    **rule(
        "PreluKernel",
        r"⟨0⟩ \odot [⟨1⟩ > 0 \;?\; 1 : ⟨2⟩]",
        ((V, W, UNIT),),
        **{
            key: f"prelu_twice(g, g_grad_weight, input, saved, weight)[{i}]"
            for i, key in enumerate(("input", "saved", "weight"))
        },
    ),
    outputs=("grad_input", "grad_weight"),
    undefined=True,
)
def prelu_backward(input: Array, saved: Array, weight: Array):
    """The two gradients of prelu, as PyTorch records them: one function for both."""
    return prelu_input(input, saved, weight), prelu_weight(input, saved, weight)


@composed(r"\left[⟨0⟩ \odot \sigma(b),\; ⟨0⟩ \odot a \odot \sigma'(b)\right]")
def glu_slopes(find, input, dim):
    """For the halves a and b of the input of a * sigmoid(b): a, the sigmoid, and its slope."""
    half = input.shape[dim] // 2
    gate = find("sigmoid")(find("slice")(input, dim, half, 2 * half, 1))
    return find("slice")(input, dim, 0, half, 1), gate, (1 - gate) * gate


@composed(r"\operatorname{glu}''\left(⟨0⟩\right)")
def glu_of_upstream(find, g, saved, dim):
    """The gradient through that of glu for its upstream gradient."""
    half = saved.shape[dim] // 2
    value, gate, slope = glu_slopes(find, saved, dim)
    first, second = find("slice")(g, dim, 0, half, 1), find("slice")(g, dim, half, 2 * half, 1)
    return first * gate + second * (slope * value)


@composed(r"\operatorname{glu}''\left(⟨0⟩\right)")
def glu_of_input(find, g, input, saved, dim):
    """The gradient through that of glu for its input."""
    half = saved.shape[dim] // 2
    value, gate, slope = glu_slopes(find, saved, dim)
    first, second = find("slice")(g, dim, 0, half, 1), find("slice")(g, dim, half, 2 * half, 1)
    steep = slope * input
    return find("cat")([second * steep, first * steep + second * (steep * value * (1 - 2 * gate))], dim)


@op(
    **rule(
        "Glu",
        r"\left[⟨0⟩ \odot \sigma(b),\; ⟨0⟩ \odot a \odot \sigma'(b)\right]",
        (([[0.5, -1.25], [2.0, 1.0]], [[0.5, -1.25, 2.0, 1.0], [1.5, 0.75, -0.5, 0.25]], 1),),
        input="glu_of_upstream(g, saved, dim)",
        saved="glu_of_input(g, input, saved, dim)",
    )
)
def glu_backward(input: Array, saved: Array, dim):
    """The gradient of a * sigmoid(b) for the halves a and b."""
    value, gate, slope = glu_slopes(lambda name: REGISTRY[name].body, saved, dim)
    return np.concatenate([input * gate, input * (slope * value)], dim)
