"""What ``torch`` has of the functions behind ``torch.nn.functional``: reductions are numbers, names and order are C++'s.

The default of a reduction is "mean" in PyTorch's own declarations; what reads them for Python makes it 0, "none".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.autograd.node import titled
from gradflow.engine.dispatch import autocast
from gradflow.engine.namespace.functional import cross_entropy, layers, loss, margin_loss
from gradflow.engine.namespace.functional.activation import call
from gradflow.engine.namespace.functional.conv import convolutions
from gradflow.engine.namespace.functional.layers import linear, torch_batch_norm
from gradflow.engine.namespace.functions import composite
from gradflow.engine.namespace.tensor_arguments import has
from gradflow.engine.ops.nn.normalization import batch_statistics
from gradflow.engine.tensor import Tensor

_WORDS = ("none", "mean", "sum")


def _word(reduction: int) -> str:
    if not 0 <= reduction < len(_WORDS):
        raise errors.REDUCTION(reduction=reduction)
    return _WORDS[reduction]


def binary_cross_entropy_with_logits(
    input: Tensor, target: Tensor, weight: Any = None, pos_weight: Any = None, reduction: int = 0
) -> Tensor:
    """The cost of scores for targets 0 and 1."""
    word = _word(reduction)
    return loss.binary_cross_entropy_with_logits(input, target, weight, None, None, word, pos_weight)


@autocast.takes("float32")
def kl_div(input: Tensor, target: Tensor, reduction: int = 0, *, log_target: bool = False) -> Tensor:
    """How far the distribution with logarithms ``input`` is from the distribution ``target``."""
    terms = loss.kl_div(input, target, reduction="none", log_target=log_target)
    return loss.reduce_loss(terms, _word(reduction))


@autocast.takes("float32")
def poisson_nll_loss(input: Tensor, target: Tensor, log_input: bool, full: bool, eps: float, reduction: int) -> Tensor:
    """The cost of counts under a Poisson distribution."""
    return loss.poisson_nll_loss(input, target, log_input, full, None, eps, None, _word(reduction))


def _margin(name: str, *options: str, margin: float) -> Callable[..., Tensor]:
    function = getattr(margin_loss, name)

    def two(input: Tensor, target: Tensor, margin: float = margin, reduction: int = 0) -> Tensor:
        result: Tensor = function(input, target, margin, reduction=_word(reduction))
        return result

    def three(input1: Tensor, input2: Tensor, target: Tensor, margin: float = margin, reduction: int = 0) -> Tensor:
        result: Tensor = function(input1, input2, target, margin, reduction=_word(reduction))
        return result

    made = three if options else two
    made.__name__, made.__doc__ = name, function.__doc__
    return made


@autocast.takes("float32")
def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: int = 0,
) -> Tensor:
    """max(0, d(anchor, positive) - d(anchor, negative) + margin)."""
    given = (anchor, positive, negative, margin, p, eps, swap)
    return margin_loss.triplet_margin_loss(*given, reduction=_word(reduction))


# -- normalisation with what it has found ------------------------------------------------------------------------------


def _rsqrt(variance: np.ndarray, eps: float) -> np.ndarray:
    result: np.ndarray = 1 / np.sqrt(variance + variance.dtype.type(eps))
    return result


def native_layer_norm(
    input: Tensor, normalized_shape: Any, weight: Tensor | None, bias: Tensor | None, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    """`layer_norm`, the mean, and one over the standard deviation."""
    shape = tuple(normalized_shape)
    axes = tuple(range(-len(shape), 0))
    result = call("layer_norm", input, shape, weight, bias, eps)
    x = input._a
    return result, Tensor(x.mean(axes, keepdims=True)), Tensor(_rsqrt(x.var(axes, keepdims=True), eps))


def native_group_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, N: int, C: int, HxW: int, group: int, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    """`group_norm`, the mean of each group, and one over its standard deviation."""
    return tuple(call("group_norm", input, group, weight, bias, eps))


def group_norm(
    input: Tensor, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5, cudnn_enabled: bool = True
) -> Tensor:
    """Each group of channels at mean 0 and variance 1."""
    return layers.group_norm(input, num_groups, weight, bias, eps)


def native_batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """`batch_norm`, and where the batch has been looked at its mean and one over its standard deviation."""
    result = torch_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, True)
    if not training:
        empty = [Tensor(np.zeros(0, input._a.dtype)) for _ in range(2)]
        return result, empty[0], empty[1]
    x, kind = input._a, (input if weight is None else weight)._a.dtype
    axes = (0, *range(2, x.ndim))
    mean, scale = batch_statistics(x, kind)[0], _rsqrt(x.var(axes), eps)
    return result, Tensor(mean.astype(kind)), Tensor(scale.astype(kind))


# -- layers ------------------------------------------------------------------------------------------------------------


def convolution(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
) -> Tensor:
    """A convolution, or its transpose, in as many dimensions as the filters have."""
    dims = weight._a.ndim - 2
    table = convolutions()
    if transposed:
        options = (stride, padding, output_padding, groups, dilation)
        return table[f"conv_transpose{dims}d"](input, weight, bias, *options)
    return table[f"conv{dims}d"](input, weight, bias, stride, padding, dilation, groups)


def native_channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """The channels of all groups in turn."""
    shuffled: Tensor = call("channel_shuffle", input, groups)
    return titled(shuffled, "NativeChannelShuffleBackward0")


def linear_cross_entropy(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    *,
    linear_bias: Tensor | None = None,
    weight: Tensor | None = None,
    reduction: str = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    options: Any = None,
) -> Tensor:
    """`cross_entropy` of the scores that `linear` gives."""
    x, w = has(input, "dim")._a, has(linear_weight, "dim")._a
    _check_scores(x, w, None if linear_bias is None else has(linear_bias, "dim")._a)
    classes, places = w.shape[0], w.shape[1:-1]
    shape = (*x.shape[:-1], classes, *places)
    if has(target, "dim")._a.shape == shape and ignore_index is not None:
        raise errors.SCORES(message="ignore_index cannot be specified when target contains probabilities")
    if places:
        linear_weight = composite.reshape(linear_weight, (-1, w.shape[-1]))
        linear_bias = None if linear_bias is None else composite.reshape(linear_bias, (-1,))
    scores = composite.reshape(linear(input, linear_weight, linear_bias), shape)
    ignore = -100 if ignore_index is None else ignore_index
    return cross_entropy.cross_entropy(scores, target, weight, None, ignore, None, reduction, label_smoothing)


def _check_scores(x: np.ndarray, w: np.ndarray, bias: np.ndarray | None) -> None:
    """Raises RuntimeError where input and weights do not fit."""
    message = None
    if x.ndim not in (1, 2):
        message = f"expected input with dimensionality 1 or 2, got {x.ndim}"
    elif w.ndim < 2:
        message = f"expected linear_weight with dimensionality at least 2, got {w.ndim}"
    elif x.shape[-1] != w.shape[-1]:
        message = (
            "expected equal input and linear_weight last dimensions (in_features), "
            f"got {x.shape[-1]} and {w.shape[-1]}, respectively"
        )
    elif bias is not None and bias.shape != w.shape[:-1]:
        message = f"expected linear_bias shape {w.shape[:-1]}, got {bias.shape}"
    elif w.ndim > 2 and x.ndim == 1:
        message = (
            f"K-dimensional loss defined by linear_weight shape {w.shape} requires batched input, (N, {x.shape[-1]}), got"
            f" unbatched input with shape {x.shape}"
        )
    if message:
        raise errors.SCORES(message=message)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        binary_cross_entropy_with_logits,
        kl_div,
        poisson_nll_loss,
        triplet_margin_loss,
        native_layer_norm,
        native_group_norm,
        group_norm,
        native_batch_norm,
        convolution,
        native_channel_shuffle,
        _margin("hinge_embedding_loss", margin=1.0),
        _margin("margin_ranking_loss", "input2", margin=0.0),
        _margin("cosine_embedding_loss", "input2", margin=0.0),
    )
}
