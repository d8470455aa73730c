"""Layers as functions: affine maps, embeddings, normalisation, attention."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.dispatch import autocast
from gradflow.engine.namespace.functional.activation import call, floating_name
from gradflow.engine.namespace.functional.distance import cdist as cdist
from gradflow.engine.namespace.functional.distance import cosine_similarity as cosine_similarity
from gradflow.engine.namespace.functional.distance import pdist as pdist
from gradflow.engine.namespace.functional.dropout import dropout
from gradflow.engine.namespace.functional.python_functions import given
from gradflow.engine.namespace.functional.rms_norm import rms_norm as rms_norm
from gradflow.engine.namespace.functions import clamping, composite, shapes
from gradflow.engine.namespace.tensor_arguments import has, need
from gradflow.engine.numerics.bounded_counts import tile
from gradflow.engine.numerics.fused import fused
from gradflow.engine.numerics.strides import has_channels_last
from gradflow.engine.ops.nn.normalization import batch_statistics
from gradflow.engine.state import STATE
from gradflow.engine.tensor import Tensor, check_dim, dtypes

# -- affine maps -------------------------------------------------------------------------------------------------------


@autocast.takes("lower")
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input @ weight.T + bias."""
    x, w = need(input, "linear")._a, need(weight, "linear", "weight", 2)._a
    if not x.ndim or not w.ndim:
        raise errors.LINEAR_SCALAR(input=x.ndim, weight=w.ndim)
    if bias is None:
        return composite.matmul(input, call("t", weight))
    if x.ndim == 2:
        return call("affine", bias, input, call("t", weight))
    transformed = x.ndim == 1 and any(level.kind in ("grad", "vmap") for level in STATE.levels)
    if x.flags.c_contiguous and w.ndim == 2 and not transformed:
        rows = composite.reshape(input, (-1, x.shape[-1]))
        product = call("affine", bias, rows, call("t", weight))
        return composite.reshape(product, (*x.shape[:-1], w.shape[0]))
    return call("add", composite.matmul(input, call("t", weight)), bias)


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """For each output k: input1 @ weight[k] @ input2 + bias[k]."""
    need(input1, "bilinear", "input1", 1)
    need(input2, "bilinear", "input2", 2)
    need(weight, "bilinear", "weight", 3)
    a, b, w = input1._a, input2._a, weight._a
    kinds = {"input1": input1, "input2": input2, "weight": weight} | ({} if bias is None else {"bias": bias})
    if len({t._a.dtype for t in kinds.values()}) > 1:
        given = ", ".join(f"{name}: {dtypes.C_NAMES[t.dtype.name]}" for name, t in kinds.items())
        raise errors.BILINEAR_DTYPES(given=given)
    for dim, (first, second) in enumerate(zip(a.shape[:-1], b.shape[:-1], strict=True)):
        if first != second:
            raise errors.BILINEAR_BATCH(dim=dim, first=first, second=second)
    for number, (size, wanted) in enumerate(((a.shape[-1], w.shape[1]), (b.shape[-1], w.shape[2])), 1):
        if size != wanted:
            raise errors.BILINEAR_SIZE(number=number, given=size, wanted=wanted)
    rows = [composite.reshape(t, (-1, t._a.shape[-1])) for t in (input1, input2)]
    product = call("trilinear", rows[0], weight, rows[1], "ni,kij,nj->nk")
    result = composite.reshape(product, (*a.shape[:-1], w.shape[0]))
    return result if bias is None else call("add", result, bias)


# -- embeddings --------------------------------------------------------------------------------------------------------


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """The rows of ``weight`` with the given numbers."""
    padding = -1
    if padding_idx is not None:
        rows = has(weight, "size")._a.shape[0]
        if not -rows <= padding_idx < rows:
            raise errors.EMBEDDING_PADDING()
        padding = padding_idx + rows if padding_idx < 0 else padding_idx
    if max_norm is not None:
        _shorten(weight, has(input, "contiguous")._a, max_norm, norm_type)
    weight, input, padding, by_frequency, _ = given("embedding", weight, input, padding, scale_grad_by_freq, sparse)
    return torch_embedding(weight, input, padding, by_frequency, sparse)


