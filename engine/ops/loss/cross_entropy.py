"""The negative log likelihood of class numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics.scalars import ZERO
from gradflow.engine.numerics.sums import sum_of_losses
from gradflow.engine.ops.nn.activation import floating
from gradflow.engine.ops.nn.activation_backward import rule
from gradflow.engine.registry import Array, op
from gradflow.engine.tensor import dtypes

SCORES = [[0.5, -1.25, 2.0], [1.5, 0.75, -0.5]]
IMAGE = [[[[0.5, -1.25], [2.0, 1.0]], [[1.5, 0.75], [-0.5, 3.0]], [[0.25, -0.5], [1.0, -2.0]]]]
WEIGHTS = [0.5, 2.0, 1.5]
IGNORED = -100


def _by_name(
    function: Any, input: Any, target: Any, weight: Any = None, ignore_index: int = IGNORED, reduction: str = "mean"
) -> Any:
    return function(input, target, weight, ignore_index=ignore_index, reduction=reduction)


def picked(shape: tuple[int, ...], target: np.ndarray, weight: Any, ignore: int, dtype: Any) -> tuple[Any, np.ndarray]:
    """Where the target's class stands in scores of ``shape``, as a key, and the weight of each place."""
    axis = 0 if len(shape) == 1 else 1
    classes = shape[axis]
    kept = target != ignore
    wrong = kept & ((target < 0) | (target >= classes))
    if wrong.any():
        raise errors.TARGET_RANGE(target=int(target[wrong].flat[0]))
    safe = np.where(kept, target, 0).astype(np.int64)
    share = kept.astype(dtype) if weight is None else np.where(kept, weight[safe], dtype.type(0))
    places: list[Any] = list(np.indices(target.shape, sparse=True))
    places.insert(axis, safe)
    return tuple(places), share


def check(input: np.ndarray, target: np.ndarray, weight: np.ndarray | None) -> None:
    """Raises where the target does not fit the scores."""
    if target.dtype not in (np.int64, np.uint8):
        raise errors.TARGET_DTYPE(dtype=dtypes.of(target).legacy)
    classes = input.shape[0 if input.ndim == 1 else 1]
    if weight is not None and weight.shape != (classes,):
        raise errors.CLASS_WEIGHTS(classes=classes, shape=list(weight.shape))
    if weight is not None and weight.dtype != input.dtype:
        raise errors.SCALAR_TYPE(expected=dtypes.of(input).legacy, found=dtypes.of(weight).legacy)


def _loss(grad_fn: str, rule: str, samples: Any) -> dict[str, Any]:
    return {
        "gradients": {"input": f"{rule}(g, input, target, weight, ignore_index, reduction)"},
        "symbol": "nll",
        "latex": r"-\overline{⟨0⟩_{⟨1⟩}}",
        "grad_fn": grad_fn,
        "functions": (),
        "methods": (),
        "samples": samples,
        "torch": "nn.functional.nll_loss",
        "adapt": _by_name,
    }


def _nll(input: np.ndarray, target: np.ndarray, weight: Any, ignore: int, reduction: str) -> Any:
    floating(input, "nll_loss_out_frame")
    target = target.reshape(()) if input.ndim == 1 and target.size == 1 else target
    check(input, target, weight)
    key, share = picked(input.shape, target, weight, ignore, input.dtype)
    terms = np.where(share == 0, ZERO[input.dtype], -share * input[key])
    if reduction == "none":
        return terms
    kept = target != ignore
    total = sum_of_losses(terms, kept)
    return total / sum_of_losses(share, kept) if reduction == "mean" else total


ROWS = (
    (SCORES, [2, 0]), (SCORES, [2, 0], WEIGHTS), (SCORES, [2, 1], WEIGHTS, 1), (SCORES, [1, 0], None, IGNORED, "sum"),
    (SCORES, [2, 1], WEIGHTS, 1, "none"), (WEIGHTS, 1),
)  # fmt: skip
PLACES = (
    (IMAGE, [[[2, 0], [1, 1]]]),
    (IMAGE, [[[2, 0], [1, 1]]], WEIGHTS, 0),
    (IMAGE, [[[2, 0], [1, 1]]], WEIGHTS, 1, "none"),
    (IMAGE, [[[2, 0], [1, 1]]], None, IGNORED, "sum"),
)


@op(
    **_loss("NllLossBackward0", "nll_loss_rows_backward", ROWS),
    edges=((SCORES, [1, 1], None, 1),),
    errors=((SCORES, [0, 3], "Target 3 is out of bounds."),),
)
def nll_loss_rows(input: Array, target: Array, weight: Array | None = None, ignore_index=IGNORED, reduction="mean"):
    """Minus the score of each row's class, weighted; the mean is that of the weights as well."""
    return _nll(input, target, weight, ignore_index, reduction)


@op(
    **_loss("NllLoss2DBackward0", "nll_loss_places_backward", PLACES),
    errors=((IMAGE, [[[2, 0], [7, 1]]], "Target 7 is out of bounds."),),
)
def nll_loss_places(input: Array, target: Array, weight: Array | None = None, ignore_index=IGNORED, reduction="mean"):
    """`nll_loss_rows` at every place of an image: scores (N, C, H, W), classes (N, H, W)."""
    return _nll(input, target, weight, ignore_index, reduction)


# -- the gradients -----------------------------------------------------------------------------------------------------


def _declared(loss: str, title: str, samples: Any) -> dict[str, Any]:
    return rule(
        title,
        r"-\operatorname{put}_{⟨2⟩}\left(⟨0⟩\right)",
        samples,
        input=f"{loss}(g, target, weight, ignore_index, reduction)",
        saved="zeros_like_array(g)",
    ) | {"saves": ("target",)}


def _put(g: np.ndarray, shape: Any, target: np.ndarray, weight: Any, ignore: int, reduction: str) -> np.ndarray:
    """Minus the weight at each target, 0 elsewhere."""
    target = target.reshape(()) if len(shape) == 1 and target.size == 1 else target
    key, share = picked(shape, target, weight, ignore, g.dtype)
    result = np.zeros(shape, g.dtype)
    scale = g / sum_of_losses(share, target != ignore) if reduction == "mean" else g
    result[key] = np.where(share == 0, ZERO[g.dtype], -share * scale)
    return result


@op(
    **_declared(
        "nll_loss_rows",
        "NllLoss",
        (
            (2.0, SCORES, [2, 0], WEIGHTS, IGNORED, "mean"),
            (2.0, SCORES, [2, 0], None, 0, "sum"),
            ([1.0, 2.0], SCORES, [2, 0], WEIGHTS, IGNORED, "none"),
        ),
    )
)
def nll_loss_rows_backward(input: Array, saved: Array, target: Array, weight: Array | None, ignore_index, reduction):
    """The gradient of `nll_loss_rows`. Raises RuntimeError for scores of one sample with a target that is a vector."""
    if len(saved.shape) == target.ndim == 1:
        sizes = f"got input: {list(saved.shape)}, target: {list(target.shape)}"
        raise errors.LOSS_REFUSED(message=f"size mismatch ({sizes})")
    return _put(input, saved.shape, target, weight, ignore_index, reduction)


@op(**_declared("nll_loss_places", "NllLoss2D", ((2.0, IMAGE, [[[2, 0], [1, 1]]], WEIGHTS, IGNORED, "mean"),)))
def nll_loss_places_backward(input: Array, saved: Array, target: Array, weight: Array | None, ignore_index, reduction):
    """The gradient of `nll_loss_places`."""
    return _put(input, saved.shape, target, weight, ignore_index, reduction)
