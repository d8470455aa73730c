"""The losses of ``torch.nn.functional`` whose targets are class numbers: `nll_loss` and `cross_entropy`."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.dispatch import autocast
from gradflow.engine.namespace.functional.activation import call
from gradflow.engine.namespace.functional.loss import number_of, reduction_of
from gradflow.engine.namespace.functional.python_functions import given
from gradflow.engine.namespace.functions import composite
from gradflow.engine.ops.loss.cross_entropy import IGNORED
from gradflow.engine.tensor import Tensor


@autocast.takes("float32")
def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Any = None,
    size_average: Any = None,
    ignore_index: int = IGNORED,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """Minus the score of each target's class."""
    word = reduction_of(reduction, size_average, reduce)
    given("nn.nll_loss_nd", input, target, weight, number_of(word), ignore_index)
    return _nll(input, target, weight, word, ignore_index)


def _nll(input: Tensor, target: Tensor, weight: Any, reduction: str, ignore: int) -> Tensor:
    x, t = input._a, target._a
    if not x.ndim:
        raise errors.LOSS_ARGUMENT(message="Expected 1 or more dimensions (got 0)")
    if x.ndim > 1 and x.shape[0] != (t.shape or (0,))[0]:
        raise errors.TARGET_BATCH(input=x.shape[0], target=(t.shape or (0,))[0])
    if x.ndim == t.ndim == 1 and len(t) != 1:
        raise errors.LOSS_ARGUMENT(message=f"For 1D input, 1D target must have size 1, but got target size: {len(t)}")
    if x.ndim <= 2:
        if t.ndim > 1:
            raise errors.TARGET_MULTI()
        result: Tensor = call("nll_loss_rows", input, target, weight, ignore, reduction)
        return result
    if x.ndim == 4:
        if t.ndim != 3:
            raise errors.TARGET_SPATIAL(ndim=t.ndim)
        if t.shape[1:] != x.shape[2:]:
            raise errors.TARGET_SPATIAL_SIZE(input=list(x.shape), target=list(t.shape))
        return call("nll_loss_places", input, target, weight, ignore, reduction)
    if t.shape[1:] != x.shape[2:]:
        raise errors.TARGET_SIZE(expected=[x.shape[0], *x.shape[2:]], got=list(target.shape))
    flat = composite.reshape(composite.contiguous(input), (*x.shape[:2], 1, -1))
    result = call("nll_loss_places", flat, Tensor(t.reshape(t.shape[0], 1, -1)), weight, ignore, reduction)
    return result if reduction != "none" else composite.reshape(result, t.shape)


@autocast.takes("float32")
def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Any = None,
    size_average: Any = None,
    ignore_index: int = IGNORED,
    reduce: Any = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """The cost of scores for class numbers, or for probabilities of the classes."""
    word = reduction_of(reduction, size_average, reduce)
    given("nn.cross_entropy_loss", input, target, weight, number_of(word), ignore_index, label_smoothing)
    if not 0 <= label_smoothing <= 1:
        raise errors.LABEL_SMOOTHING(value=f"{label_smoothing:g}")
    class_dim = 0 if input._a.ndim == 1 else 1
    if input._a.shape == target._a.shape:
        if target._a.dtype.kind not in "fV":
            raise errors.TARGET_PROBABILITY_DTYPE(dtype=target.dtype.legacy)
        if ignore_index >= 0:
            raise errors.LOSS_REFUSED(message="ignore_index is not supported for floating point target")
        scores = call("log_softmax_dim", input, class_dim)
        return _against_probabilities(scores, target, weight, word, label_smoothing, class_dim)
    scores = call("log_softmax_dim", input, class_dim)
    plain = _nll(scores, target, weight, word, ignore_index)
    if not label_smoothing:
        return plain
    smooth = _smooth(scores, target, weight, word, ignore_index, class_dim)
    spread = call("mul_scalar", smooth, label_smoothing / input._a.shape[class_dim])
    return call("add", call("mul_scalar", plain, 1 - label_smoothing), spread)


def _per_class(weight: Tensor, ndim: int, class_dim: int) -> Tensor:
    return composite.reshape(weight, tuple(-1 if i == class_dim else 1 for i in range(ndim)))


def _against_probabilities(
    scores: Tensor, target: Tensor, weight: Any, reduction: str, smoothing: float, class_dim: int
) -> Tensor:
    classes = scores._a.shape[class_dim]
    if smoothing:
        target = call("add_scalar", call("mul_scalar", target, 1 - smoothing), smoothing / classes)
    terms = call("mul", scores, target)
    if weight is not None:
        terms = call("mul", terms, _per_class(weight, scores._a.ndim, class_dim))
    if reduction == "none":
        return call("neg", composite.sum(terms, class_dim))
    total: Tensor = call("neg", composite.sum(terms))
    if reduction == "sum":
        return total
    return call("div_scalar", total, max(scores._a.size // classes, 1))


def _smooth(scores: Tensor, target: Tensor, weight: Any, reduction: str, ignore: int, class_dim: int) -> Tensor:
    """The loss against the uniform distribution over the classes."""
    terms = scores if weight is None else call("mul", scores, _per_class(weight, scores._a.ndim, class_dim))
    mask = target._a == ignore
    smooth = call("masked_fill", call("neg", composite.sum(terms, class_dim)), Tensor(mask), 0.0)
    if reduction == "none":
        return smooth
    total = composite.sum(smooth)
    if reduction == "sum":
        return total
    count = (~mask).sum() if weight is None else weight._a[target._a[~mask]].sum()
    return call("div", total, Tensor(np.asarray(count, scores._a.dtype)))
