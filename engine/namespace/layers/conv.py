"""Convolutions, pools, padding and resampling as modules."""

from __future__ import annotations

from collections.abc import Iterable
from types import FunctionType
from typing import Any

from gradflow.engine import errors
from gradflow.engine.namespace.functional import torch_nn_functional
from gradflow.engine.namespace.layers.linear import add_bias, reset
from gradflow.engine.namespace.nn.functional_modules import layer, settings
from gradflow.engine.namespace.nn.module import Module
from gradflow.engine.namespace.nn.parameter import Parameter, empty
from gradflow.engine.namespace.tensor_arguments import has
from gradflow.engine.tensor import Tensor

_F = torch_nn_functional.functions()


def each(value: Any, dims: int) -> tuple[int, ...]:
    """One setting for every dimension."""
    return tuple(value) if isinstance(value, tuple | list) else (value,) * dims


_PADDINGS, _MODES = {"same", "valid"}, {"zeros", "reflect", "replicate", "circular"}


def _check_padding(padding: Any, stride: tuple[int, ...], mode: str) -> None:
    """Raises ValueError for a padding that is unknown or that does not go with the stride."""
    if isinstance(padding, str) and padding not in _PADDINGS:
        raise errors.MODULE_ARGUMENT(message=f"Invalid padding string {padding!r}, should be one of {_PADDINGS}")
    if padding == "same" and any(step != 1 for step in stride):
        raise errors.MODULE_ARGUMENT(message="padding='same' is not supported for strided convolutions")
    if mode not in _MODES:
        raise errors.MODULE_ARGUMENT(message=f"padding_mode must be one of {_MODES}, but got padding_mode='{mode}'")


