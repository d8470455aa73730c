"""Batch normalisation folded into the layer before it, and modules without initial values."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.namespace.nn.parameter import Parameter
from gradflow.engine.namespace.tensor_arguments import need
from gradflow.engine.sandbox.library.copies import deepcopy
from gradflow.engine.tensor import Tensor


def _scale(bn_rv: Any, bn_eps: float, bn_w: Any) -> np.ndarray:
    weight = np.ones_like(bn_rv._a) if bn_w is None else bn_w._a
    result: np.ndarray = weight * (1 / np.sqrt(bn_rv._a + bn_rv._a.dtype.type(bn_eps)))
    return result


def _shifted(bias: Any, bn_rm: Any, scale: np.ndarray, bn_b: Any) -> np.ndarray:
    own = np.zeros_like(bn_rm._a) if bias is None else bias._a
    result: np.ndarray = (own - bn_rm._a) * scale + (0 if bn_b is None else bn_b._a)
    return result


def fuse_conv_bn_weights(
    conv_w: Any, conv_b: Any, bn_rm: Any, bn_rv: Any, bn_eps: float, bn_w: Any, bn_b: Any, transpose: bool = False
) -> tuple[Parameter, Parameter]:
    """Weight and bias of a convolution that also normalises."""
    for each in (conv_w, bn_rm, bn_rv):
        need(each, "fuse_conv_bn_weights")
    for each in (conv_b, bn_w, bn_b):
        if each is not None:
            need(each, "fuse_conv_bn_weights")
    scale = _scale(bn_rv, bn_eps, bn_w)
    shape = [1] * conv_w.dim()
    shape[1 if transpose else 0] = -1
    wanted = conv_w.requires_grad
    weight = Parameter(Tensor(conv_w._a * scale.reshape(shape)), wanted)
    return weight, Parameter(Tensor(_shifted(conv_b, bn_rm, scale, bn_b)), wanted)


def fuse_linear_bn_weights(
    linear_w: Any, linear_b: Any, bn_rm: Any, bn_rv: Any, bn_eps: float, bn_w: Any, bn_b: Any
) -> tuple[Parameter, Parameter]:
    """Weight and bias of an affine map that also normalises."""
    return fuse_conv_bn_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b)


def fuse_conv_bn_eval(conv: Any, bn: Any, transpose: bool = False) -> Any:
    """A convolution that does the work of itself and of the batch normalisation after it."""
    if conv.training or bn.training:
        raise errors.MODULE_ASSERTION(message="Fusion only for eval!")
    if bn.running_mean is None:
        raise errors.MODULE_ASSERTION(message="Expected bn.running_mean to be non-None")
    fused = deepcopy(conv)
    fused.weight, fused.bias = fuse_conv_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias, transpose
    )
    return fused


def fuse_linear_bn_eval(linear: Any, bn: Any) -> Any:
    """An affine map that does the work of itself and of the batch normalisation after it."""
    return fuse_conv_bn_eval(linear, bn)


def skip_init(module_cls: Any, *args: Any, **kwargs: Any) -> Any:
    """A module whose initial values are still to be set."""
    return module_cls(*args, **kwargs)


FUNCTIONS: dict[str, Any] = {
    f.__name__: f
    for f in (fuse_conv_bn_weights, fuse_linear_bn_weights, fuse_conv_bn_eval, fuse_linear_bn_eval, skip_init)
}
