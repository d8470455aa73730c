"""Sampling at places of a grid, and at windows drawn at random."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.namespace.functional.activation import call
from gradflow.engine.namespace.functional.conv import Sizes, sizes
from gradflow.engine.namespace.tensor_arguments import has, need
from gradflow.engine.numerics.mersenne_twister import GENERATOR
from gradflow.engine.state import warn
from gradflow.engine.tensor import Tensor, check_dim

_CORNERS = (
    "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please specify "
    "align_corners=True if the old behavior is desired. See the documentation of grid_sample for details."
)
_UNIT = (
    "Since version 1.3.0, affine_grid behavior has changed for unit-size grids when align_corners=True. This is not an "
    "intended use case of affine_grid. See the documentation of affine_grid for details."
)
_MODES = ("bilinear", "nearest", "bicubic")
_PADDING = ("zeros", "border", "reflection")

# -- on a grid ---------------------------------------------------------------------------------------------------------


def grid_sample(
    input: Tensor, grid: Tensor, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool | None = None
) -> Tensor:
    """An image (N, C, H, W) at the places (N, h, w, 2) of a grid, or a volume in the same way."""
    if mode not in _MODES:
        raise errors.GRID_MODE(mode=mode)
    if padding_mode not in _PADDING:
        raise errors.GRID_PADDING(mode=padding_mode)
    if align_corners is None:
        warn(_CORNERS)
    return grid_sampler(input, grid, _MODES.index(mode), _PADDING.index(padding_mode), bool(align_corners))


def grid_sampler(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """`grid_sample` with numbers for words."""
    x = need(input, "grid_sampler")._a
    g = need(grid, "grid_sampler", "grid", 2)._a
    if x.shape[:1] != g.shape[:1]:
        raise errors.GRID_BATCH(input=list(x.shape), grid=list(g.shape))
    if g.shape[-1:] != (x.ndim - 2,):
        raise errors.GRID_LAST(wanted=x.ndim - 2, grid=list(g.shape))
    if x.ndim not in (4, 5) or x.ndim != g.ndim:
        raise errors.GRID_DIMENSIONS(input=list(x.shape), grid=list(g.shape))
    if x.ndim == 5 and interpolation_mode == 2:
        raise errors.GRID_CUBIC()
    return call(f"grid_sampler_{x.ndim - 2}d", input, grid, interpolation_mode, padding_mode, align_corners)


def affine_grid(theta: Tensor, size: Any, align_corners: bool | None = None) -> Tensor:
    """Where each place of an image of the given size comes from under an affine map of the plane or of space."""
    if align_corners is None:
        warn(_CORNERS)
    if has(theta, "is_floating_point")._a.dtype.kind not in "fV":
        raise errors.AFFINE_GRID_DTYPE(dtype=theta.dtype)
    shape = tuple(size)
    if len(shape) not in (4, 5):
        raise errors.AFFINE_GRID_SIZE(size=_spoken(size))
    dims = len(shape) - 2
    if theta._a.ndim != 3 or theta._a.shape[1:] != (dims, dims + 1):
        raise errors.AFFINE_GRID_THETA(dims=dims, rows=dims, columns=dims + 1, size=_spoken(size), got=str(theta.shape))
    if align_corners and min(shape[2:]) == 1:
        warn(_UNIT)
    elif min(shape) <= 0:
        raise errors.AFFINE_GRID_EMPTY(size=_spoken(size))
    return call("affine_grid", theta, shape[2:], bool(align_corners))


def affine_grid_generator(theta: Tensor, size: Any, align_corners: bool) -> Tensor:
    """`affine_grid` as PyTorch calls it behind ``torch.nn.functional``."""
    return affine_grid(theta, size, bool(align_corners))


def _spoken(size: Any) -> str:
    return str(size) if not isinstance(size, tuple) else f"({', '.join(map(str, size))})"


# -- at random windows -------------------------------------------------------------------------------------------------


def _fractional(
    dims: int, input: Tensor, kernel: Any, output_size: Any, ratio: Any, samples: Tensor | None
) -> tuple[Tensor, Tensor]:
    name = f"fractional_max_pool{dims}d"
    if output_size is None and ratio is None:
        raise errors.FRACTIONAL_SIZE(name=name)
    shape = has(input, "dim" if samples is None else "size")._a.shape
    if output_size is None:
        if len(ratio) > dims:
            raise errors.FRACTIONAL_RATIO(name=name)
        output_size = [int(shape[d - dims] * r) for d, r in enumerate(ratio)]
    if samples is None:
        samples = _drawn(input, dims)
    window, out = (_windows(name, dims, what, v) for what, v in (("kernel_size", kernel), ("output_size", output_size)))
    _check_fractional(name, dims, input._a, window, out, samples._a)
    values, indices = call(name, input, window, out, Tensor(samples._a[: 1 if len(shape) == dims + 1 else shape[0]]))
    return values, indices


def _drawn(input: Tensor, dims: int) -> Tensor:
    shape, dtype = input._a.shape, input._a.dtype
    check_dim(-dims - 1, len(shape))
    if dtype.kind not in "fV":
        raise errors.NOT_IMPLEMENTED_DTYPE(name="check_uniform_bounds", dtype=input.dtype.legacy)
    wanted = (1 if len(shape) == dims + 1 else shape[0], shape[-dims - 1], dims)
    return Tensor(GENERATOR.uniform(int(np.prod(wanted)), dtype).reshape(wanted))


def _windows(name: str, dims: int, argument: str, value: Any) -> Sizes:
    result = sizes(value, dims)
    if len(result) != dims:
        raise errors.FRACTIONAL_PAIR(name=name, argument=argument, count="" if dims == 2 else "three ")
    return result


def _check_fractional(name: str, dims: int, x: np.ndarray, window: Sizes, out: Sizes, samples: np.ndarray) -> None:
    for d in range(x.ndim - dims - 1, x.ndim):
        if not x.shape[d]:
            raise errors.FRACTIONAL_EMPTY(name=name, shape=list(x.shape), dim=d)
    batch = 1 if x.ndim == dims + 1 else x.shape[0]
    sides = (("height", -2), ("width", -1)) if dims == 2 else (("time", -3), ("width", -1), ("height", -2))
    for side, d in sides:
        k, o, n = window[d], out[d], x.shape[d]
        if o + k - 1 > n - (dims == 3):  # in three dimensions PyTorch wants one more
            raise errors.FRACTIONAL_WINDOW(name=name + ("_out" if dims == 3 else ""), side=side, kernel=k, size=n)
    problems = (
        (samples.dtype != x.dtype, " to have the same dtype as input"),
        (samples.ndim != 3, f" to have 3 dimensions, got {samples.ndim}"),
        (samples.shape[:1] < (batch,), ".size(0) no less then input batch size."),
        (samples.shape[1:2] != (x.shape[-dims - 1],), ".size(1) equals to input channel size."),
        (samples.shape[2:] != (dims,), f".size(2) equals to {dims}; got {samples.shape[-1] if samples.shape else 0}."),
    )
    for wrong, what in problems:
        if wrong:
            raise errors.FRACTIONAL_SAMPLES(what=what)


def _fractional_pool(dims: int, both: bool) -> Callable[..., Any]:
    def pool(
        input: Tensor,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = both,
        _random_samples: Tensor | None = None,
    ) -> Any:
        values, indices = _fractional(dims, input, kernel_size, output_size, output_ratio, _random_samples)
        return (values, indices) if return_indices or both else values

    pool.__name__ = pool.__qualname__ = f"fractional_max_pool{dims}d" + ("_with_indices" if both else "")
    pool.__doc__ = f"The largest elements of windows of {dims} dimensions at random places, of a given output size."
    return pool


_POOLS: list[Callable[..., Any]] = [_fractional_pool(dims, both) for dims in (2, 3) for both in (False, True)]
FUNCTIONS: dict[str, Callable[..., Any]] = {f.__name__: f for f in _POOLS} | {
    "grid_sample": grid_sample,
    "affine_grid": affine_grid,
}
