"""Losses with a margin, and those of distances."""

from __future__ import annotations

from typing import Any

from gradflow.engine import errors
from gradflow.engine.autograd.node import titled
from gradflow.engine.dispatch import autocast
from gradflow.engine.namespace.functional.activation import call
from gradflow.engine.namespace.functional.loss import number_of, reduce_loss, reduction_of, sized
from gradflow.engine.namespace.functional.python_functions import given
from gradflow.engine.namespace.functions import clamping, composite
from gradflow.engine.tensor import Tensor, dtypes


def _at_least_zero(input: Tensor) -> Tensor:
    return clamping.clamp_min(input, 0)


@autocast.takes("float32")
def hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: float = 1.0,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """The input where the target is 1, max(0, margin - input) where it is -1."""
    word = reduction_of(reduction, size_average, reduce)
    given("hinge_embedding_loss", input, target, margin, number_of(word))
    far = composite.where(call("ne", target, 1), _at_least_zero(call("sub", margin, input)), 0.0)
    near = composite.where(call("ne", target, -1), input, 0.0)
    return reduce_loss(call("add", far, near), word)


@autocast.takes("float32")
def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """max(0, -target * (input1 - input2) + margin): which of two should be ranked higher."""
    sized(input1, input2, target)
    word = reduction_of(reduction, size_average, reduce)
    if not input1._a.ndim == input2._a.ndim == target._a.ndim:
        raise errors.RANKING_DIMENSIONS(input1=str(input1.shape), input2=str(input2.shape), target=str(target.shape))
    difference = call("mul", call("neg", target), call("sub", input1, input2))
    return reduce_loss(_at_least_zero(call("add_scalar", difference, margin)), word)


def _row(tensor: Tensor) -> Tensor:
    """A number as a row of one class."""
    return tensor if not isinstance(tensor, Tensor) or tensor._a.ndim else composite.reshape(tensor, (1,))


def _check_classes(input: Tensor, target: Tensor, weight: Tensor | None) -> None:
    """Raises RuntimeError for a target that has no class numbers, and for weights that are not one for each class."""
    if target.dtype is not dtypes.int64 and target._a.ndim < 2:
        raise errors.MODULE_RUNTIME(message=f"expected scalar type Long but found {target.dtype.legacy}")
    classes = input._a.shape[-1] if input._a.ndim else 1
    if weight is not None and weight._a.shape != (classes,):
        got = list(weight._a.shape)
        raise errors.MODULE_RUNTIME(message=f"inconsistent weight size, expected {classes} but got {got}")


def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Any = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """How far each other class comes within ``margin`` of the target's score."""
    word = reduction_of(reduction, size_average, reduce)
    given("nn.multi_margin_loss", input, target, p, margin, weight, number_of(word))
    if p not in (1, 2):
        raise errors.MARGIN_POWER()
    _check_classes(input, target, weight)
    return call("multi_margin_loss", _row(input), target, weight, p, margin, word)


def multilabel_margin_loss(
    input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
) -> Tensor:
    """How far each class outside the target comes within 1 of one inside."""
    word = reduction_of(reduction, size_average, reduce)
    given("nn.multilabel_margin_loss", input, target, number_of(word))
    return call("multilabel_margin_loss", _row(input), _row(target), word)


def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Any = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """The mean over the classes of a binary cross entropy for each."""
    sized(input, target)
    word = reduction_of(reduction, size_average, reduce)
    inside = call("mul", target, call("logsigmoid", input))
    outside = call("mul", call("sub", 1, target), call("logsigmoid", call("neg", input)))
    loss = call("neg", call("add", inside, outside))
    if weight is not None:
        loss = call("mul", loss, weight)
    return reduce_loss(call("div", composite.sum(loss, -1), input._a.shape[-1]), word)


@autocast.takes("float32")
def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """1 - cos where the target is 1, max(0, cos - margin) where it is -1."""
    sized(input1, input2, target)
    word = reduction_of(reduction, size_average, reduce)
    dim = target._a.ndim
    if dim > 1:
        raise errors.LOSS_REFUSED(message="0D or 1D target tensor expected, multi-target not supported")
    if input1._a.ndim != dim + 1 or input2._a.ndim != dim + 1:
        raise errors.LOSS_REFUSED(
            message=f"{dim}D target tensor expects {dim + 1}D input tensors, but found inputs with sizes "
            f"{list(input1._a.shape)} and {list(input2._a.shape)}."
        )
    product = composite.sum(call("mul", input1, input2), dim)
    sizes = [call("add_scalar", composite.sum(call("mul", x, x), dim), 1e-12) for x in (input1, input2)]
    cosine = call("div", product, call("sqrt", call("mul", *sizes)))
    apart, close = call("sub", 1, cosine), _at_least_zero(call("sub_scalar", cosine, margin))
    near = composite.where(call("eq", target, 1), apart, 0.0)
    far = composite.where(call("eq", target, -1), close, 0.0)
    return reduce_loss(call("add", near, far), word)


@autocast.takes("float32")
def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """max(0, d(anchor, positive) - d(anchor, negative) + margin)."""
    word = reduction_of(reduction, size_average, reduce)
    given("triplet_margin_loss", anchor, positive, negative, margin, p, eps, swap, number_of(word))
    return triplet(
        anchor, positive, negative, lambda a, b: pairwise_distance(a, b, p, eps), "add_scalar", margin, swap, word
    )


def triplet(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    distance: Any,
    sum_name: str,
    margin: float,
    swap: bool,
    reduction: str,
) -> Tensor:
    """The triplet loss under any distance; ``sum_name`` is the operation that adds the margin."""
    if margin <= 0:
        raise errors.TRIPLET_MARGIN(margin=margin)
    sized(anchor, positive, negative)
    sizes = [t._a.ndim for t in (anchor, positive, negative)]
    if len(set(sizes)) > 1:
        raise errors.TRIPLET_DIMENSIONS(anchor=sizes[0], positive=sizes[1], negative=sizes[2])
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = call("minimum", far, distance(positive, negative))
    return reduce_loss(_at_least_zero(call("sub", call(sum_name, near, margin), far)), reduction)


def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Any = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """`triplet_margin_loss` under a distance of the program's own."""
    return triplet(
        anchor, positive, negative, distance_function or pairwise_distance, "add", margin, swap, reduction_of(reduction)
    )


def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Tensor:
    """The p-norm of x1 - x2 + eps along the last dimension."""
    difference = call("add_scalar", call("sub", x1, x2), eps)
    return titled(composite.norm(difference, p, -1, keepdim), "NormBackward1")
