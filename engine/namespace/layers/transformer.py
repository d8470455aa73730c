"""The Transformer and its parts. Source: A. Vaswani et al., Attention Is All You Need (2017)."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.namespace.functional import activation as activations
from gradflow.engine.namespace.functional.attention import float_mask
from gradflow.engine.namespace.layers.activation import Dropout
from gradflow.engine.namespace.layers.attention import MultiheadAttention
from gradflow.engine.namespace.layers.linear import Linear
from gradflow.engine.namespace.layers.norm import LayerNorm
from gradflow.engine.namespace.nn import init
from gradflow.engine.namespace.nn.containers import ModuleList
from gradflow.engine.namespace.nn.module import Module
from gradflow.engine.namespace.tensor_arguments import has, numpy_dtype
from gradflow.engine.sandbox.library.copies import deepcopy
from gradflow.engine.state import STATE, warn
from gradflow.engine.tensor import Tensor, dtypes

_NESTED = (
    "The PyTorch API of nested tensors is in prototype stage and will change in the near future. We recommend specifying"
    " layout=torch.jagged when constructing a nested tensor, as this layout receives active development, has better"
    " operator coverage, and works with torch.compile."
)


def _activation(given: Any) -> Any:
    if not isinstance(given, str):
        return given
    found = {"relu": activations.relu, "gelu": activations.gelu}.get(str.__str__(given))
    if found is None:
        raise errors.MODULE_RUNTIME(message=f"activation should be relu/gelu, not {given}")
    return found


def _future(size: int, dtype: Any) -> Tensor:
    """Minus infinity above the diagonal."""
    element_dtype = dtypes.DEFAULT if dtype is None else numpy_dtype(dtype, "full")
    return Tensor(np.triu(np.full((size, size), -np.inf, element_dtype), 1))


def _is_causal(mask: Tensor | None, given: bool | None, sequence: Tensor, batch_first: bool) -> bool:
    """Whether a mask hides exactly the future; ``given`` decides where it is known."""
    if given is not None or mask is None:
        return given is True
    size = sequence._a.shape[0 if sequence._a.ndim == 2 or not batch_first else 1]
    return mask._a.shape == (size, size) and bool(np.array_equal(mask._a, _future(size, mask.dtype)._a))


class _Layer(Module):
    """What the layers of encoder and decoder have: attention to themselves and two affine maps."""

    def _sa_block(self, x: Any, attn_mask: Any, key_padding_mask: Any, is_causal: bool = False) -> Any:
        attended = self.self_attn(
            x, x, x, attn_mask=attn_mask, key_padding_mask=key_padding_mask, need_weights=False, is_causal=is_causal
        )
        return self.dropout1(attended[0])


def _build(
    layer: _Layer,
    sizes: tuple[int, int, int],
    dropout: float,
    activation: Any,
    eps: float,
    flags: tuple[bool, bool, bool],
    dtype: Any,
    decoder: bool,
) -> None:
    (model, heads, hidden), (batch_first, norm_first, bias) = sizes, flags
    Module.__init__(layer)
    for name in ("self_attn", "multihead_attn")[: 1 + decoder]:
        made = MultiheadAttention(model, heads, dropout, bias, batch_first=batch_first, dtype=dtype)
        setattr(layer, name, made)
    layer.linear1 = Linear(model, hidden, bias, dtype=dtype)
    layer.dropout = Dropout(dropout)
    layer.linear2 = Linear(hidden, model, bias, dtype=dtype)
    layer.norm_first = norm_first
    for number in range(1, 3 + decoder):
        setattr(layer, f"norm{number}", LayerNorm(model, eps, bias=bias, dtype=dtype))
    for number in range(1, 3 + decoder):
        setattr(layer, f"dropout{number}", Dropout(dropout))
    layer.activation = _activation(activation)


def _forward_block(layer: _Layer, x: Any, last: Any) -> Any:
    return last(layer.linear2(layer.dropout(layer.activation(layer.linear1(x)))))


class TransformerEncoderLayer(_Layer):
    """Attention of a sequence to itself, then two affine maps at each place."""

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = activations.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        sizes, flags = (d_model, nhead, dim_feedforward), (batch_first, norm_first, bias)
        _build(self, sizes, dropout, activation, layer_norm_eps, flags, dtype, decoder=False)
        name = type(self.activation).__name__
        known = {activations.relu: 1, activations.gelu: 2}.get(self.activation, 0)
        self.activation_relu_or_gelu = {"ReLU": 1, "GELU": 2}.get(name, known)

    def forward(self, src: Any, src_mask: Any = None, src_key_padding_mask: Any = None, is_causal: bool = False) -> Any:
        """The sequence, transformed."""
        padding = float_mask(src_key_padding_mask, "src_key_padding_mask", src_mask, "src_mask", src)
        mask = float_mask(src_mask, "src_mask", None, "", src)
        x = src
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), mask, padding, is_causal=is_causal)
            return x + self._ff_block(self.norm2(x))
        x = self.norm1(x + self._sa_block(x, mask, padding, is_causal=is_causal))
        return self.norm2(x + self._ff_block(x))

    def _ff_block(self, x: Any) -> Any:
        return _forward_block(self, x, self.dropout2)


class TransformerDecoderLayer(_Layer):
    """Attention of a sequence to itself and to another, then two affine maps at each place."""

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = activations.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        sizes, flags = (d_model, nhead, dim_feedforward), (batch_first, norm_first, bias)
        _build(self, sizes, dropout, activation, layer_norm_eps, flags, dtype, decoder=True)

    def forward(
        self,
        tgt: Any,
        memory: Any,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Any:
        """The target sequence, transformed."""
        own = (tgt_mask, tgt_key_padding_mask, tgt_is_causal)
        other = (memory_mask, memory_key_padding_mask, memory_is_causal)
        x = tgt
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), *own)
            x = x + self._mha_block(self.norm2(x), memory, *other)
            return x + self._ff_block(self.norm3(x))
        x = self.norm1(x + self._sa_block(x, *own))
        x = self.norm2(x + self._mha_block(x, memory, *other))
        return self.norm3(x + self._ff_block(x))

    def _mha_block(self, x: Any, mem: Any, attn_mask: Any, key_padding_mask: Any, is_causal: bool = False) -> Any:
        masks = {"attn_mask": attn_mask, "key_padding_mask": key_padding_mask, "is_causal": is_causal}
        attended = self.multihead_attn(x, mem, mem, **masks, need_weights=False)
        return self.dropout2(attended[0])

    def _ff_block(self, x: Any) -> Any:
        return _forward_block(self, x, self.dropout3)


def _copies(layer: Any, count: int) -> ModuleList:
    return ModuleList([deepcopy(layer) for _ in range(count)])


class TransformerEncoder(Module):
    """Several encoder layers, one after another."""

    def __init__(
        self,
        encoder_layer: Any,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__()
        self.layers: Any = _copies(encoder_layer, num_layers)
        self.num_layers, self.norm = num_layers, norm
        self.enable_nested_tensor = self.use_nested_tensor = enable_nested_tensor
        self.mask_check = mask_check
        reason = _why_not_nested(encoder_layer)
        if enable_nested_tensor and reason:
            warn(f"enable_nested_tensor is True, but self.use_nested_tensor is False because encoder_layer{reason}")
            self.use_nested_tensor = False

    def forward(
        self, src: Any, mask: Any = None, src_key_padding_mask: Any = None, is_causal: bool | None = None
    ) -> Any:
        """The sequence, transformed by every layer."""
        padding = float_mask(src_key_padding_mask, "src_key_padding_mask", mask, "mask", src)
        mask = float_mask(mask, "mask", None, "", src)
        first = self.layers[0]
        causal = _is_causal(mask, is_causal, src, first.self_attn.batch_first)
        output = src
        for layer in self.layers:
            output = layer(output, src_mask=mask, is_causal=causal, src_key_padding_mask=padding)
        if padding is not None and mask is None and _drops_padding(self, src, padding):
            warn(_NESTED, once=True)
            output = output.masked_fill(Tensor(padding._a != 0).unsqueeze(-1), 0.0)  # type: ignore[attr-defined]  # installed from the registry
        return output if self.norm is None else self.norm(output)


def _drops_padding(encoder: TransformerEncoder, src: Tensor, padding: Tensor) -> bool:
    """Whether PyTorch computes without the places that are padding, so that they come out as 0."""
    first = encoder.layers[0]
    if not encoder.use_nested_tensor or first.training or src._a.ndim != 3:
        return False
    kept = padding._a == 0  # as PyTorch has it: any other number counts as padding
    if encoder.mask_check and not np.array_equal(kept, np.sort(kept, axis=1)[:, ::-1]):
        return False
    return not (STATE.grad and (src.requires_grad or any(p.requires_grad for p in first.parameters())))


def _why_not_nested(layer: Any) -> str:
    """Why PyTorch would not compute without the padding, as it says itself."""
    if not isinstance(layer, TransformerEncoderLayer):
        return " was not TransformerEncoderLayer"
    attention: Any = layer.self_attn
    reasons = {
        ".norm_first was True": layer.norm_first,
        ".self_attn.batch_first was not True(use batch_first for better inference performance)": not attention.batch_first,
        ".self_attn._qkv_same_embed_dim was not True": not attention._qkv_same_embed_dim,
        ".self_attn was passed bias=False": attention.in_proj_bias is None,
        ".activation_relu_or_gelu was not True": not layer.activation_relu_or_gelu,
        ".norm1.eps was not equal to encoder_layer.norm2.eps": layer.norm1.eps != layer.norm2.eps,
        ".self_attn.num_heads is odd": attention.num_heads % 2 == 1,
    }
    return next((reason for reason, applies in reasons.items() if applies), "")


class TransformerDecoder(Module):
    """Several decoder layers, one after another."""

    def __init__(self, decoder_layer: Any, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers: Any = _copies(decoder_layer, num_layers)
        self.num_layers, self.norm = num_layers, norm

    def forward(
        self,
        tgt: Any,
        memory: Any,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Any:
        """The target sequence, transformed by every layer."""
        causal = _is_causal(tgt_mask, tgt_is_causal, tgt, self.layers[0].self_attn.batch_first)
        output = tgt
        for layer in self.layers:
            output = layer(
                output,
                memory,
                tgt_mask=tgt_mask,
                memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=causal,
                memory_is_causal=memory_is_causal,
            )
        return output if self.norm is None else self.norm(output)


class Transformer(Module):
    """An encoder for the source, and a decoder for the target that attends to it."""

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = activations.relu,
        custom_encoder: Any = None,
        custom_decoder: Any = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        given = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias)
        self.encoder, self.decoder = custom_encoder, custom_decoder
        if custom_encoder is None:
            encoder_layer = TransformerEncoderLayer(*given, dtype=dtype)
            norm = LayerNorm(d_model, layer_norm_eps, bias=bias, dtype=dtype)
            self.encoder = TransformerEncoder(encoder_layer, num_encoder_layers, norm)
        if custom_decoder is None:
            decoder_layer = TransformerDecoderLayer(*given, dtype=dtype)
            norm = LayerNorm(d_model, layer_norm_eps, bias=bias, dtype=dtype)
            self.decoder = TransformerDecoder(decoder_layer, num_decoder_layers, norm)
        self._reset_parameters()
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def _reset_parameters(self) -> None:
        for p in self.parameters():
            if p._a.ndim > 1:
                init.xavier_uniform_(p)

    def forward(
        self,
        src: Any,
        tgt: Any,
        src_mask: Any = None,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        src_key_padding_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Any:
        """The target sequence, transformed with what the source says."""
        batch = 0 if self.batch_first else 1
        if has(src, "dim")._a.ndim == 3 and src.size(batch) != tgt.size(batch):
            raise errors.MODULE_RUNTIME(message="the batch number of src and tgt must be equal")
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise errors.MODULE_RUNTIME(message="the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal)
        return self.decoder(
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
        """Minus infinity where a place would see later ones: (sz, sz)."""
        return _future(sz, dtype)


CLASSES = (Transformer, TransformerEncoder, TransformerDecoder, TransformerEncoderLayer, TransformerDecoderLayer)
