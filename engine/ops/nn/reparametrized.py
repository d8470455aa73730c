"""Nodes that PyTorch computes in one piece where a weight is made of other tensors."""

from __future__ import annotations

from gradflow.engine.registry import Array, op


@op(
    gradients={"input": "g"},
    grad_fn="WeightNormInterfaceBackward0",
    latex=r"⟨0⟩",
    symbol="weight norm",
    functions=(),
    methods=(),
    torch=None,
    samples=(([[1.0, 2.0]],),),
)
def weight_norm_result(input: Array):
    """A weight as `weight_norm` gives it."""
    return input.copy()
