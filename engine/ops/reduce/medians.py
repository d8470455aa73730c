"""Elements picked by their rank or number: medians and modes, along a dimension or of all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.ops.reduce.axes import axes
from gradflow.engine.ops.reduce.reductions import V
from gradflow.engine.out_rules import exactly
from gradflow.engine.registry import Array, op

ODD = [0.5, -1.25, 2.0, 1.5, 0.75]


EVENLY = (
    "spread(g, input.shape, None, False) * even_share(input, out, None)",
    "shared_evenly(g, input, out)",
)
TIES = [[1.0, 3.0, 1.0, 2.0, 3.0], [2.0, 2.0, 2.0, 0.5, -1.0]]


NAN = float("nan")


HOLES = [[0.5, NAN, 2.0], [NAN, 0.75, -0.25]]


def _selected(name: str) -> dict[str, Any]:
    return {
        "gradients": {"input": "put_along(g, indices, input.shape, dim, keepdim)"},
        "outputs": ("values", "indices"),
        "latex": rf"\operatorname{{{name}}}_{{⟨1⟩}}\left(⟨0⟩\right)",
        "symbol": name,
        "functions": (name,),
        "methods": (),
    }


def _evenly(name: str) -> dict[str, Any]:
    return {
        "gradients": {"input": EVENLY},
        "symbol": name,
        "latex": rf"\operatorname{{{name}}}\left(⟨0⟩\right)",
        "functions": (),
        "methods": (),
        "torch": name,
    }


def _on_last(
    input: np.ndarray, dim: int, function: Callable[[np.ndarray], np.ndarray], keepdim: bool, name: str = "median"
) -> tuple[Any, Any]:
    """Values and indices, where ``function`` gives the index for each line along the last axis."""
    if not input.ndim:
        axes(dim, 0)
        return input.copy(), np.array(0)
    (axis,) = axes(dim, input.ndim) or (0,)
    if not input.shape[axis]:
        raise errors.EMPTY_DIMENSION(name=f"{name}()", dim=axis)
    index = np.expand_dims(function(np.moveaxis(input, axis, -1)), axis)
    values = np.take_along_axis(input, index, axis)
    return (values, index) if keepdim else (values.squeeze(axis), index.squeeze(axis))


def _middle(lines: np.ndarray) -> np.ndarray:
    """The index of the lower median of each line, or of its first NaN."""
    order = np.argsort(lines, axis=-1, kind="stable")
    index = order[..., (lines.shape[-1] - 1) // 2]
    missing = np.isnan(lines) if lines.dtype.kind == "f" else np.zeros(lines.shape, bool)
    return np.where(missing.any(-1), missing.argmax(-1), index)


def _middle_of_numbers(lines: np.ndarray) -> np.ndarray:
    """The index of the lower median of what is not NaN in each line."""
    order = np.argsort(lines, axis=-1, kind="stable")
    count = lines.shape[-1] - (np.isnan(lines).sum(-1) if lines.dtype.kind == "f" else 0)
    picked = np.broadcast_to(np.maximum(count - 1, 0) // 2, lines.shape[:-1])[..., None]
    return np.take_along_axis(order, picked, -1)[..., 0]


def _most_frequent(lines: np.ndarray) -> np.ndarray:
    """The last index of the smallest of the most frequent values of each line."""
    order = np.argsort(lines, axis=-1, kind="stable")
    ordered = np.take_along_axis(lines, order, -1)
    position = np.broadcast_to(np.arange(lines.shape[-1]), lines.shape)
    begins = np.concatenate([np.ones((*lines.shape[:-1], 1), bool), ordered[..., 1:] != ordered[..., :-1]], -1)
    run = position - np.maximum.accumulate(np.where(begins, position, 0), axis=-1)
    return np.take_along_axis(order, run.argmax(-1)[..., None], -1)[..., 0]


def _of_all(input: np.ndarray, pick: Callable[[np.ndarray], np.ndarray]) -> Any:
    flat = input.reshape(-1)
    return flat[pick(flat)] if flat.size else np.asarray(np.nan, input.dtype)


@op(
    refuses={"bc": "median_cpu"},
    **_evenly("median"),
    grad_fn="MedianBackward0",
    samples=((ODD,), (V,)),
    edges=((TIES,), (HOLES,), ([3, 1, 2],)),
)
def median_all(input: Array):
    """The middle element, the lower one of two; equal ones share the gradient evenly."""
    return _of_all(input, _middle)


@op(
    refuses={"bc": "median_out"},
    **_selected("median"),
    grad_fn="MedianBackward1",
    samples=((V, 0), (V, 1), ([ODD], -1, True), (2.5, 0)),
    edges=((HOLES, 1), (HOLES, 0, True), ([[3, 1, 2]], 1)),
)
def median_dim(input: Array, dim, keepdim=False):
    """The middle element along a dimension, the lower one of two, and its index."""
    return _on_last(input, dim, _middle, keepdim)


@op(
    refuses={"bc": "median_cpu"},
    **_evenly("nanmedian"),
    grad_fn="NanmedianBackward0",
    samples=((ODD,), (V,)),
    edges=((TIES,), (HOLES,)),
)
def nanmedian_all(input: Array):
    """The middle one of the elements that are not NaN."""
    return _of_all(input, _middle_of_numbers)


@op(
    refuses={"bc": "median_out"},
    **_selected("nanmedian"),
    grad_fn="NanmedianBackward1",
    samples=((V, 0), ([ODD], -1, True)),
    edges=((HOLES, 1), (HOLES, 0, True), ([[NAN, NAN]], 1)),
)
def nanmedian_dim(input: Array, dim, keepdim=False):
    """The middle one along a dimension of the elements that are not NaN, and its index."""
    return _on_last(input, dim, _middle_of_numbers, keepdim)


@op(
    refuses={"c": "mode_cpu"},
    **_selected("mode"),
    samples=((V, 0), (V, -1, True), (2.5, 0)),
    edges=((TIES, 1), (TIES, 0), ([[1, 2, 2, 1, 3]], 1, True)),
    out=exactly(
        "expected scalar type '{R}' but got '{O}' for values output"
        "|expected scalar type '{R}' but got '{O}' for indices output",
        apart=0,
    ),
)
def mode(input: Array, dim=-1, keepdim=False):
    """The most frequent value along a dimension, the smallest of several, and its index."""
    return _on_last(input, dim, _most_frequent, keepdim, "mode")
