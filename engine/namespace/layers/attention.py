"""Attention with several heads. Source: A. Vaswani et al., Attention Is All You Need (2017)."""

from __future__ import annotations

from typing import Any

from gradflow.engine import errors
from gradflow.engine.namespace.functional.attention import float_mask, multi_head_attention_forward
from gradflow.engine.namespace.layers.linear import Linear
from gradflow.engine.namespace.nn import init
from gradflow.engine.namespace.nn.module import Module
from gradflow.engine.namespace.nn.parameter import Parameter, empty
from gradflow.engine.tensor import Tensor


class NonDynamicallyQuantizableLinear(Linear):
    """`Linear` under the name that PyTorch prints for the output of attention."""


class MultiheadAttention(Module):
    """Attention in several parts of the embedding at once.

    Query (L, N, E), key (S, N, E) and value (S, N, E), without N for a single sequence and with N first where
    ``batch_first``: to the output (L, N, E) and the weights (N, L, S).
    """

    in_proj_weight: Parameter | None
    in_proj_bias: Parameter | None
    q_proj_weight: Parameter | None
    k_proj_weight: Parameter | None
    v_proj_weight: Parameter | None
    bias_k: Parameter | None
    bias_v: Parameter | None

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if embed_dim <= 0 or num_heads <= 0:
            raise errors.MODULE_ARGUMENT(
                message=f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and"
                f" num_heads={num_heads} instead"
            )
        super().__init__()
        self.embed_dim, self.num_heads, self.dropout, self.batch_first = embed_dim, num_heads, dropout, batch_first
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise errors.MODULE_ASSERTION(message="embed_dim must be divisible by num_heads")
        _projections(self, dtype)
        self.register_parameter("in_proj_bias", empty(3 * embed_dim, dtype=dtype) if bias else None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, dtype=dtype)
        self.bias_k = self.bias_v = None
        if add_bias_kv:
            self.bias_k, self.bias_v = empty(1, 1, embed_dim, dtype=dtype), empty(1, 1, embed_dim, dtype=dtype)
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        for weight in (self.in_proj_weight, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
            if weight is not None:
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.zeros_(self.in_proj_bias)
            init.zeros_(self.out_proj.bias)  # type: ignore[arg-type]  # it has a bias where this module has
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                init.xavier_normal_(bias)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """The output, and the weights or None."""
        padding = float_mask(key_padding_mask, "key_padding_mask", attn_mask, "attn_mask", query)
        mask = float_mask(attn_mask, "attn_mask", None, "", query)
        turned = self.batch_first and query._a.ndim == 3
        given: tuple[Any, ...] = _turned(query, key, value) if turned else (query, key, value)
        separate: dict[str, Any] = {}
        if not self._qkv_same_embed_dim:
            names = ("q_proj_weight", "k_proj_weight", "v_proj_weight")
            separate = {"use_separate_proj_weight": True, **{name: getattr(self, name) for name in names}}
        q, k, v = given
        output, weights = multi_head_attention_forward(
            q,
            k,
            v,
            self.embed_dim,
            self.num_heads,
            self.in_proj_weight,
            self.in_proj_bias,
            self.bias_k,
            self.bias_v,
            self.add_zero_attn,
            self.dropout,
            self.out_proj.weight,
            self.out_proj.bias,
            training=self.training,
            key_padding_mask=padding,
            need_weights=need_weights,
            attn_mask=mask,
            average_attn_weights=average_attn_weights,
            is_causal=is_causal,
            **separate,
        )
        return output.transpose(1, 0) if turned else output, weights


def _projections(attention: MultiheadAttention, dtype: Any) -> None:
    """One matrix for all three inputs where they have the same size, else three."""
    size, separate = attention.embed_dim, ("q_proj_weight", "k_proj_weight", "v_proj_weight")
    if attention._qkv_same_embed_dim:
        attention.in_proj_weight = empty(3 * size, size, dtype=dtype)
        for name in separate:
            attention.register_parameter(name, None)
        return
    for name, width in zip(separate, (size, attention.kdim, attention.vdim), strict=True):
        setattr(attention, name, empty(size, width, dtype=dtype))
    attention.register_parameter("in_proj_weight", None)


def _turned(query: Any, key: Any, value: Any) -> tuple[Any, ...]:
    """With the batch second; what was one tensor stays one."""
    turned = {id(x): x for x in (query, key, value)}
    turned = {key: x.transpose(1, 0) for key, x in turned.items()}
    return tuple(turned[id(x)] for x in (query, key, value))


CLASSES = (MultiheadAttention,)