def embedding_renorm_(input: Tensor, indices: Tensor, max_norm: float, norm_type: float) -> Tensor:
    """Bring the rows with these numbers to at most the given norm, in place."""
    _shorten(input, indices._a, max_norm, norm_type)
    return input


def _shorten(weight: Tensor, indices: np.ndarray, limit: float, power: float) -> None:
    """Bring the rows that are looked up to at most the given norm, in place."""
    rows = np.unique(indices)
    norms = np.linalg.norm(weight._a[rows], power, axis=1)
    scale = np.where(norms > limit, limit / (norms + 1e-7), 1).astype(weight._a.dtype)
    weight._st.before_write()
    weight._a[rows] *= scale[:, None]
    weight._st.version += 1


def torch_embedding(
    weight: Tensor, indices: Tensor, padding_idx: int = -1, scale_grad_by_freq: bool = False, sparse: bool = False
) -> Tensor:
    """`embedding` as ``torch.embedding``: the table comes first."""
    if sparse and not scale_grad_by_freq:
        return call("embedding_rows_sparse", weight, indices, padding_idx)
    return call("embedding_rows", weight, indices, padding_idx, scale_grad_by_freq)


def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """The sum, mean or maximum of the rows in each bag."""
    has(input, "dim")
    need(weight, "embedding_bag", "weight", 2)
    if max_norm is not None:
        _shorten(weight, input._a, max_norm, norm_type)
    if mode not in ("sum", "mean", "max"):
        raise errors.BAG_MODE()
    if per_sample_weights is not None and mode != "sum":
        raise errors.BAG_WEIGHTS(mode=mode)
    numbers, starts = _bags(input._a, None if offsets is None else has(offsets, "dim")._a, include_last_offset)
    weights = per_sample_weights
    if weights is not None and weights._a.ndim > 1:
        weights = composite.reshape(weights, (-1,))
    padding = -1 if padding_idx is None else padding_idx % weight._a.shape[0]
    return call("bag", weight, Tensor(numbers), weights, starts, mode, padding, scale_grad_by_freq)


def _bags(indices: np.ndarray, offsets: np.ndarray | None, last: bool) -> tuple[np.ndarray, tuple[int, ...]]:
    """All numbers in one line, and where each bag begins, with the end at last."""
    if indices.ndim == 2:
        if offsets is not None:
            raise errors.BAG_OFFSETS_GIVEN()
        return indices.reshape(-1), tuple(range(0, indices.size + 1, indices.shape[1]))
    if indices.ndim != 1:
        raise errors.BAG_DIMENSIONS(ndim=indices.ndim)
    if offsets is None:
        raise errors.BAG_OFFSETS_MISSING()
    if offsets.ndim != 1:
        raise errors.BAG_OFFSETS_DIMENSIONS()
    starts = tuple(offsets.tolist())
    if starts and starts[0] != 0:
        raise errors.BAG_OFFSETS_ZERO(first=starts[0])
    return indices, starts if last else (*starts, indices.size)


