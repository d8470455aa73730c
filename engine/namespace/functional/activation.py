"""Activations of ``torch.nn.functional``: which operation runs, in place or not."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.dispatch import autocast
from gradflow.engine.dispatch.signatures import overloads
from gradflow.engine.namespace.functional.python_functions import given
from gradflow.engine.namespace.functions import composite
from gradflow.engine.namespace.tensor_arguments import has, need, no_method
from gradflow.engine.numerics.mersenne_twister import GENERATOR
from gradflow.engine.ops.nn.activation import RRELU_LOWER, RRELU_UPPER
from gradflow.engine.out_rules import EXPECTED, exactly, has_out
from gradflow.engine.registry import REGISTRY
from gradflow.engine.state import STATE, warn
from gradflow.engine.tensor import Tensor, dtypes

_IMPLICIT_DIM = (
    "Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument."
)


def call(name: str, *args: Any) -> Any:
    """Run an operation."""
    return REGISTRY[name].call(*args)


def call_inplace(name: str, *args: Any) -> Any:
    """Run an operation in place."""
    function = REGISTRY[name].call_inplace
    assert function is not None
    return function(*args)


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """The element where it is positive, else 0."""
    (input,) = given("relu_" if inplace else "relu", input)
    return (call_inplace if inplace else call)("relu", input)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """The element between 0 and 6."""
    (input,) = given("nn.relu6", input)
    return (call_inplace if inplace else call)("relu6", input)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """The element between ``min_val`` and ``max_val``."""
    if min_val > max_val:
        raise errors.HARDTANH_BOUNDS()
    if isinstance(input, Tensor) and input._a.dtype == np.uint8 and min_val < 0:
        raise errors.HARDTANH_UNSIGNED()
    arguments = given("nn.hardtanh", input, min_val, max_val)
    return (call_inplace if inplace else call)("hardtanh", *arguments)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """The element where it is positive, else a small multiple of it."""
    arguments = given("nn.leaky_relu", input, negative_slope)
    return call_inplace("leaky_relu_inplace", *arguments) if inplace else call("leaky_relu", *arguments)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """The element where it is positive, else alpha * (exp(input) - 1)."""
    arguments = given("nn.elu", input, alpha)
    return call_inplace("elu_inplace", *arguments) if inplace else call("elu", *arguments)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """A scaled elu that keeps mean 0 and variance 1."""
    (input,) = given("selu", input)
    return call_inplace("selu_inplace", input) if inplace else call("selu", input)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """The element where it is positive, else alpha * (exp(input / alpha) - 1)."""
    arguments = given("celu", input, alpha)
    return call_inplace("celu_inplace", *arguments) if inplace else call("celu", *arguments)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """The element where it lies above the threshold, else ``value``."""
    arguments = given("threshold", input, threshold, value)
    return call_inplace("threshold_inplace", *arguments) if inplace else call("threshold", *arguments)


threshold.__qualname__ = "_threshold"  # as PyTorch has it in Python's own errors


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """(input + 3) / 6, kept between 0 and 1."""
    (input,) = given("nn.hardsigmoid", input)
    return (call_inplace if inplace else call)("hardsigmoid", input)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """input * hardsigmoid(input)."""
    (input,) = given("nn.hardswish", input)
    return (call_inplace if inplace else call)("hardswish", input)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """input * sigmoid(input)."""
    (input,) = given("nn.silu", input)
    if input._a.dtype.kind == "c" and STATE.grad and input.requires_grad:
        raise errors.COMPLEX_UNSUPPORTED(
            name="silu", what="does not support automatic differentiation for outputs with complex dtype."
        )
    return (call_inplace if inplace else call)("silu", input)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """input * tanh(softplus(input))."""
    (input,) = given("nn.mish", input)
    return (call_inplace if inplace else call)("mish", input)


def gelu(input: Tensor, *, approximate: str = "none") -> Tensor:
    """input times the standard normal distribution function of it, or an approximation by a hyperbolic tangent."""
    if approximate not in ("none", "tanh"):
        raise errors.GELU_APPROXIMATE()
    need(input, "gelu")
    return call("gelu_exact" if approximate == "none" else "gelu_tanh", input)


@autocast.takes("lower")
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """The element where it is positive, else a learned multiple of it, one for all or one for each channel."""
    x, w = need(input, "prelu")._a, need(weight, "prelu", "weight", 2)._a
    if w.size != 1:
        if x.ndim == 0:
            raise errors.PRELU_SCALAR()
        channels = x.shape[1] if x.ndim > 1 else 1
        if channels != w.size:
            raise errors.PRELU_COUNT(weights=w.size, channels=channels)
    if w.ndim > 1:
        raise errors.PRELU_DIMENSIONS(ndim=w.ndim)
    if x.dtype != w.dtype:
        raise errors.PRELU_DTYPE(input=input.dtype.legacy, weight=weight.dtype.legacy)
    if x.ndim != 1 or not w.ndim:
        shape = tuple(w.size if i == 1 else 1 for i in range(x.ndim))
        weight = composite.reshape(weight, shape)
    return call("prelu_kernel", input, weight)


def rrelu(
    input: Tensor, lower: float = RRELU_LOWER, upper: float = RRELU_UPPER, training: bool = False, inplace: bool = False
) -> Tensor:
    """The element where it is positive, else a multiple of it: random while training, else the middle of the range."""
    input, lower, upper, training = given("rrelu", input, lower, upper, training)
    x = input._a
    if lower > upper:
        raise errors.RRELU_BOUNDS()
    run = call_inplace if inplace else call
    if not training:
        return run("rrelu", input, (lower + upper) / 2)
    noise = np.ones(x.shape, x.dtype)
    negative = x <= 0
    drawn = GENERATOR.uniform(int(negative.sum()), np.dtype(np.float64)) * (upper - lower) + lower
    noise[negative] = drawn.astype(x.dtype)
    return run("rrelu", input, Tensor(noise))


def rrelu_(input: Tensor, lower: float = RRELU_LOWER, upper: float = RRELU_UPPER, training: bool = False) -> Tensor:
    """`rrelu` in place."""
    return rrelu(input, lower, upper, training, inplace=True)


def tanhshrink(input: Tensor) -> Tensor:
    """input - tanh(input)."""
    return call("sub", input, call("tanh", has(input, "tanh")))


def softsign(input: Tensor) -> Tensor:
    """input / (1 + |input|)."""
    return call("div", input, call("add", call("abs", has(input, "abs")), 1))


def _implicit(name: str, input: Tensor, dim: int | None) -> int:
    if not isinstance(input, Tensor):
        if name == "softmin" and not isinstance(input, int | float | complex):
            raise errors.NEGATION(type=type(input).__name__)
        raise no_method(-input if name == "softmin" else input, "log_softmax" if name == "log_softmax" else "softmax")
    if dim is not None:
        return int(overloads()["Tensor." + name.replace("min", "max")].parse((dim,), {})[0][0])
    warn(_IMPLICIT_DIM.format(name=name))
    return 0 if input._a.ndim in (0, 1, 3) else 1


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """exp(input) divided by its sum along a dimension."""
    dim = _implicit("softmax", input, dim)
    return call("softmax_dim", input if dtype is None else composite.to(input, dtype), dim)


def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """`softmax` of -input."""
    dim = _implicit("softmin", input, dim)
    negative = call("neg", input)
    return call("softmax_dim", negative if dtype is None else composite.to(negative, dtype), dim)


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """The logarithm of `softmax`, without overflow."""
    dim = _implicit("log_softmax", input, dim)
    return call("log_softmax_dim", input if dtype is None else composite.to(input, dtype), dim)


@has_out(exactly(EXPECTED, gradient=None), "softmax")
def torch_softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """exp(input) divided by its sum along a dimension."""
    return softmax(need(input, "softmax"), dim, dtype=dtype)


@has_out(exactly(EXPECTED, gradient=None), "log_softmax")
def torch_log_softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """The logarithm of softmax, without overflow."""
    return log_softmax(need(input, "log_softmax"), dim, dtype=dtype)


def tanh(input: Tensor) -> Tensor:
    """Hyperbolic tangent."""
    return call("tanh", has(input, "tanh"))


def sigmoid(input: Tensor) -> Tensor:
    """1 / (1 + exp(-input))."""
    return call("sigmoid", has(input, "sigmoid"))


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """The first half along a dimension times the sigmoid of the second half."""
    if not has(input, "dim")._a.ndim:
        raise errors.GLU_SCALAR()
    return call("glu", *given("nn.glu", input, dim))


def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """A random choice that gradients flow through; ``hard``: one-hot on the way forward (Jang et al. 2017)."""
    x = need(logits, "empty_like")._a
    if x.dtype.kind not in "fV":
        raise errors.EXPONENTIAL_DTYPE(dtype=logits.dtype.legacy)
    uniform = GENERATOR.uniform(x.size, np.dtype(np.float64)).astype(x.dtype)
    noise = -np.log1p(-uniform).reshape(x.shape)
    gumbels = call("tensor", -np.log(noise))
    soft: Tensor = call("softmax_dim", call("div", call("add", logits, gumbels), tau), dim)
    if not hard:
        return soft
    index = np.expand_dims(soft._a.argmax(dim), dim)
    one_hot = np.zeros_like(x)
    np.put_along_axis(one_hot, index, 1, dim)
    return call("add", call("sub", call("tensor", one_hot), soft.detach()), soft)


def floating_name(tensor: Tensor) -> str:
    """The dtype of a tensor as C++ knows it."""
    return dtypes.C_NAMES[tensor.dtype.name]
