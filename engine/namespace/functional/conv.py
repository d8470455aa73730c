"""Convolutions: arguments made regular, then the operation, with a batch of one where there was none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradflow.engine import errors
from gradflow.engine.autograd.node import titled
from gradflow.engine.dispatch import autocast
from gradflow.engine.namespace.functional.activation import call
from gradflow.engine.namespace.tensor_arguments import need
from gradflow.engine.ops.nn.spatial.conv_checks import check, refuse
from gradflow.engine.tensor import Tensor

Sizes = tuple[int, ...]


def sizes(value: Any, dims: int) -> Sizes:
    """One integer for each dimension, from one for all or a sequence."""
    if isinstance(value, int):
        return (value,) * dims
    given = tuple(int(v) for v in value)
    return given * dims if len(given) == 1 else given


def _settings(dims: int, **named: Any) -> list[Sizes]:
    result = []
    for name, value in named.items():
        regular = sizes(value, dims)
        if len(regular) != dims:
            raise errors.CONV_PARAMETER(name=name, dims=dims, given=list(regular))
        result.append(regular)
    return result


def _batched(input: Tensor, dims: int, name: str) -> tuple[Tensor, bool]:
    if input._a.ndim not in (dims + 1, dims + 2):
        raise errors.CONV_INPUT(dims=dims + 1, batched=dims + 2, name=name, shape=list(input._a.shape))
    single = input._a.ndim == dims + 1
    return (call("unsqueeze", input, 0) if single else input), single


def _conv(
    name: str,
    dims: int,
    input: Tensor,
    weight: Tensor,
    bias: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: int,
) -> Tensor:
    need(input, name), need(weight, name, "weight", 2)
    batch, single = _batched(input, dims, name)
    spatial = _spatial(dims, batch, weight, stride, groups)
    strides, dilations = _settings(dims, stride=stride, dilation=dilation)
    if isinstance(padding, str):
        batch, paddings = _by_word(padding, batch, weight, strides, dilations)
    else:
        (paddings,) = _settings(spatial, padding=padding)
    check(batch._a, weight._a, None if bias is None else bias._a, strides, paddings, dilations, groups, False, None)
    result = _run("conv", bias, batch, weight, strides, paddings, dilations, groups)
    return call("squeeze_dim", result, 0) if single else result


def _spatial(dims: int, input: Tensor, weight: Tensor, stride: Any, groups: int) -> int:
    """The number of dimensions that the filters have. Raises RuntimeError where it is not that of the function."""
    shape = weight._a.shape
    if len(shape) < 3:
        raise refuse("weight should have at least three dimensions")
    if groups <= 0:
        raise errors.CONV_GROUPS()
    if len(shape) - 2 != dims:
        if dims > 1:
            raise errors.CONV_PARAMETER(name="stride", dims=len(shape) - 2, given=list(sizes(stride, dims)))
        raise refuse(
            f"Expected {len(shape)}-dimensional input for {len(shape)}-dimensional weight {list(shape)}, but got "
            f"{input._a.ndim}-dimensional input of size {list(input._a.shape)} instead"
        )
    return dims


def _run(name: str, bias: Tensor | None, input: Tensor, weight: Tensor, *settings: Any) -> Tensor:
    """A convolution; of complex numbers PyTorch composes it, and adds at last."""
    result: Tensor = call(name, input, weight, bias, *settings)
    return titled(result, "AddBackward0") if input._a.dtype.kind == "c" else result


def _by_word(word: str, input: Tensor, weight: Tensor, strides: Sizes, dilations: Sizes) -> tuple[Tensor, Sizes]:
    """``valid``: no padding. ``same``: as much as keeps the size, the odd element at the end."""
    if word == "valid":
        return input, (0,) * len(strides)
    if word != "same":
        raise errors.CONV_PADDING_WORD(word=word)
    if any(s != 1 for s in strides):
        raise errors.CONV_SAME_STRIDE()
    total = [d * (k - 1) for d, k in zip(dilations, weight._a.shape[2:], strict=True)]
    if any(t % 2 for t in total):
        extra = [part for t in reversed(total) for part in (0, t % 2)]
        input = call("constant_pad_nd", input, tuple(extra), 0)
    return input, tuple(t // 2 for t in total)


def _conv_transpose(
    name: str,
    dims: int,
    input: Tensor,
    weight: Tensor,
    bias: Any,
    stride: Any,
    padding: Any,
    output_padding: Any,
    groups: int,
    dilation: Any,
) -> Tensor:
    need(input, name), need(weight, name, "weight", 2)
    batch, single = _batched(input, dims, name)
    strides, paddings, extra, dilations = _settings(
        _spatial(dims, batch, weight, stride, groups),
        stride=stride,
        padding=padding,
        output_padding=output_padding,
        dilation=dilation,
    )
    check(batch._a, weight._a, None if bias is None else bias._a, strides, paddings, dilations, groups, True, extra)
    result = _run("conv_transpose", bias, batch, weight, strides, paddings, extra, groups, dilations)
    return call("squeeze_dim", result, 0) if single else result


def _convolution(dims: int) -> Callable[..., Tensor]:
    name = f"conv{dims}d"

    def convolve(
        input: Tensor,
        weight: Tensor,
        bias: Any = None,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Tensor:
        return _conv(name, dims, input, weight, bias, stride, padding, dilation, groups)

    convolve.__name__ = name
    convolve.__doc__ = f"The convolution of a batch in {dims} dimensions with filters."
    return convolve


def _transposed(dims: int) -> Callable[..., Tensor]:
    name = f"conv_transpose{dims}d"

    def convolve(
        input: Tensor,
        weight: Tensor,
        bias: Any = None,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        dilation: Any = 1,
    ) -> Tensor:
        return _conv_transpose(name, dims, input, weight, bias, stride, padding, output_padding, groups, dilation)

    convolve.__name__ = name
    convolve.__doc__ = f"The transpose of a convolution in {dims} dimensions."
    return convolve


def convolutions() -> dict[str, Callable[..., Any]]:
    """All of them, by name."""
    made = [function for dims in (1, 2, 3) for function in (_convolution(dims), _transposed(dims))]
    return {function.__name__: autocast.takes("lower")(function) for function in made}