# -- normalisation -----------------------------------------------------------------------------------------------------


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Each channel at mean 0 and variance 1; in training by the batch, which updates the running statistics."""
    shape: tuple[int, ...] = has(input, "size")._a.shape if training else ()
    if training and (shape or check_dim(0, 0)) and shape[0] * math.prod(shape[2:]) == 1:
        raise errors.BATCH_VALUES(size=str(input.shape))
    if (running_mean is None) != (running_var is None):
        raise errors.RUNNING_BOTH()
    if eps <= 0 and (training or eps < 0):
        raise errors.BATCH_EPSILON(kind="positive during training" if training else "non-negative", eps=eps)
    return torch_batch_norm(
        *given("batch_norm", input, weight, bias, running_mean, running_var, training, momentum, eps, True)
    )


def _update(running: tuple[Tensor | None, Tensor | None], input: Tensor, momentum: float) -> None:
    """Move running statistics towards those of a batch.

    As in PyTorch this does not count as a new version. The product of the variance is rounded once with its sum.
    """
    kinds = [own._a.dtype for own in running if own is not None]
    found = batch_statistics(input._a, kinds[0]) if kinds else ()
    for own, now, move in zip(running, found, (_moved, fused), strict=False):
        if own is not None:
            kind = now.dtype.type
            own._st.before_write()
            own._a[...] = move(now, kind(momentum), kind(1 - momentum) * own._a.astype(kind))


def _moved(now: np.ndarray, momentum: Any, kept: np.ndarray) -> np.ndarray:
    return np.asarray(momentum * now + kept)


def _over_examples(each: np.ndarray, examples: int) -> np.ndarray:
    rows = each.reshape(examples, -1)
    return np.asarray((rows.astype(np.float32) if rows.itemsize == 2 else rows).mean(0)).astype(each.dtype)


def _of_nothing(input: Tensor, weight: Tensor | None, bias: Tensor | None) -> Tensor:
    """A batch of nothing, which PyTorch connects with the first parameters so that they have a gradient."""
    result: Tensor = call("clone", input)
    if weight is not None:
        result = call("mul", result, call("select", weight, 0, 0))
    return result if bias is None else call("add", result, call("select", bias, 0, 0))


def torch_batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Tensor:
    """`batch_norm` as ``torch.batch_norm``: in another order, and without a check of the batch."""
    if not input._a.size:
        return _of_nothing(input, weight, bias)
    check_dim(1, input._a.ndim)
    result: Tensor = call("batch_norm", input, weight, bias, running_mean, running_var, training, momentum, eps)
    if training:
        _update((running_mean, running_var), input, momentum)
    return result


def layer_norm(input: Tensor, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Tensor:
    """The input at mean 0 and variance 1 over its last dimensions."""
    input, shape, weight, bias, eps, _ = given("layer_norm", input, normalized_shape, weight, bias, eps, True)
    return call("layer_norm", input, tuple(shape), weight, bias, eps)


def group_norm(input: Tensor, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Tensor:
    """Each group of channels at mean 0 and variance 1."""
    if has(input, "dim")._a.ndim < 2:
        raise errors.GROUP_DIMENSIONS(ndim=input._a.ndim)
    if num_groups == 0:
        raise errors.GROUPS_ZERO()
    input, num_groups, weight, bias, eps, _ = given("group_norm", input, num_groups, weight, bias, eps, True)
    laid = input if has_channels_last(input._a) else composite.contiguous(input)
    rows = [None if t is None else composite.contiguous(t) for t in (weight, bias)]
    return call("group_norm", laid, num_groups, *rows, eps)[0]


def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Each channel of each sample at mean 0 and variance 1."""
    need(input, "instance_norm", "input", 1)
    shape = input._a.shape
    if use_input_stats and math.prod(shape[2:]) == 1:
        raise errors.SPATIAL_VALUES(size=str(input.shape))
    if not use_input_stats and (running_mean is None or running_var is None):
        raise errors.INSTANCE_RUNNING()
    batch, channels = shape[0], shape[1]
    repeated = [None if t is None else call("repeat", t, (batch,)) for t in (weight, bias)]
    kind = (input if weight is None else weight)._a.dtype
    statistics = running_mean, running_var
    running = [None if t is None else Tensor(tile(need(t, "repeat")._a, batch).astype(kind)) for t in statistics]
    merged = composite.reshape(composite.contiguous(input), (1, batch * channels, *shape[2:]))
    result = call("batch_norm", merged, *repeated, *running, use_input_stats, momentum, eps)
    if use_input_stats:
        first, second = [None if t is None else Tensor(t._a.copy()) for t in running]
        _update((first, second), merged, momentum)
        for own, moved in zip(statistics, (first, second), strict=True):
            if own is not None and moved is not None:
                own._st.before_write()
                own._a[...] = _over_examples(moved._a, batch)
    return composite.reshape(result, shape)


def normalize(input: Tensor, p: float = 2.0, dim: Any = 1, eps: float = 1e-12, out: Any = None) -> Tensor:
    """The input divided by its p-norm along a dimension, or by ``eps`` where the norm is smaller."""
    need(input, "normalize", "input", 1)
    size = clamping.clamp_min(composite.norm(input, p, dim, True), eps)
    return call("div", input, call("expand", size, *input._a.shape))


