"""Padding, interpolation and the rearrangements of images."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.namespace.functional.activation import call, call_inplace
from gradflow.engine.namespace.functional.pool import adaptive_mean_to
from gradflow.engine.namespace.functional.python_functions import given
from gradflow.engine.namespace.tensor_arguments import has, need
from gradflow.engine.ops.nn.activation import floating
from gradflow.engine.ops.nn.spatial.padding import pairs
from gradflow.engine.state import warn
from gradflow.engine.tensor import Tensor, check_dim

_UPSAMPLE = "`nn.functional.{name}` is deprecated. Use `nn.functional.interpolate` instead."
_MODES = {
    ("nearest", 3): "nearest1d",
    ("nearest", 4): "nearest2d",
    ("nearest", 5): "nearest3d",
    ("linear", 3): "linear1d",
    ("nearest-exact", 3): "nearest_exact1d",
    ("nearest-exact", 4): "nearest_exact2d",
    ("nearest-exact", 5): "nearest_exact3d",
    ("bilinear", 4): "bilinear2d",
    ("trilinear", 5): "trilinear3d",
    ("bicubic", 4): "bicubic2d",
}
_WANTED = {"linear": 3, "bilinear": 4, "bicubic": 4, "trilinear": 5}

# -- padding -----------------------------------------------------------------------------------------------------------


def pad(input: Tensor, pad: Any, mode: str = "constant", value: float | None = None) -> Tensor:
    """The input with more elements around it: two numbers for each dimension, the last dimension first."""
    input, wanted, mode, value = given("nn.pad", input, pad, mode, value)
    widths, ndim = _integers(wanted), input._a.ndim
    if len(widths) % 2:
        raise errors.PAD_EVEN()
    if len(widths) > 2 * ndim:
        raise errors.PAD_LENGTH(count=len(widths), ndim=ndim)
    if mode == "constant":
        return call("constant_pad_nd", input, widths, 0 if value is None else value)
    if value is not None and value != 0:
        raise errors.PAD_VALUE(mode=mode)
    if len(widths) in (2, 4, 6) and ndim in (len(widths) // 2 + 1, len(widths) // 2 + 2):
        return _by_elements(input, widths, mode)
    if mode not in ("reflect", "replicate", "circular"):
        raise errors.PAD_MODE(mode=mode)
    raise errors.PAD_SUPPORT(count=len(widths), ndim=ndim)


def _integers(values: Any) -> tuple[int, ...]:
    for position, value in enumerate(values):
        if not hasattr(value, "__index__"):
            raise errors.ELEMENT_TYPE(
                function="pad",
                argument="pad",
                position=2,
                expected="tuple of ints",
                index=position,
                actual=type(value).__name__,
            )
    return tuple(int(v) for v in values)


def _by_elements(input: Tensor, given: tuple[int, ...], mode: str) -> Tensor:
    if mode == "circular":
        return _circular(input, given)
    if mode not in ("reflect", "replicate"):
        raise errors.PAD_MODE(mode=mode)
    widths = pairs(given, input._a.ndim)
    for dim in range(input._a.ndim - 1, input._a.ndim - 1 - len(given) // 2, -1):
        before, after = widths[dim]
        if mode == "reflect" and max(before, after) >= input._a.shape[dim]:
            argument = 4 + 2 * (input._a.ndim - 1 - dim)
            raise errors.PAD_REFLECT(argument=argument, before=before, after=after, dim=dim, shape=list(input._a.shape))
    family = "reflection" if mode == "reflect" else "replication"
    return call(f"{family}_pad{len(given) // 2}d", input, given)


def _circular(input: Tensor, given: tuple[int, ...]) -> Tensor:
    """The input with its other end before and after it, one dimension after the other."""
    widths, shape = pairs(given, input._a.ndim), input._a.shape
    size = [n + before + after for n, (before, after) in zip(shape, widths, strict=True)]
    for n, whole, (before, after) in zip(shape, size, widths, strict=True):
        if max(before, after) > n or whole < 0:
            raise errors.PAD_CIRCULAR()
    result: Tensor = call("tensor", np.zeros(size, input._a.dtype))
    middle, own = result, input
    for dim in range(input._a.ndim - len(given) // 2, input._a.ndim):
        before, after = widths[dim]
        middle = call("slice", middle, dim, max(before, 0), size[dim] - max(after, 0), 1)
        own = call("slice", own, dim, max(-before, 0), shape[dim] - max(-after, 0), 1)
    call_inplace("copy", middle, own)
    for dim in range(input._a.ndim - 1, -1, -1):
        before, after = (max(n, 0) for n in widths[dim])
        end = size[dim]
        for place, source in (
            ((0, before), (end - before - after, end - after)),
            ((end - after, end), (before, before + after)),
        ):
            if place[0] < place[1]:
                call_inplace("copy", call("slice", result, dim, *place, 1), call("slice", result, dim, *source, 1))
    return result


# -- interpolation -----------------------------------------------------------------------------------------------------


def interpolate(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """The input at another size, by the nearest element, by lines, by cubic curves, or by means of areas."""
    ndim = has(input, "dim")._a.ndim
    if mode in ("nearest", "area", "nearest-exact") and align_corners is not None:
        raise errors.INTERPOLATE_CORNERS()
    spatial = input._a.shape[2:]
    target, factors = _target(spatial, size, scale_factor)
    if recompute_scale_factor:
        factors = None
    _check_smooth(mode, ndim, align_corners, antialias)
    if mode == "area" and ndim in (3, 4, 5):
        return adaptive_mean_to(input, target)
    if (mode, ndim) not in _MODES and not antialias:
        if mode in _WANTED and ndim in (3, 4, 5):
            raise errors.INTERPOLATE_MODE_DIMENSIONS(ndim=ndim, mode=mode, wanted=_WANTED[mode])
        raise errors.INTERPOLATE_MODE(ndim=ndim, mode=mode)
    _check_sizes(spatial, target)
    if antialias:
        floating(input._a, "compute_index_ranges_weights", "f" if input._a.itemsize > 2 else "")
        return call(f"upsample_{mode}2d_aa", input, target, bool(align_corners), factors)
    _require_floats(input, mode, target)
    return call(f"upsample_{_MODES[mode, ndim]}", input, target, bool(align_corners), factors)


def _check_smooth(mode: str, ndim: int, align_corners: bool | None, antialias: bool) -> None:
    """Raises ValueError for a mode that does not go with the choice of antialiasing."""
    message = None
    if antialias and not (mode in ("bilinear", "bicubic", "lanczos") and ndim == 4):
        message = (
            "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as input"
        )
    elif mode == "lanczos" and not antialias:
        message = "Lanczos mode requires antialias=True"
    elif mode == "lanczos" and align_corners:
        message = "Lanczos mode does not support align_corners=True"
    if message:
        raise errors.MODULE_ARGUMENT(message=message)


def _target(spatial: tuple[int, ...], size: Any, scale_factor: Any) -> tuple[tuple[int, ...], Any]:
    """The size wanted, and the factors by which places are mapped where these were given."""
    if size is not None and scale_factor is not None:
        raise errors.INTERPOLATE_BOTH()
    dims = len(spatial)
    if size is not None:
        if isinstance(size, (list, tuple)):
            if len(size) != dims:
                raise errors.INTERPOLATE_SIZE(spatial=list(spatial), size=str(size))
            return tuple(int(n) for n in size), None
        return (int(size),) * dims, None
    if scale_factor is None:
        raise errors.INTERPOLATE_NEITHER()
    if isinstance(scale_factor, (list, tuple)) and len(scale_factor) != dims:
        raise errors.INTERPOLATE_FACTOR(spatial=list(spatial), factor=str(scale_factor))
    factors = tuple(scale_factor) if isinstance(scale_factor, (list, tuple)) else (scale_factor,) * dims
    return tuple(math.floor(n * float(f)) for n, f in zip(spatial, factors, strict=True)), tuple(map(float, factors))


def _check_sizes(spatial: tuple[int, ...], target: tuple[int, ...]) -> None:
    if min((*spatial, *target)) < 1:
        names = "DHW"[3 - len(spatial) :]
        both = [", ".join(f"{n}: {v}" for n, v in zip(names, values, strict=True)) for values in (spatial, target)]
        raise errors.INTERPOLATE_EMPTY(
            input=both[0], output=both[1], between=") and output (" if len(spatial) == 1 else ") output ("
        )


def _require_floats(input: Tensor, mode: str, target: tuple[int, ...]) -> None:
    """Raises NotImplementedError for other elements; bytes have a nearest one too."""
    kernel = {"bilinear": "linear", "trilinear": "linear", "bicubic": "cubic", "nearest-exact": "nearest"}.get(
        mode, mode
    )
    name = f"compute_indices_weights_{kernel}"
    if len(target) == 2 and mode != "bicubic" and sum(target) <= 128:
        name = f"upsample_{'bi' * (kernel == 'linear')}{kernel}2d_channels_last"
    floating(input._a, name, "fu" if kernel == "nearest" or "channels_last" in name else "f")


def upsample(
    input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None
) -> Tensor:
    """`interpolate`, as it was called before."""
    warn(_UPSAMPLE.format(name="upsample"))
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """`interpolate` by the nearest element, as it was called before."""
    warn(_UPSAMPLE.format(name="upsample_nearest"))
    return interpolate(input, size, scale_factor, "nearest")


def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """`interpolate` by lines between corners, as it was called before."""
    warn(_UPSAMPLE.format(name="upsample_bilinear"))
    return interpolate(input, size, scale_factor, "bilinear", align_corners=True)


# -- windows as columns ------------------------------------------------------------------------------------------------


def _two(value: Any) -> tuple[int, int]:
    given = (value,) * 2 if isinstance(value, int) else tuple(value)
    return int(given[0]), int(given[-1])


def _pair(value: Any) -> Any:
    """One for both dimensions, as PyTorch makes it of what is no sequence."""
    return tuple(value) if isinstance(value, tuple | list) else (value, value)


def unfold(input: Tensor, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """Every window of an image as a column: (N, C, H, W) -> (N, C kernel, windows)."""
    input, *settings = given("nn.im2col", input, *map(_pair, (kernel_size, dilation, padding, stride)))
    if input._a.ndim < 3:
        check_dim(2, input._a.ndim)
    return call("im2col", input, *map(_two, settings))


def fold(
    input: Tensor, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Tensor:
    """The columns of `unfold` added up at the places they were taken from."""
    input, *settings = given("nn.col2im", input, *map(_pair, (output_size, kernel_size, dilation, padding, stride)))
    return call("col2im", input, *map(_two, settings))


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """A vector for each class number: 1 at the class, 0 elsewhere."""
    return call("one_hot", need(tensor, "one_hot", "tensor"), num_classes)
