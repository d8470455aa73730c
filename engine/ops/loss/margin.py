"""Losses with a margin between classes."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics.scalars import ONE, ZERO
from gradflow.engine.numerics.sums import sum_in_order
from gradflow.engine.ops.loss.losses import reduced
from gradflow.engine.registry import Array, helper, op
from gradflow.engine.tensor import Tensor

SCORES = [[0.5, -1.25, 2.0], [1.5, 0.75, -0.5]]
WEIGHTS = [0.5, 2.0, 1.5]
LABELS = [[2, 0, -1], [1, -1, 0]]


def _multi_by_name(
    function: Any, input: Any, target: Any, weight: Any = None, p: int = 1, margin: float = 1.0, reduction: str = "mean"
) -> Any:
    return function(input, target, p=p, margin=margin, weight=weight, reduction=reduction)


def _by_name(function: Any, input: Any, target: Any, reduction: str = "mean") -> Any:
    return function(input, target, reduction=reduction)


def _array(value: Any) -> Any:
    return value._a if isinstance(value, Tensor) else value


@helper()
def rows_of(shape):
    """The shape without the classes: that of the losses of the rows."""
    return shape[:-1]


def _chosen(input: Any, target: np.ndarray, weight: Any) -> tuple[np.ndarray, Any]:
    """A one at each row's class, and the weight of each row."""
    rows = int(np.prod(input.shape[:-1], dtype=np.int64))
    if target.size != rows or target.ndim > 1:
        raise errors.MARGIN_TARGET_SIZE(rows=rows, target=list(target.shape), input=list(input.shape))
    if np.any((target < 0) | (target >= input.shape[-1])):
        raise errors.MARGIN_TARGET_RANGE()
    chosen = np.eye(input.shape[-1], dtype=_array(input).dtype)[target.reshape(input.shape[:-1])]
    return chosen, 1 if weight is None else weight[target.reshape(input.shape[:-1])][..., None]


def _gaps(input: Any, chosen: Any, margin: float) -> Any:
    """How far each other class comes within the margin; written for arrays and for Tensors."""
    gaps = margin - (input * chosen).sum(axis=-1, keepdims=True) + input
    return (gaps * (gaps > 0) + 0) * (1 - chosen)  # 0, and not -0


@helper(latex=r"\operatorname{slope}\left(⟨0⟩, ⟨1⟩\right)")
def margin_slopes(input, target, weight, p, margin):
    """The gradient of each row's loss by its scores; written for arrays and for Tensors."""
    chosen, share = _chosen(input, _array(target), _array(weight))
    lift = Tensor if isinstance(input, Tensor) else np.asarray
    ones, scale = lift(chosen), lift(np.asarray(share, chosen.dtype))
    gaps, rate = _gaps(input, ones, margin), lift(np.asarray(p / input.shape[-1], chosen.dtype))
    slopes = ((gaps > 0) * rate * scale) if p == 1 else gaps * rate * scale
    return slopes - ones * slopes.sum(axis=-1, keepdims=True)


@op(
    refuses={"e": partial(errors.NOT_IMPLEMENTED_DTYPE, name="multi_margin_loss_cpu_kernel")},
    gradients={
        "input": "only_once(unsqueeze(unreduced(g, rows_of(input.shape), reduction), -1)"
        " * margin_slopes(input, target, weight, p, margin), input, 'multi_margin_loss')"
    },
    latex=r"\overline{\max(0, ⟨4⟩-⟨0⟩_{⟨1⟩}+⟨0⟩)^{⟨3⟩}}",
    symbol="margin",
    functions=(),
    methods=(),
    torch="nn.functional.multi_margin_loss",
    adapt=_multi_by_name,
    samples=(
        (SCORES, [2, 0]),
        (SCORES, [0, 1], WEIGHTS),
        (SCORES, [0, 1], None, 1, 0.6, "sum"),
        (SCORES, [0, 1], None, 1, 2.1, "none"),
        (WEIGHTS, 1),
        (SCORES, [0, 1], WEIGHTS, 2, 1.6),
        (SCORES, [0, 1], None, 2, 1.6, "none"),
    ),
    errors=((SCORES, [0, 5], "target out of range"),),
)
def multi_margin_loss(input: Array, target: Array, weight: Array | None = None, p=1, margin=1.0, reduction="mean"):
    """The mean over the classes of max(0, margin - score of the target + score) ** p."""
    chosen, share = _chosen(input, target, weight)
    gaps = _gaps(input, chosen, input.dtype.type(margin))
    terms = (gaps if p == 1 else gaps * gaps) * share
    return reduced(sum_in_order(terms, (-1,)) / input.dtype.type(input.shape[-1]), reduction)