class _ConvNd(Module):
    """What all convolutions have."""

    dims: int
    transposed = False
    output_padding: tuple[int, ...]
    weight: Parameter
    bias: Parameter | None

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any,
        padding: Any,
        dilation: Any,
        transposed: bool,
        output_padding: Any,
        groups: int,
        bias: bool,
        padding_mode: str,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        self.dims = len(kernel_size)
        settle_convolution(
            self, (in_channels, out_channels), kernel_size, stride, padding, dilation, groups, padding_mode
        )
        self.transposed, self.output_padding = transposed, output_padding
        rows, columns = (in_channels, out_channels) if transposed else (out_channels, in_channels)
        self.weight = empty(rows, columns // groups, *self.kernel_size, dtype=dtype)
        add_bias(self, out_channels if bias else None, dtype)
        self.reset_parameters()

    @property
    def _reversed_padding_repeated_twice(self) -> list[int]:
        """How much to pad before and after each dimension, the last first; with ``same`` the odd one comes after."""
        if self.padding == "valid":
            return [0] * (2 * self.dims)
        if self.padding == "same":
            whole = [d * (k - 1) for d, k in zip(self.dilation, self.kernel_size, strict=True)]
            return [n for total in reversed(whole) for n in (total // 2, total - total // 2)]
        return [n for n in reversed(each(self.padding, self.dims)) for _ in (0, 1)]

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Any:
        """The convolution of the input with these weights, with the settings of the layer."""
        padding = self.padding
        if self.padding_mode != "zeros":
            padded = _F["pad"](input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            input, padding = padded, (0,) * self.dims
        apply = _F[f"conv{self.dims}d"]
        return apply(input, weight, bias, self.stride, padding, self.dilation, self.groups)

    def _settle(self, *given: Any) -> None:  # as the lazy convolutions ask for it
        settle_convolution(self, *given)

    def reset_parameters(self) -> None:
        """Draw new initial values."""
        reset(self)

    def extra_repr(self) -> str:
        """The channels, and what is not as by default."""
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        for name, usual in (("padding", 0), ("dilation", 1), ("output_padding", 0)):
            if getattr(self, name) != (usual,) * self.dims:
                given = getattr(self, name)
                text += f", {name}={given}"
        text += f", groups={self.groups}" if self.groups != 1 else ""
        text += ", bias=False" if self.bias is None else ""
        return text + (f", padding_mode={self.padding_mode}" if self.padding_mode != "zeros" else "")


def settle_convolution(
    layer: _ConvNd,
    channels: tuple[int, int],
    kernel: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: int,
    mode: str,
) -> None:
    """Begin a convolution: its settings, without weights."""
    Module.__init__(layer)
    layer.in_channels, layer.out_channels = channels
    if groups <= 0:
        raise errors.MODULE_ARGUMENT(message="groups must be a positive integer")
    for name in ("in_channels", "out_channels"):
        if getattr(layer, name) % groups:
            raise errors.MODULE_ARGUMENT(message=f"{name} must be divisible by groups")
    _check_padding(padding, each(stride, layer.dims), mode)
    layer.kernel_size, layer.stride = each(kernel, layer.dims), each(stride, layer.dims)
    layer.padding = padding if isinstance(padding, str) else each(padding, layer.dims)
    layer.dilation, layer.groups, layer.padding_mode = each(dilation, layer.dims), groups, mode
    layer.output_padding = (0,) * layer.dims


class _Convolution(_ConvNd):
    """A convolution over ``dims`` dimensions."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        settle_convolution(
            self, (in_channels, out_channels), kernel_size, stride, padding, dilation, groups, padding_mode
        )
        self.weight = empty(out_channels, in_channels // groups, *self.kernel_size, dtype=dtype)
        add_bias(self, out_channels if bias else None, dtype)
        self.reset_parameters()

    def forward(self, input: Tensor) -> Any:
        """The convolution of the input."""
        return self._conv_forward(input, self.weight, self.bias)


class _ConvTransposeNd(_ConvNd):
    """The adjoint of a convolution over ``dims`` dimensions."""

    transposed = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Any = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if padding_mode != "zeros":
            raise errors.MODULE_ARGUMENT(message=f'Only "zeros" padding mode is supported for {type(self).__name__}')
        settle_convolution(
            self, (in_channels, out_channels), kernel_size, stride, padding, dilation, groups, padding_mode
        )
        self.output_padding = each(output_padding, self.dims)
        self.weight = empty(in_channels, out_channels // groups, *self.kernel_size, dtype=dtype)
        add_bias(self, out_channels if bias else None, dtype)
        self.reset_parameters()

    def forward(self, input: Tensor, output_size: Any = None) -> Any:
        """The transposed convolution of the input, of one of the sizes that the convolution takes to the input's."""
        extra = self.output_padding if output_size is None else _more(self, input, output_size)
        apply = _F[f"conv_transpose{self.dims}d"]
        return apply(input, self.weight, self.bias, self.stride, self.padding, extra, self.groups, self.dilation)


def _more(module: _ConvNd, input: Tensor, output_size: Any) -> list[int]:
    """The output padding that makes an output of this size. Raises ValueError where there is none."""
    dims, shape = module.dims, tuple(has(input, "dim")._a.shape)
    size: Any = input.size()
    others = 2 if len(shape) == dims + 2 else 1
    wanted = output_size[others:] if len(output_size) == others + dims else output_size
    if len(wanted) != dims:
        raise errors.MODULE_ARGUMENT(
            message=f"ConvTranspose{dims}D: for {len(shape)}D input, output_size must have {dims} or {others + dims} "
            f"elements (got {len(wanted)})"
        )
    settings_of: Iterable[Any] = zip(
        shape[others:], module.stride, module.padding, module.dilation, module.kernel_size, strict=True
    )
    least = [(n - 1) * s - 2 * int(p) + d * (k - 1) + 1 for n, s, p, d, k in settings_of]
    most = [n + step - 1 for n, step in zip(least, module.stride, strict=True)]
    if any(not low <= n <= high for low, n, high in zip(least, wanted, most, strict=True)):
        raise errors.MODULE_ARGUMENT(
            message=f"requested an output size of {wanted}, but valid sizes range from {least} to {most} "
            f"(for an input of {size[2:]})"
        )
    return [n - low for n, low in zip(wanted, least, strict=True)]


def _over(name: str, base: type[_ConvNd], dims: int) -> type[Module]:
    members: dict[str, Any] = {"dims": dims, "__doc__": f"{base.__doc__} Here {dims}."}
    for method in ("__init__", "forward"):
        members[method] = own = _copied(vars(base)[method])
        own.__qualname__ = f"{name}.{method}"  # as messages about missing arguments name it
    return type(name, (base,), members)


def _copied(function: Any) -> Any:
    copy = FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__)
    copy.__doc__, copy.__kwdefaults__ = function.__doc__, function.__kwdefaults__
    return copy


def _stride(module: Any) -> None:
    if module.stride is None:
        module.stride = module.kernel_size


def _line(module: Any) -> None:
    """One number stands as a tuple, as in PyTorch."""
    _stride(module)
    for name in ("kernel_size", "stride", "padding"):
        setattr(module, name, each(getattr(module, name), 1))


_MAX = {
    "kernel_size": ..., "stride": None, "padding": 0, "dilation": 1, "return_indices": False, "ceil_mode": False,
}  # fmt: skip
_AVERAGE = {"kernel_size": ..., "stride": None, "padding": 0, "ceil_mode": False, "count_include_pad": True}
_SHOWN_MAX = settings("kernel_size", "stride", "padding", "dilation", "ceil_mode")
_SHOWN_AVERAGE = settings("kernel_size", "stride", "padding")
_OVERRIDE = {**_AVERAGE, "divisor_override": None}
_SIZE = settings("output_size")


def _pools() -> list[type[Module]]:
    found = [layer(f"MaxPool{n}d", f"max_pool{n}d", _MAX, _SHOWN_MAX, settle=_stride) for n in (1, 2, 3)]
    found.append(layer("AvgPool1d", "avg_pool1d", _AVERAGE, _SHOWN_AVERAGE, settle=_line))
    for n in (2, 3):
        found.append(layer(f"AvgPool{n}d", f"avg_pool{n}d", _OVERRIDE, _SHOWN_AVERAGE, settle=_stride))
    for n in (1, 2, 3):
        found.append(layer(f"AdaptiveAvgPool{n}d", f"adaptive_avg_pool{n}d", {"output_size": ...}, _SIZE))
        both = {"output_size": ..., "return_indices": False}
        found.append(layer(f"AdaptiveMaxPool{n}d", f"adaptive_max_pool{n}d", both, _SIZE))
    return found


def padding(name: str, dims: int, mode: str) -> type[Module]:
    """A module that pads; constant ones take the value last."""
    constant = {"value": ...} if name.startswith("Constant") else {}

    def settle(module: Any) -> None:
        module.padding = each(module.padding, 2 * dims)
        module.mode, module.pad = mode, module.padding

    def shown(module: Any) -> str:
        return f"padding={module.padding}, value={module.value}" if constant else f"{module.padding}"

    made = layer(name, "pad", {"padding": ..., **constant}, shown, settle=settle)

    def forward(self: Any, input: Tensor) -> Any:
        value = {"value": self.value} if constant else {}
        if mode == "circular" and input._a.ndim not in (dims + 1, dims + 2):
            message = f"expected {dims + 1}D or {dims + 2}D input (got {input._a.ndim}D input)"
            raise errors.MODULE_ARGUMENT(message=message)
        return _F["pad"](input, self.padding, mode=mode, **value)

    made.forward = forward  # type: ignore[method-assign]  # the table passes settings by their own names
    return made


_PADS = (("Zero", "constant"), ("Constant", "constant"), ("Reflection", "reflect"), ("Replication", "replicate"))

CLASSES: dict[str, tuple[type[Module], ...]] = {
    "conv": tuple(
        _over(f"{name}{n}d", base, n)
        for name, base in (("Conv", _Convolution), ("ConvTranspose", _ConvTransposeNd))
        for n in (1, 2, 3)
    ),
    "pooling": tuple(_pools()),
    "padding": tuple(padding(f"{word}Pad{n}d", n, mode) for word, mode in _PADS for n in (1, 2, 3)),
    "pixelshuffle": (
        layer("PixelShuffle", "pixel_shuffle", {"upscale_factor": ...}, settings("upscale_factor")),
        layer("PixelUnshuffle", "pixel_unshuffle", {"downscale_factor": ...}, settings("downscale_factor")),
    ),
}
ABSTRACT: dict[str, tuple[type[Module], ...]] = {"conv": (_ConvNd, _ConvTransposeNd)}
"""What programs derive convolutions of their own from."""
