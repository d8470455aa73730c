"""A weight given by its direction and its length, as one function of the graph. Source: T. Salimans, D. Kingma (2016)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradflow.engine.ops.formula_helpers import composed
from gradflow.engine.registry import REGISTRY, Array, op

Find = Callable[[str], Callable[..., Any]]


@composed(r"\left\lVert ⟨0⟩ \right\rVert")
def slice_lengths(find: Find, v: Any, dim: int) -> Any:
    """The length of each slice of a weight along a dimension."""
    others = tuple(d for d in range(v.ndim) if d != dim % v.ndim)
    return find("norm_two")(v, others, True) if others else find("abs")(v)


@composed(r"⟨0⟩ \odot \frac{⟨2⟩}{\left\lVert ⟨1⟩ \right\rVert} - \dots")
def weight_norm_v(find: Find, g: Any, v: Any, gain: Any, dim: int) -> Any:
    """The gradient of the direction."""
    size = _saved_lengths(find, v, dim)
    factor = gain / size
    others = tuple(d for d in range(v.ndim) if d != dim % v.ndim)
    scale = find("sum_dim")(g * v, others, True) if others else g * v
    return g * factor - scale * factor / size * (v / size)


@composed(r"\frac{\sum ⟨0⟩ \odot ⟨1⟩}{\left\lVert ⟨1⟩ \right\rVert}")
def weight_norm_gain(find: Find, g: Any, v: Any, dim: int) -> Any:
    """The gradient of the length."""
    others = tuple(d for d in range(v.ndim) if d != dim % v.ndim)
    scale = find("sum_dim")(g * v, others, True) if others else g * v
    return scale / _saved_lengths(find, v, dim)


def _saved_lengths(find: Find, v: Any, dim: int) -> Any:
    """The lengths as PyTorch saves them: a second derivative takes them for constants, which `gradgradcheck` there objects to."""
    length = REGISTRY.helpers["slice_lengths"]
    return length.arrays(v, dim) if isinstance(v, np.ndarray) else find("detach")(length.tensors(v, dim))


@op(
    gradients={"v": "weight_norm_v(g, v, gain, dim)", "gain": "weight_norm_gain(g, v, dim)"},
    grad_fn="WeightNormInterfaceBackward0",
    latex=r"⟨1⟩ \odot \frac{⟨0⟩}{\left\lVert ⟨0⟩ \right\rVert}",
    symbol="weight norm",
    functions=(),
    methods=(),
    torch="_weight_norm",
    samples=(([[1.0, 2.0], [-0.5, 0.25]], [[1.5], [0.5]], 0), ([[1.0, 2.0]], [[1.5, 0.5]], 1)),
)
def weight_norm(v: Array, gain: Array, dim):
    """gain * v / |v|, the length taken of each slice along ``dim``."""
    return v * (gain / REGISTRY.helpers["slice_lengths"].arrays(v, dim))
