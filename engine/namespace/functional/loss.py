"""The losses of ``torch.nn.functional``: those that are operations, and those that PyTorch composes of others."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.dispatch import autocast
from gradflow.engine.namespace.functional.activation import call
from gradflow.engine.namespace.functional.python_functions import given
from gradflow.engine.namespace.functions import composite
from gradflow.engine.namespace.tensor_arguments import has, need
from gradflow.engine.numerics.broadcasting import check_broadcast
from gradflow.engine.ops.nn.activation import floating
from gradflow.engine.state import warn
from gradflow.engine.tensor import Tensor, dtypes

_LEGACY = "size_average and reduce args will be deprecated, please use reduction='{reduction}' instead."
_BROADCAST = (
    "Using a target size ({target}) that is different to the input size ({input}). This will likely lead to incorrect "
    "results due to broadcasting. Please ensure they have the same size."
)
_KL_MEAN = (
    "reduction: 'mean' divides the total loss by both the batch size and"
    " the support size.'batchmean' divides only by the "
    "batch size, and aligns with the KL div math definition.'mean' will be"
    " changed to behave the same as 'batchmean' in "
    "the next major release."
)


def reduction_of(reduction: str, size_average: bool | None = None, reduce: bool | None = None) -> str:
    """How to reduce, from the arguments of today and those of before. Raises ValueError for an unknown word."""
    if size_average is not None or reduce is not None:
        average = size_average if size_average is not None else True
        wanted = reduce if reduce is not None else True
        reduction = "mean" if average and wanted else "sum" if wanted else "none"
        warn(_LEGACY.format(reduction=reduction))
    if reduction not in ("none", "mean", "sum"):
        raise errors.REDUCTION(reduction=reduction)
    return reduction


def number_of(word: str) -> int:
    """The number that C++ has for a way to reduce."""
    return ("none", "mean", "sum").index(word)


def reduce_loss(loss: Tensor, reduction: str) -> Tensor:
    """The mean, the sum, or the terms themselves."""
    if reduction == "mean":
        return composite.mean(loss)
    return composite.sum(loss) if reduction == "sum" else loss


def sized(*tensors: Any) -> None:
    """Raises AttributeError, as PyTorch does, for what is no tensor and so has no size."""
    for each in tensors:
        if not isinstance(each, Tensor):
            raise errors.NO_SIZE(type=type(each).__name__)


def _together(input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """`broadcast_alike`, with a warning where the shapes differ."""
    sized(input, target)
    first, second = input._a, target._a
    if first.shape != second.shape:
        warn(_BROADCAST.format(target=target.shape, input=input.shape))
    return broadcast_alike(input, target)


def broadcast_alike(input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Both in their common shape and dtype."""
    first, second = input._a, target._a
    if first.shape != second.shape:
        check_broadcast(first.shape, second.shape)
        shape = np.broadcast_shapes(first.shape, second.shape)
        input, target = (t if t._a.shape == shape else call("expand", t, *shape) for t in (input, target))
    if first.dtype != second.dtype:
        ranks = tuple("biufc".index(each.dtype.kind.replace("V", "f")) for each in (first, second))
        dtype = first.dtype if ranks[0] > ranks[1] else second.dtype
        if min(ranks) >= 3 or ranks[0] == ranks[1]:
            dtype = dtypes.joined((first.dtype, second.dtype))
        input, target = (composite.to(t, dtypes.BY_NUMPY[dtype]) for t in (input, target))
    return input, target


def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    weight: Any = None,
) -> Tensor:
    """Squared differences, their mean or their sum; with weights, their weighted mean."""
    word = reduction_of(reduction, size_average, reduce)
    a, b = _together(input, target)
    if weight is None:
        return call("mse_loss", a, b, word)
    return _weighted(composite.pow(call("sub", a, b), 2), weight, word)


def _weighted(terms: Tensor, weight: Tensor, word: str) -> Tensor:
    """The terms times their weights; their mean is that of the weights as well."""
    terms = call("mul", terms, weight)
    return call("div", composite.sum(terms), composite.sum(weight)) if word == "mean" else reduce_loss(terms, word)


