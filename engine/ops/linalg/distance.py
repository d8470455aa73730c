"""Distances between points, and attention, whose graph PyTorch keeps in one function."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradflow.engine.numerics.bounded_counts import repeat
from gradflow.engine.ops.nn.activation import floating
from gradflow.engine.ops.nn.composed_backward import without_second
from gradflow.engine.registry import REGISTRY, Array, helper, op
from gradflow.engine.tensor import Tensor

POINTS = [[0.5, -1.25, 2.0], [1.5, 0.75, -0.5]]
OTHERS = [[1.0, 0.3, -0.7], [0.2, 2.2, 1.1], [-0.9, 0.6, 0.4]]


def _norm(difference: np.ndarray, p: float) -> np.ndarray:
    size = np.abs(difference)
    if p == 0:
        return (size != 0).sum(-1).astype(size.dtype)
    if math.isinf(p):
        return size.max(-1, initial=0)
    if p == 1:
        return size.sum(-1)
    return np.sqrt((size * size).sum(-1)) if p == 2 else (size**p).sum(-1) ** (1 / p)


def _sign(x: Any) -> Any:
    return REGISTRY["sign"].call(x) if isinstance(x, Tensor) else np.sign(x)


def _pull(g: Any, difference: Any, distance: Any, p: float) -> Any:
    """The gradient of p-norms along the last dimension, 0 where the norm is 0; for arrays and for Tensors."""
    size = abs(difference)
    if p == 0:
        return difference * 0 * g
    if p == 1:
        return _sign(difference) * g
    if math.isinf(p):
        return _sign(difference) * (size == distance) * g
    share = g / (distance + (distance == 0)) if p == 2 else g * (distance + (distance == 0)) ** (1 - p)
    zero = distance == 0
    share = share * (1 - 1 * zero)
    return (
        difference * share
        if p == 2
        else _sign(difference) * (size + (size == 0)) ** (p - 1) * (1 - 1 * (size == 0)) * share
    )


def _column(x: Any, axis: int) -> Any:
    return REGISTRY["unsqueeze"].call(x, axis) if isinstance(x, Tensor) else np.expand_dims(x, axis)


@helper(latex=r"⟨0⟩ \odot \nabla d")
def cdist_rule(g, first, second, distance, p):
    """The gradient of all distances for the first points."""
    difference = _column(first, -2) - _column(second, -3)
    return _pull(_column(g, -1), difference, _column(distance, -1), p).sum(axis=-2)


@op(
    refuses={"e": "cdist"},
    gradients={
        "x1": (
            "sum_to_size(cdist_rule(g, x1, x2, out, p), x1.shape)",
            "last(sum_to_size(cdist_rule(g, x1, x2, out, p), x1.shape), g, x1, x2, out, '_cdist_backward', 'Cdist')",
        ),
        "x2": (
            "sum_to_size(cdist_rule(g.mT, x2, x1, out.mT, p), x2.shape)",
            "last(sum_to_size(cdist_rule(g.mT, x2, x1, out.mT, p), x2.shape), clone(g.mT), x2, x1, clone(out.mT), '_cdist_backward', 'Cdist')",
        ),
    },
    latex=r"\left\lVert ⟨0⟩_i-⟨1⟩_j \right\rVert",
    symbol="dist",
    functions=(),
    methods=(),
    torch="cdist",
    samples=((POINTS, OTHERS, 2.0), (POINTS, OTHERS, 1.0), (POINTS, OTHERS, 3.0), ([POINTS, POINTS], OTHERS, 2.0)),
)
def cdist(x1: Array, x2: Array, p):
    """The distance of every row of ``x1`` from every row of ``x2``."""
    floating(x1, "cdist")
    return _norm(x1[..., :, None, :] - x2[..., None, :, :], p)


_RATIO = "where(out == 0, 0.0, g / out)"


@helper()
def euclidean_backward(g, x1, x2, out):
    """The gradients of Euclidean distances for both sets of points, which share the ratio."""
    call = {name: REGISTRY[name].call for name in ("masked_fill", "mul", "sub", "unsqueeze", "sum_dim", "div")}
    ratio = call["masked_fill"](call["div"](g, out), Tensor(np.asarray(out._a == 0)), 0.0)
    others = ratio @ x2
    first = call["sub"](call["mul"](x1, call["sum_dim"](ratio, -1, True)), others)
    others = ratio.mT @ x1
    sums = call["unsqueeze"](call["sum_dim"](ratio, -2, False), -1)
    return first, call["sub"](call["mul"](x2, sums), others)


@op(
    gradients={
        "x1": (f"x1 * sum_dim({_RATIO}, -1, True) - {_RATIO} @ x2", "euclidean_backward(g, x1, x2, out)[0]"),
        "x2": (f"x2 * sum_dim({_RATIO}.mT, -1, True) - {_RATIO}.mT @ x1", "euclidean_backward(g, x1, x2, out)[1]"),
    },
    latex=r"\left\lVert ⟨0⟩_i-⟨1⟩_j \right\rVert",
    symbol="dist",
    functions=(),
    methods=(),
    grad_fn="EuclideanDistBackward0",
    torch=None,
    samples=((POINTS, OTHERS), ([POINTS, POINTS], [OTHERS, OTHERS])),
)
def euclidean_dist(x1: Array, x2: Array):
    """Euclidean distances by one product of matrices: |x|^2 - 2 x y + |y|^2 under the root."""
    floating(x1, "cdist")
    first, second = ((x * x).sum(-1, keepdims=True) for x in (x1, x2))
    left = np.concatenate([x1 * x1.dtype.type(-2), first, np.ones_like(first)], -1)
    right = np.concatenate([x2, np.ones_like(second), second], -1)
    return np.sqrt(np.maximum(left @ right.swapaxes(-1, -2), 0))


def _upper(n: int) -> tuple[np.ndarray, np.ndarray]:
    return np.triu_indices(n, 1)


def _pdist_of_tensors(g: Tensor, input: Tensor, distance: Tensor, p: float) -> Tensor:
    i, j = _upper(input._a.shape[0])
    index = REGISTRY["index"].call
    pull = _pull(_column(g, -1), index(input, (i,)) - index(input, (j,)), _column(distance, -1), p)
    put = REGISTRY["index_accumulate"].call
    shape = tuple(input._a.shape)
    return put(pull, shape, (i,)) - put(pull, shape, (j,))


@helper(latex=r"⟨0⟩ \odot \nabla d", tensors=_pdist_of_tensors)
def pdist_rule(g, input, distance, p):
    """The gradient of the distances of all pairs for the points."""
    i, j = _upper(len(input))
    pull = _pull(g[:, None], input[i] - input[j], distance[:, None], p)
    result = np.zeros_like(input)
    np.add.at(result, i, pull)
    np.subtract.at(result, j, pull)
    return result


@op(
    refuses={"e": "pdist"},
    gradients={
        "input": (
            "pdist_rule(g, input, out, p)",
            "last(pdist_rule(g, input, out, p), g, input, None, out, '_pdist_backward', 'Pdist')",
        )
    },
    latex=r"\left\lVert ⟨0⟩_i-⟨0⟩_j \right\rVert",
    symbol="dist",
    functions=(),
    methods=(),
    torch="pdist",
    samples=((OTHERS, 2.0), (OTHERS, 1.0), (OTHERS, 3.0)),
)
def pdist(input: Array, p):
    """The distances between the rows, each pair once."""
    i, j = _upper(len(floating(input, "pdist")))
    return _norm(input[i] - input[j], p)


# -- attention ---------------------------------------------------------------------------------------------------------


def _for_all(shared: Any, query: Any) -> Any:
    """Keys or values with as many heads as there are queries: each serves several of them in turn."""
    heads = shared.shape[1]
    times = query.shape[1] // heads
    if times == 1:
        return shared
    if isinstance(shared, Tensor):
        return REGISTRY["index_select"].call(shared, 1, Tensor(repeat(np.arange(heads), times)))
    return repeat(shared, times, axis=1)


def _shared(gradient: Any, shape: Any) -> Any:
    """The gradient of what serves several heads: their sum."""
    if tuple(gradient.shape) == tuple(shape):
        return gradient
    return gradient.reshape((shape[0], shape[1], -1, *shape[2:])).sum(2)


def _weights(query: Any, key: Any, mask: Any, scale: float) -> Any:
    """softmax(query @ key.T * scale + mask); for arrays and for Tensors."""
    scores = query @ _for_all(key, query).mT * scale
    if mask is not None:
        scores = scores + mask
    if isinstance(scores, Tensor):
        return REGISTRY["safe_softmax"].call(scores, -1)
    return REGISTRY["safe_softmax"].body(scores, -1)


def _score_rule(g: Any, query: Any, key: Any, value: Any, mask: Any, scale: float) -> Any:
    weights = _weights(query, key, mask, scale)
    inner = g @ _for_all(value, query).mT
    return weights * (inner - (inner * weights).sum(axis=-1, keepdims=True)) * scale


def _once(name: str) -> Any:
    """A gradient of attention that is recorded: PyTorch has no derivative of it."""

    def gradient(*given: Any) -> Tensor:
        value = REGISTRY.helpers[name].arrays(*(each._a if isinstance(each, Tensor) else each for each in given))
        heads_inside = np.ascontiguousarray(value.swapaxes(1, 2)).swapaxes(1, 2)  # as PyTorch lays it out
        return without_second(heads_inside, _ATTENTION_BACKWARD, *given[: 4 if name != "attention_value" else 3])

    return gradient


_ATTENTION_BACKWARD = "_scaled_dot_product_flash_attention_for_cpu_backward"


@helper(latex=r"\bar{S}\,⟨2⟩", tensors=_once("attention_query"))
def attention_query(g, query, key, value, mask, scale):
    """The gradient of attention for the queries."""
    return _score_rule(g, query, key, value, mask, scale) @ _for_all(key, query)


@helper(latex=r"\bar{S}^{\top}\,⟨1⟩", tensors=_once("attention_key"))
def attention_key(g, query, key, value, mask, scale):
    """The gradient of attention for the keys."""
    return _shared(_score_rule(g, query, key, value, mask, scale).mT @ query, key.shape)


@helper(latex=r"W^{\top}\,⟨0⟩", tensors=_once("attention_value"))
def attention_value(g, query, key, mask, scale):
    """The gradient of attention for the values, which are as many as the keys."""
    return _shared(_weights(query, key, mask, scale).mT @ g, (*key.shape[:-1], g.shape[-1]))


HEADS = [[[[0.5, -1.25], [1.5, 0.75], [0.1, 0.9]]]]
KEYS = [[[[1.0, 0.3], [0.2, 2.2], [-0.9, 0.6]]]]
VALUES = [[[[0.4, -0.3], [1.2, 0.8], [-0.7, 0.5]]]]
MASK = [[0.0, -1.0, 0.5], [0.3, 0.0, 0.0], [0.0, 0.2, -2.0]]


def _no_grad_of_gradient(function: Any, query: Any, key: Any, value: Any, mask: Any, scale: Any) -> Any:
    return function(query, key, value, attn_mask=mask, scale=scale, enable_gqa=query.shape[1] != key.shape[1])


@op(
    gradients={
        "query": "attention_query(g, query, key, value, mask, scale)",
        "key": "attention_key(g, query, key, value, mask, scale)",
        "value": "attention_value(g, query, key, mask, scale)",
    },
    latex=r"\operatorname{softmax}\left(⟨4⟩\,⟨0⟩\,⟨1⟩^{\top}+⟨3⟩\right)\,⟨2⟩",
    symbol="attention",
    functions=(),
    methods=(),
    grad_fn="ScaledDotProductFlashAttentionForCpuBackward0",
    torch="nn.functional.scaled_dot_product_attention",
    adapt=_no_grad_of_gradient,
    samples=(
        (HEADS, KEYS, VALUES, None, 0.7),
        (HEADS, KEYS, VALUES, MASK, 1.0),
        ([HEADS[0] * 2], KEYS, VALUES, None, 0.5),
    ),
)
def flash_attention(query: Array, key: Array, value: Array, mask: Array | None, scale):
    """The values, averaged with weights softmax(query @ key.T * scale + mask)."""
    out = np.empty_like(query)  # as the query lies in memory
    out[...] = _weights(query, key, mask, query.dtype.type(scale)) @ _for_all(value, query)
    return out