def local_response_norm(input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """The input divided by (k + alpha * mean of squares over ``size`` neighbouring channels) ** beta."""
    need(input, "local_response_norm", "input", 1)
    shape = input._a.shape
    if len(shape) < 3:
        raise errors.RESPONSE_DIMENSIONS(ndim=len(shape))
    if not input._a.size:
        return input
    square = call("mul", input, input)
    mean = _over_channels(square, size)
    scale = call("add", call("mul", mean, alpha), k)
    return call("div", input, composite.pow(scale, beta))


def _over_channels(square: Tensor, size: int) -> Tensor:
    """The mean over ``size`` neighbouring channels, with zeros beyond the first and the last."""
    shape = square._a.shape
    before, after = size // 2, (size - 1) // 2
    if len(shape) == 3:
        padded = call("constant_pad_nd", call("unsqueeze", square, 1), (0, 0, before, after), 0)
        return call("squeeze_dim", call("avg_pool2d", padded, (size, 1), (1, 1), (0, 0), False, True, None), 1)
    rows = call("view", square, shape[0], 1, shape[1], shape[2], -1)
    padded = call("constant_pad_nd", rows, (0, 0, 0, 0, before, after), 0)
    mean = call("avg_pool3d", padded, (size, 1, 1), (1, 1, 1), (0, 0, 0), False, True, None)
    return call("view", call("squeeze_dim", mean, 1), *shape)


# -- attention ---------------------------------------------------------------------------------------------------------


@autocast.takes("lower")
def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """softmax(query @ key.T * scale + mask) @ value."""
    need(query, "scaled_dot_product_attention", "query", 1)
    need(key, "scaled_dot_product_attention", "key", 2)
    need(value, "scaled_dot_product_attention", "value", 3)
    q, k, v = query._a, key._a, value._a
    if min(q.ndim, k.ndim, v.ndim) < 2:
        raise errors.ATTENTION_DIMENSIONS(query=q.ndim, key=k.ndim, value=v.ndim)
    if not q.dtype == k.dtype == v.dtype:
        names = [dtypes.C_NAMES[t.dtype.name] for t in (query, key, value)]
        raise errors.ATTENTION_DTYPES(query=names[0], key=names[1], value=names[2])
    if attn_mask is not None and attn_mask._a.dtype.kind != "b" and attn_mask._a.dtype != q.dtype:
        raise errors.ATTENTION_MASK_DTYPE(mask=floating_name(attn_mask), query=floating_name(query))
    factor = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    causal = np.tri(q.shape[-2], k.shape[-2], dtype=bool) if is_causal else None
    mask = causal if attn_mask is None else attn_mask._a
    flash = q.ndim == 4 and not dropout_p and (attn_mask is None or not attn_mask.requires_grad)
    flash = flash and q.shape[0] == k.shape[0] and (enable_gqa or q.shape[1] == k.shape[1] == v.shape[1])
    if flash and STATE.fused_attention and q.shape[-1] == v.shape[-1] == k.shape[-1] and k.shape[-2] == v.shape[-2]:
        given = (
            None if mask is None else Tensor(np.where(mask, 0, -np.inf).astype(q.dtype) if mask.dtype == bool else mask)
        )
        if given is not None and causal is not None:
            given = Tensor(np.where(causal, given._a, -np.inf).astype(q.dtype))
        return call("flash_attention", query, key, value, given, factor)
    if is_causal and attn_mask is not None:
        raise errors.ATTENTION_MASK_CAUSAL()
    if enable_gqa:
        key, value = (shapes.repeat_interleave(t, q.shape[-3] // t._a.shape[-3], -3) for t in (key, value))
    return _by_steps(query, key, value, attn_mask, mask, dropout_p, factor)


def _by_steps(
    query: Tensor, key: Tensor, value: Tensor, given: Tensor | None, mask: Any, dropout_p: float, factor: float
) -> Tensor:
    root = math.sqrt(abs(factor))
    left = call("mul_scalar", query, root if factor >= 0 else -root)
    scores = composite.matmul(left, call("mul_scalar", composite.adjoint(key), root))
    if mask is not None:
        added = (
            given
            if given is not None and mask.dtype != bool
            else Tensor(np.where(mask, 0, -np.inf).astype(query._a.dtype))
        )
        scores = call("add", scores, added)
    weights = call("safe_softmax", scores, -1)
    return composite.matmul(dropout(weights, dropout_p) if dropout_p else weights, value)