@autocast.takes("float32")
def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    weight: Any = None,
) -> Tensor:
    """Absolute differences, their mean or their sum."""
    word = reduction_of(reduction, size_average, reduce)
    a, b = _together(input, target)
    terms = call("abs", call("sub", a, b))
    return reduce_loss(terms, word) if weight is None else _weighted(terms, weight, word)


def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """A square below ``beta``, a line above."""
    word = reduction_of(reduction, size_average, reduce)
    a, b = _together(input, target)
    _, _, _, beta = given("nn.smooth_l1_loss", a, b, number_of(word), beta)
    if beta < 0:
        raise errors.LOSS_PARAMETER(name="smooth_l1_loss", kind="negative", parameter="beta")
    return reduce_loss(call("abs", call("sub", a, b)), word) if beta == 0 else call("smooth_l1_loss", a, b, word, beta)


@autocast.takes("float32")
def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Any = None
) -> Tensor:
    """A square below ``delta``, a line above."""
    word = reduction_of(reduction)
    a, b = _together(input, target)
    _, _, _, delta = given("nn.huber_loss", a, b, number_of(word), delta)
    if delta <= 0:
        raise errors.LOSS_PARAMETER(name="huber_loss", kind="non-positive", parameter="delta")
    dtype, name = dtypes.result_type(input._a, target._a), "huber_loss"
    if dtypes.category(a._a) > dtypes.category(input._a):
        raise errors.RESULT_CAST(result=dtypes.BY_NUMPY[dtype].legacy, output=input.dtype.legacy, subject=input)
    if input._a.dtype != target._a.dtype:
        name = "huber_loss_mixed"
        a, b = (t if t._a.shape == a._a.shape else call("expand", t, *a._a.shape) for t in (input, target))
    if weight is None:
        return call(name, a, b, word, delta)
    return reduce_loss(call("mul", call(name, a, b, "none", delta), weight), word)


@autocast.takes("float32")
def soft_margin_loss(
    input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
) -> Tensor:
    """log(1 + exp(-target * input)) for targets -1 and 1."""
    word = reduction_of(reduction, size_average, reduce)
    given("nn.soft_margin_loss", input, target, number_of(word))
    wide = np.broadcast_shapes(input._a.shape, target._a.shape) if _fitting(input, target) else ()
    if wide != input._a.shape and _fitting(input, target):
        raise errors.INPLACE_BROADCAST(shape=list(input._a.shape), broadcast=list(wide))
    a, b = broadcast_alike(input, target)
    if input._a.dtype.kind in "iub":
        result = a.dtype if a._a.dtype.kind in "fcV" else dtypes.float32
        raise errors.RESULT_CAST(result=result.legacy, output=input.dtype.legacy, subject=input)
    loss = call("soft_margin_loss", a, b, word)
    return loss if loss.dtype is input.dtype else composite.to(loss, input.dtype)


def _fitting(input: Tensor, target: Tensor) -> bool:
    """Whether two shapes broadcast."""
    pairs = zip(reversed(input._a.shape), reversed(target._a.shape), strict=False)
    return all(a == b or 1 in (a, b) for a, b in pairs)


def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Any = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """The cost of predicting probabilities for targets 0 and 1."""
    word = reduction_of(reduction, size_average, reduce)
    sized(input, target)
    if input._a.shape != target._a.shape:
        raise errors.BCE_SIZE(target=str(target.shape), input=str(input.shape))
    weight = None if weight is None else _expanded(has(weight, "size"), target)
    return call(
        "binary_cross_entropy", *given("nn.binary_cross_entropy", input, target, weight, number_of(word))[:3], word
    )