def _inside(input: np.ndarray, target: np.ndarray) -> np.ndarray:
    """How often each row's target lists each class, up to the first -1."""
    if target.shape != input.shape:
        raise errors.MULTILABEL_SIZE(target=list(target.shape), input=list(input.shape))
    if np.any((target < -1) | (target >= input.shape[-1])):
        raise errors.MULTILABEL_RANGE()
    listed = np.cumsum(target < 0, axis=-1) == 0
    inside = np.zeros((*input.shape, input.shape[-1]), input.dtype)
    np.put_along_axis(inside, np.where(listed, target, 0)[..., None], listed[..., None], -1)
    return np.asarray(inside.sum(-2))


def _pairs(input: np.ndarray, target: np.ndarray, slopes: bool = False) -> np.ndarray:
    """1 - (score inside - score outside), where positive, for every pair of a class inside and one outside.

    A class that is listed twice counts twice. With ``slopes`` the number of times stands in place of the distance.
    """
    inside = _inside(input, target)
    gaps = ONE[input.dtype] - input[..., :, None] + input[..., None, :]
    times = inside[..., :, None] * (inside[..., None, :] == 0) * (gaps > 0)
    return np.asarray(times if slopes else np.where(times > 0, gaps * times, ZERO[input.dtype]))


def _label_slopes_of_tensor(input: Tensor, target: Any) -> Tensor:
    return Tensor(label_slopes(input._a, _array(target)))


@helper(latex=r"\operatorname{slope}\left(⟨0⟩, ⟨1⟩\right)", tensors=_label_slopes_of_tensor)
def label_slopes(input, target):
    """The gradient of each row's loss by its scores: constant but at the kinks."""
    counted = _pairs(input, target, slopes=True) / input.dtype.type(input.shape[-1])
    return counted.sum(-2) - counted.sum(-1)


@op(
    refuses={"e": partial(errors.NOT_IMPLEMENTED_DTYPE, name="multilabel_margin_loss_forward_out_frame")},
    gradients={
        "input": "only_once(unsqueeze(unreduced(g, rows_of(input.shape), reduction), -1) * label_slopes(input, target),"
        " input, 'multilabel_margin_loss')"
    },
    latex=r"\overline{\max(0, 1-⟨0⟩_i+⟨0⟩_j)}",
    symbol="margin",
    functions=(),
    methods=(),
    torch="nn.functional.multilabel_margin_loss",
    adapt=_by_name,
    samples=(
        (SCORES, LABELS),
        (SCORES, LABELS, "sum"),
        (SCORES, LABELS, "none"),
        (WEIGHTS, [1, -1, -1]),
        (SCORES, [[0, 0, 1], [2, 1, 2]]),
    ),
    errors=((SCORES, [[0, 2, 5], [1, -1, 0]], "argument #2 'target' is out of range"),),
)
def multilabel_margin_loss(input: Array, target: Array, reduction="mean"):
    """The mean over the classes of max(0, 1 - (score inside - score outside)), over all such pairs."""
    return reduced(sum_in_order(_pairs(input, target), (-2, -1)) / input.dtype.type(input.shape[-1]), reduction)
