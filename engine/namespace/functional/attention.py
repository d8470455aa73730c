"""Attention with several heads as a function. Source: A. Vaswani et al., Attention Is All You Need (2017)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.namespace.functional import layers
from gradflow.engine.namespace.functional.activation import call, softmax
from gradflow.engine.namespace.functional.dropout import dropout
from gradflow.engine.namespace.tensor_arguments import has
from gradflow.engine.state import warn
from gradflow.engine.tensor import Tensor

_CAUSAL = (
    "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method"
    " `generate_square_subsequent_mask` to create this mask."
)


def float_mask(mask: Tensor | None, name: str, other: Tensor | None, other_name: str, like: Tensor) -> Tensor | None:
    """A mask as numbers to add: minus infinity where a mask of bools is true.

    Warns where ``other``, another mask, is of another dtype. Raises AssertionError for integers.
    """
    if mask is None:
        return None
    letter = has(mask, "dtype")._a.dtype.kind
    _need(letter in "bf", f"only bool and floating types of {name} are supported")
    if other is not None and has(other, "dtype")._a.dtype != mask._a.dtype:
        warn(f"Support for mismatched {name} and {other_name} is deprecated. Use same type for both instead.")
    if letter == "f":
        return mask
    added = np.zeros(mask._a.shape, like._a.dtype)
    added[mask._a] = -np.inf
    return Tensor(added)


def _need(holds: bool, message: str) -> None:
    if not holds:
        raise errors.MODULE_ASSERTION(message=message)


def _batched(query: Any, key: Any, value: Any, padding: Any, mask: Any, heads: int) -> bool:
    """Whether there is a batch. Raises AssertionError for tensors of other dimensions than fit."""
    ndim = query.dim()
    _need(ndim in (2, 3), f"query should be unbatched 2D or batched 3D tensor but received {ndim}-D query tensor")
    rows = "batched (3-D)" if ndim == 3 else "unbatched (2-D)"
    _need(
        key.dim() == value.dim() == ndim,
        f"For {rows} `query`, expected `key` and `value` to be {ndim}-D but found {key.dim()}-D and {value.dim()}-D"
        " tensors respectively",
    )
    _need(
        padding is None or padding.dim() == ndim - 1,
        f"For {rows} `query`, expected `key_padding_mask` to be `None` or {ndim - 1}-D but found"
        f" {0 if padding is None else padding.dim()}-D tensor instead",
    )
    if mask is not None:
        found = f"but found {mask.dim()}-D tensor instead"
        _need(mask.dim() in (2, 3), f"For {rows} `query`, expected `attn_mask` to be `None`, 2-D or 3-D {found}")
        shape = (heads, query.size(0), key.size(0))
        fits = ndim == 3 or mask.dim() == 2 or mask._a.shape == shape
        _need(fits, f"Expected `attn_mask` shape to be {shape} but got {mask.shape}")
    return bool(ndim == 3)


def _packed(query: Any, key: Any, value: Any, weight: Any, bias: Any) -> tuple[Any, Any, Any]:
    """The three projections by one matrix; inputs that are the same tensor are projected together."""
    size = query.size(-1)
    if key is value and query is key:
        return _split(layers.linear(query, weight, bias), 3, size)
    if key is value:
        own, others = weight.split([size, 2 * size])
        own_bias, other_bias = (None, None) if bias is None else bias.split([size, 2 * size])
        queries = layers.linear(query, own, own_bias)
        return queries, *_split(layers.linear(key, others, other_bias), 2, size)
    weights, biases = weight.chunk(3), (None,) * 3 if bias is None else bias.chunk(3)
    given = zip((query, key, value), weights, biases, strict=True)
    return tuple(layers.linear(x, w, b) for x, w, b in given)  # type: ignore[return-value]  # three of them


def _split(projected: Any, count: int, size: int) -> Any:
    parts = projected.unflatten(-1, (count, size)).unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()
    return tuple(parts[i] for i in range(count))


def _separate(given: tuple[Any, ...], weights: tuple[Any, ...], bias: Any) -> tuple[Any, Any, Any]:
    """The three projections by a matrix each."""
    size = given[0].size(-1)
    names = ("query", "key", "value")
    for name, x, w in zip(names, given, weights, strict=True):
        shape = (size, x.size(-1))
        _need(w._a.shape == shape, f"expecting {name} weights shape of {shape}, but got {w.shape}")
    biases = (None,) * 3 if bias is None else bias.chunk(3)
    parts = zip(given, weights, biases, strict=True)
    return tuple(layers.linear(x, w, b) for x, w, b in parts)  # type: ignore[return-value]  # three of them


def _mask_shape(mask: Any, batch: int, heads: int, target: int, source: int) -> Any:
    """A mask with a dimension for batch and heads. Raises RuntimeError for one of another shape."""
    wanted = (target, source) if mask.dim() == 2 else (batch * heads, target, source)
    if mask._a.shape != wanted:
        raise errors.MODULE_RUNTIME(
            message=f"The shape of the {mask.dim()}D attn_mask is {mask.shape}, but should be {wanted}."
        )
    return mask.unsqueeze(0) if mask.dim() == 2 else mask


def multi_head_attention_forward(
    query: Any,
    key: Any,
    value: Any,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Any,
    in_proj_bias: Any,
    bias_k: Any,
    bias_v: Any,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Any,
    out_proj_bias: Any,
    training: bool = True,
    key_padding_mask: Any = None,
    need_weights: bool = True,
    attn_mask: Any = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Any = None,
    k_proj_weight: Any = None,
    v_proj_weight: Any = None,
    static_k: Any = None,
    static_v: Any = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Any, Any]:
    """Attention of queries (L, N, E) to keys (S, N, E) and values (S, N, E), or of all three without N.

    The output (L, N, E), and the weights (N, L, S), (N, heads, L, S) where not ``average_attn_weights``, or None.
    Raises AssertionError and RuntimeError for shapes that do not fit.
    """
    batched = _batched(query, key, value, key_padding_mask, attn_mask, num_heads)
    if not batched:
        query, key, value = (x.unsqueeze(1) for x in (query, key, value))
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    target, batch, size = query.shape
    padding: Any = float_mask(key_padding_mask, "key_padding_mask", attn_mask, "attn_mask", query)
    if is_causal and attn_mask is None:
        raise errors.MODULE_RUNTIME(message=_CAUSAL)
    hint = is_causal and padding is None and not need_weights
    mask: Any = None if hint else float_mask(attn_mask, "attn_mask", None, "", query)
    is_causal = is_causal and padding is None
    _need(size == embed_dim_to_check, f"was expecting embedding dimension of {embed_dim_to_check}, but got {size}")
    width = size // num_heads
    _need(width * num_heads == size, f"embed_dim {size} not divisible by num_heads {num_heads}")
    if use_separate_proj_weight:
        same = key.shape[:2] == value.shape[:2]
        _need(same, f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}")
        weights = (q_proj_weight, k_proj_weight, v_proj_weight)
        q, k, v = _separate((query, key, value), weights, in_proj_bias)
    else:
        _need(key.shape == value.shape, f"key shape {key.shape} does not match value shape {value.shape}")
        q, k, v = _packed(query, key, value, in_proj_weight, in_proj_bias)
    if mask is not None:
        mask = _mask_shape(mask, batch, num_heads, target, key.size(0))
    if bias_k is not None:
        k, v = (call("cat", [x, b.repeat(1, batch, 1)], 0) for x, b in ((k, bias_k), (v, bias_v)))
        mask, padding = _one_more(mask), _one_more(padding)
    q, k, v = (x.view(x.size(0), batch * num_heads, width).transpose(0, 1) for x in (q, k, v))
    k, v = k if static_k is None else static_k, v if static_v is None else static_v
    if add_zero_attn:
        zero = Tensor(np.zeros((batch * num_heads, 1, width), q._a.dtype))
        k, v = (call("cat", [x, zero], 1) for x in (k, v))
        mask, padding = _one_more(mask), _one_more(padding)
    mask = _with_padding(mask, padding, batch, num_heads, k.size(1))
    share = dropout_p if training else 0.0
    heads = _Heads(batch, num_heads, target, k.size(1), width)
    if need_weights:
        output, attended = heads.with_weights(q, k, v, mask, share)
    else:
        output, attended = heads.without_weights(q, k, v, mask, share, is_causal), None
    output = layers.linear(output, out_proj_weight, out_proj_bias)
    output = output.view(target, batch, output.size(1))  # type: ignore[attr-defined]  # installed from the registry
    if attended is not None:
        attended = attended.view(batch, num_heads, target, heads.source)
        attended = attended.mean(dim=1) if average_attn_weights else attended
    if batched:
        return output, attended
    return output.squeeze(1), None if attended is None else attended.squeeze(0)


def _one_more(mask: Any) -> Any:
    """A mask with a column more, which hides nothing."""
    return None if mask is None else call("constant_pad_nd", mask, (0, 1), 0)


def _with_padding(mask: Any, padding: Any, batch: int, heads: int, source: int) -> Any:
    """Both masks together. Raises AssertionError for a padding of another shape."""
    if padding is None:
        return mask
    for dim, wanted in enumerate((batch, source)):
        found = padding.size(dim)
        _need(found == wanted, f"Expected key_padded_mask.shape[{dim}] to be {wanted}, but got {found}")
    wide = padding.view(batch, 1, 1, source).expand(-1, heads, -1, -1).reshape(batch * heads, 1, source)
    return wide if mask is None else mask + wide


class _Heads:
    """The attention of all heads: (N * heads, L, width) to (L * N, E)."""

    def __init__(self, batch: int, heads: int, target: int, source: int, width: int) -> None:
        self.batch, self.heads, self.target, self.source, self.width = batch, heads, target, source, width

    def with_weights(self, q: Any, k: Any, v: Any, mask: Any, share: float) -> tuple[Any, Any]:
        """The output before its projection, and the weights (N * heads, L, S)."""
        scaled, turned = q * math.sqrt(1.0 / float(self.width)), k.transpose(-2, -1)
        scores = scaled.bmm(turned) if mask is None else mask.baddbmm(scaled, turned)
        weights: Any = softmax(scores, -1)
        weights = dropout(weights, share) if share > 0.0 else weights
        output = weights.bmm(v).transpose(0, 1).reshape(self.target * self.batch, self.heads * self.width)
        return output, weights

    def without_weights(self, q: Any, k: Any, v: Any, mask: Any, share: float, is_causal: bool) -> Any:
        """The output before its projection, by `scaled_dot_product_attention`."""
        if mask is not None:
            whole = mask.size(0) == 1 and mask.dim() == 3
            mask = mask.unsqueeze(0) if whole else mask.view(self.batch, self.heads, -1, self.source)
        q = q.view(self.batch, self.heads, self.target, self.width)
        k, v = (x.view(self.batch, self.heads, self.source, self.width) for x in (k, v))
        output: Any = layers.scaled_dot_product_attention(q, k, v, mask, share, is_causal)
        return output.permute(2, 0, 1, 3).reshape(self.batch * self.target, self.heads * self.width)