def _expanded(weight: Tensor, target: Tensor) -> Tensor:
    if weight._a.shape == target._a.shape:
        return weight
    wanted, own = target._a.shape, weight._a.shape
    for place, (size, given_size) in enumerate(zip(reversed(wanted), reversed(own), strict=False), 1):
        if given_size not in (1, size):
            raise errors.LOSS_REFUSED(
                message=f"Attempting to broadcast a dimension of length {given_size} at {-place}! Mismatching argument at "
                f"index 1 had {weight.shape}; but expected shape should be broadcastable to {list(wanted)}"
            )
    expanded: Tensor = call("expand", weight, *wanted)
    return expanded


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Any = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    pos_weight: Any = None,
) -> Tensor:
    """`binary_cross_entropy` of sigmoid(input), without overflow."""
    word = reduction_of(reduction, size_average, reduce)
    sized(input, target)
    if input._a.shape != target._a.shape:
        raise errors.BCE_LOGITS_SIZE(target=str(target.shape), input=str(input.shape))
    given("binary_cross_entropy_with_logits", input, target, weight, pos_weight, number_of(word))
    floating(input._a, "log_sigmoid_cpu", "fc")
    if pos_weight is not None:
        check_broadcast(pos_weight._a.shape, target._a.shape)
    if target._a.dtype.kind == "b":
        raise errors.BOOL_SUBTRACT()
    if target._a.dtype.kind not in "fV":
        raise errors.RESULT_CAST(result=input.dtype.legacy, output=target.dtype.legacy, subject=target)
    return call("binary_cross_entropy_with_logits", input, target, weight, pos_weight, word)


@autocast.takes("float32")
def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """How far the distribution with logarithms ``input`` is from the distribution ``target``."""
    if reduction == "mean" and size_average is None and reduce is None:
        warn(_KL_MEAN)
    word = "sum" if reduction == "batchmean" else reduction_of(reduction, size_average, reduce)
    given("kl_div", input, target, number_of(word))
    for each in (input, target):
        if each._a.dtype.kind in "iub":
            raise errors.KL_INTEGER()
        if each._a.dtype.kind == "c":
            raise errors.KL_COMPLEX()
    if log_target:
        difference = call("sub", target, input)
        terms = call("mul", call("exp", target), difference)
    else:
        expected = call("mul", target, input)
        terms = call("sub", call("xlogy", target, target), expected)
    loss = reduce_loss(terms, word)
    return call("div", loss, input._a.shape[0]) if reduction == "batchmean" and input._a.ndim else loss


@autocast.takes("float32")
def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: Any = None,
    eps: float = 1e-8,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """The cost of counts under a Poisson distribution whose rate (or its logarithm) is the input."""
    word = reduction_of(reduction, size_average, reduce)
    given("poisson_nll_loss", input, target, log_input, full, eps, number_of(word))
    if log_input:
        expected = call("mul", target, input)
        loss = call("sub", call("exp", input), expected)
    else:
        loss = call("sub", input, call("mul", target, call("log", call("add_scalar", input, eps))))
    if full:
        last = call("mul_scalar", call("log", call("mul_scalar", target, 2 * math.pi)), 0.5)
        first = call("sub", call("mul", target, call("log", target)), target)
        stirling = call("add", first, last)
        loss = call("add", loss, call("masked_fill", stirling, call("le", target, 1), 0.0))
    return reduce_loss(loss, word)


def gaussian_nll_loss(
    input: Tensor, target: Tensor, var: Any, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Tensor:
    """The cost of targets under normal distributions with mean ``input`` and variance ``var``."""
    sized(input, target)
    if isinstance(var, float):
        if var < 0:
            raise errors.VARIANCE_NEGATIVE()
        var = composite.to(call("full", input._a.shape, var), input.dtype)
    elif np.any(need(var, "any")._a < 0):
        raise errors.VARIANCE_NEGATIVE()
    if var._a.shape != input._a.shape:
        if input._a.shape[:-1] == var._a.shape:
            var = call("unsqueeze", var, -1)
        elif not _one_for_a_dimension(input._a.shape, var._a.shape):
            raise errors.VARIANCE_SIZE()
    if reduction not in ("none", "mean", "sum"):
        raise errors.REDUCTION_WORD(reduction=reduction)
    var = call("clone", var)
    var._a[...] = np.maximum(var._a, var._a.dtype.type(eps))
    loss = call("add", call("log", var), call("div", composite.pow(call("sub", input, target), 2), var))
    loss = call("mul", loss, 0.5)
    if full:
        loss = call("add", loss, 0.5 * math.log(2 * math.pi))
    return reduce_loss(loss, reduction)


def _one_for_a_dimension(wanted: tuple[int, ...], given: tuple[int, ...]) -> bool:
    """Whether two shapes differ in one dimension, where the second has size 1."""
    return len(wanted) == len(given) and [g for w, g in zip(wanted, given, strict=True) if w != g] == [1]
