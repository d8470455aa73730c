"""``torch.nn.functional``, and what of it also stands under ``torch`` and on Tensor."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from gradflow.engine.namespace.checked_calls import checked
from gradflow.engine.namespace.functional import (
    activation,
    attention,
    cross_entropy,
    ctc,
    dropout,
    layers,
    loss,
    margin_loss,
    pool,
    sampling,
    vision,
)
from gradflow.engine.namespace.functional import torch_names as functional_torch
from gradflow.engine.namespace.functional.python_functions import written_in_python
from gradflow.engine.registry import REGISTRY

Function = Callable[..., Any]

_OPERATIONS = (
    "hardshrink", "softshrink", "softplus", "logsigmoid", "pixel_shuffle", "pixel_unshuffle", "channel_shuffle",
)  # fmt: skip
_ACTIVATIONS = (
    "relu", "relu6", "hardtanh", "leaky_relu", "elu", "selu", "celu", "threshold", "hardsigmoid", "hardswish",
    "silu", "mish", "gelu", "prelu", "rrelu", "rrelu_", "tanhshrink", "softsign", "softmax", "softmin", "log_softmax",
    "gumbel_softmax", "tanh", "sigmoid", "glu",
)  # fmt: skip
_LOSSES = (
    "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "soft_margin_loss", "binary_cross_entropy",
    "binary_cross_entropy_with_logits", "kl_div", "poisson_nll_loss", "gaussian_nll_loss",
)  # fmt: skip
_MARGINS = (
    "hinge_embedding_loss", "margin_ranking_loss", "multi_margin_loss", "multilabel_margin_loss",
    "multilabel_soft_margin_loss", "cosine_embedding_loss", "triplet_margin_loss",
    "triplet_margin_with_distance_loss", "pairwise_distance",
)  # fmt: skip
_LAYERS = (
    "linear", "bilinear", "embedding", "batch_norm", "layer_norm", "group_norm", "instance_norm", "rms_norm",
    "normalize", "local_response_norm", "cosine_similarity", "embedding_bag", "pdist",
    "scaled_dot_product_attention",
)  # fmt: skip
_VISION = (
    "pad", "interpolate", "upsample", "upsample_nearest", "upsample_bilinear", "unfold", "fold", "one_hot",
)  # fmt: skip
_IN_PLACE = {
    "relu_": "relu", "hardtanh_": "hardtanh", "leaky_relu_": "leaky_relu_inplace", "elu_": "elu_inplace",
    "selu_": "selu_inplace", "celu_": "celu_inplace", "threshold_": "threshold_inplace",
}  # fmt: skip
_IN_TORCH = (
    "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "max_pool1d",
    "max_pool2d", "max_pool3d", "avg_pool1d", "adaptive_avg_pool1d", "instance_norm", "embedding_bag", "pdist",
    "prelu", "rrelu", "rrelu_", "cosine_similarity", "pairwise_distance", "bilinear", "layer_norm", "group_norm", "rms_norm",
)  # fmt: skip
_CHECKED = (
    {
        name: name
        for name in (
            "adaptive_avg_pool1d",
            "avg_pool1d",
            "bilinear",
            "celu_",
            "channel_shuffle",
            "conv1d",
            "conv2d",
            "conv3d",
            "conv_transpose1d",
            "conv_transpose2d",
            "conv_transpose3d",
            "cosine_similarity",
            "hardshrink",
            "pdist",
            "pairwise_distance",
            "pixel_shuffle",
            "pixel_unshuffle",
            "prelu",
            "relu_",
            "selu_",
            "threshold_",
            "rrelu_",
            "native_channel_shuffle",
        )
    }
    | {
        name: f"nn.{name}"
        for name in (
            "avg_pool2d",
            "avg_pool3d",
            "elu_",
            "gelu",
            "hardtanh_",
            "leaky_relu_",
            "linear",
            "one_hot",
            "softplus",
            "scaled_dot_product_attention",
            "softshrink",
        )
    }
    | {"logsigmoid": "nn.log_sigmoid"}
)
"""What is written in C++, and whose signature it has."""


def _from(module: Any, names: tuple[str, ...]) -> dict[str, Function]:
    return {name: getattr(module, name) for name in names}


def _in_place(name: str) -> Function:
    function = REGISTRY[name].call_inplace
    assert function is not None
    return function


@cache
def functions() -> dict[str, Function]:
    """The members of ``torch.nn.functional``, by name, each with PyTorch's check of its arguments or Python's."""
    table = {}
    for name, function in _members().items():
        own = _CHECKED.get(name)
        table[name] = written_in_python(name, function) if own is None else checked(own, function)
    return table


def _members() -> dict[str, Function]:
    table: dict[str, Function] = {name: REGISTRY[name].call for name in _OPERATIONS}
    table |= _from(activation, _ACTIVATIONS)
    table |= _from(loss, _LOSSES)
    table |= _from(cross_entropy, ("nll_loss", "cross_entropy"))
    table |= _from(margin_loss, _MARGINS)
    table |= _from(layers, _LAYERS)
    table |= _from(vision, _VISION)
    table |= pool.functions()
    table["multi_head_attention_forward"] = attention.multi_head_attention_forward
    table |= dropout.FUNCTIONS | sampling.FUNCTIONS
    table["ctc_loss"] = ctc.ctc_loss
    table["linear_cross_entropy"] = functional_torch.linear_cross_entropy
    table["native_channel_shuffle"] = functional_torch.native_channel_shuffle
    return table | {name: _in_place(op) for name, op in _IN_PLACE.items()}


def in_torch() -> dict[str, Function]:
    """What stands under ``torch`` as well."""
    table = _members()
    named: dict[str, Function] = {name: table[name] for name in _IN_TORCH if name in table}
    named |= {name: _in_place(_IN_PLACE[name]) for name in ("relu_", "selu_", "celu_", "threshold_")}
    pools = ("max_pool1d_with_indices", "adaptive_max_pool1d_with_indices")
    named |= {"max_pool1d_with_indices": table[pools[0]], "adaptive_max_pool1d": table[pools[1]]}
    return (
        named
        | functional_torch.FUNCTIONS
        | {
            "softmax": activation.torch_softmax,
            "log_softmax": activation.torch_log_softmax,
            **dropout.TORCH,
            "embedding": layers.torch_embedding,
            "batch_norm": layers.torch_batch_norm,
            "cdist": layers.cdist,
            "grid_sampler": sampling.grid_sampler,
            "affine_grid_generator": sampling.affine_grid_generator,
            "embedding_renorm_": layers.embedding_renorm_,
            "ctc_loss": ctc.torch_ctc_loss,
        }
    )


def methods() -> dict[str, Function]:
    """What Tensor has as methods."""
    return {
        "softmax": activation.torch_softmax,
        "log_softmax": activation.torch_log_softmax,
        "prelu": activation.prelu,
        "relu_": _in_place("relu"),
    }
