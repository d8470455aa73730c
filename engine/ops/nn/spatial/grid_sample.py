"""Sampling an image or a volume at the places of a grid.

Along each dimension a place falls between some elements, so it has taps: which elements, with which weights, and how the
weights change as the grid moves. A sample is the sum over all combinations of taps. The taps are polynomials in the grid
and written for arrays and for Tensors, so that all derivatives follow from them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics.scalars import ZERO
from gradflow.engine.ops.creation import evenly
from gradflow.engine.ops.formula_helpers import composed
from gradflow.engine.ops.nn.spatial.pool import plane_pick, plane_put
from gradflow.engine.registry import REGISTRY, Array, helper, op
from gradflow.engine.tensor import Tensor, dtypes

PLANE = [[[[0.5, -1.25, 2.0], [1.0, 0.3, -0.7], [1.5, 0.75, -0.5], [3.0, -0.2, 0.1]]]]
BLOCK = [[[[[0.5, -1.25, 2.0], [1.0, 0.3, -0.7]], [[3.0, -0.2, 0.1], [0.4, 1.1, -0.9]]]]]
GRID = [[[[-0.75, -0.375], [0.25, 0.875]], [[0.5625, -1.3125], [1.125, 0.125]]]]
SPACE = [[[[[-0.9, -0.35, 0.2], [0.81, 0.57, -1.3]]]]]
LINEAR, NEAREST, CUBIC = range(3)
ZEROS, BORDER, REFLECTION = range(3)
_A = -0.75


class Tap(NamedTuple):
    """One element along one dimension for each place. ``slope``: how ``weight`` changes with the grid."""

    place: np.ndarray
    inside: np.ndarray
    weight: Any
    slope: Any


def _raw(value: Any) -> np.ndarray:
    return value._a if isinstance(value, Tensor) else value


def _like(value: Any, array: np.ndarray) -> Any:
    """An array as what ``value`` is."""
    array = np.asarray(array, _raw(value).dtype)
    return Tensor(array) if isinstance(value, Tensor) else array


def _reflected(place: np.ndarray, size: int, align: bool) -> tuple[np.ndarray, np.ndarray]:
    """Places thrown back at the ends until they are inside, and the direction in which they move then."""
    low, span = (0.0, size - 1.0) if align else (-0.5, float(size))
    if span == 0:
        return np.zeros_like(place), np.zeros_like(place)
    offset = place - place.dtype.type(low)
    sign = np.where(offset < 0, -1, 1)
    flips, extra = np.divmod(np.abs(offset), place.dtype.type(span))
    even = flips % 2 == 0
    back = np.where(even, extra, place.dtype.type(span) - extra) + place.dtype.type(low)
    return back, np.where(even, sign, -sign).astype(place.dtype)


def _clipped(place: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    moving = (place > 0) & (place < size - 1)
    return np.where(np.isnan(place), 0, np.clip(place, 0, size - 1)).astype(place.dtype), moving.astype(place.dtype)


def _padded(place: np.ndarray, size: int, padding: int, align: bool) -> tuple[np.ndarray, np.ndarray]:
    """Where a place beyond the edge is taken from, and how that moves with the place."""
    direction = np.ones_like(place)
    if padding == ZEROS:
        return place, direction
    if padding == REFLECTION:
        place, direction = _reflected(place, size, align)
    place, moving = _clipped(place, size)
    return place, direction * moving


def _spot(place: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Whole places as indices, and which of them are inside."""
    inside = (place >= 0) & (place <= size - 1)
    return np.where(inside, place, 0).astype(np.int64), inside


def _cubic(t: Any, step: Any, number: int) -> tuple[Any, Any]:
    """Keys' kernel (1981) for one of four neighbours: the weight, and its slope."""
    d = t + 1 if number == 0 else t if number == 1 else 1 - t if number == 2 else 2 - t
    toward = step if number < 2 else -step
    if number in (1, 2):
        return ((_A + 2) * d - (_A + 3)) * d * d + 1, (3 * (_A + 2) * d - 2 * (_A + 3)) * d * toward
    return ((_A * d - 5 * _A) * d + 8 * _A) * d - 4 * _A, ((3 * _A * d - 10 * _A) * d + 8 * _A) * toward


def _taps(x: Any, size: int, mode: int, padding: int, align: bool) -> list[Tap]:
    """The taps along one dimension for the grid's coordinates along it."""
    scale = (size - 1) / 2 if align else size / 2
    place = (x + 1) * scale - (0 if align else 0.5)
    if mode == CUBIC:
        return _cubic_taps(place, size, scale, padding, align)
    with np.errstate(all="ignore"):
        padded, direction = _padded(_raw(place), size, padding, align)
    if mode == NEAREST:
        index, inside = _spot(np.rint(padded), size)
        return [Tap(index, inside, _like(x, np.ones_like(padded)), _like(x, np.zeros_like(padded)))]
    low = np.floor(padded)
    # along the place as far as it moves, so that a derivative finds its way back to the grid
    t = (
        place * _like(x, direction) + _like(x, padded - low - _raw(place) * direction)
        if isinstance(x, Tensor)
        else padded - low
    )
    step = _like(x, direction * direction.dtype.type(scale))
    return [Tap(*_spot(low, size), 1 - t, -step), Tap(*_spot(low + 1, size), t, step)]


def _cubic_taps(place: Any, size: int, scale: float, padding: int, align: bool) -> list[Tap]:
    low = np.floor(_raw(place))
    t = place - _like(place, low)
    step = _like(place, np.full(low.shape, scale))
    spots = [_spot(np.rint(_padded(low + (n - 1), size, padding, align)[0]), size) for n in range(4)]
    return [Tap(*spot, *_cubic(t, step, n)) for n, spot in enumerate(spots)]


def _combinations(input: Any, grid: Any, settings: Any) -> Iterator[tuple[tuple[Tap, ...], np.ndarray, np.ndarray]]:
    """All combinations of taps: the taps, the number of the element (N, C, places), and which are inside."""
    size, channels = input.shape[2:], input.shape[1]
    places = grid.reshape((grid.shape[0], -1, grid.shape[-1]))
    axes = [_taps(places[..., -1 - d], n, *settings) for d, n in enumerate(size)]
    for taps in product(*axes):
        number, inside = np.zeros_like(taps[0].place), np.ones(taps[0].place.shape, bool)
        for tap, n in zip(taps, size, strict=True):
            number, inside = number * n + tap.place, inside & tap.inside
        shape = (number.shape[0], channels, number.shape[1])
        yield taps, np.broadcast_to(number[:, None], shape), inside[:, None]


def _product(factors: list[Any]) -> Any:
    result = factors[0]
    for factor in factors[1:]:
        result = result * factor
    return result


def _picked(input: Any, number: np.ndarray, inside: np.ndarray, dims: int) -> Any:
    if isinstance(input, Tensor):
        found = REGISTRY["plane_pick"].call(input, Tensor(np.ascontiguousarray(number)), dims)
        return found * _like(input, inside)
    return np.where(inside, plane_pick(input, number, dims), ZERO[input.dtype])


def _sampled(input: Any, grid: Any, *settings: Any) -> Any:
    dims = grid.shape[-1]
    total: Any = None
    for taps, number, inside in _combinations(input, grid, settings):
        weight = _product([tap.weight for tap in taps])
        term = _picked(input, number, inside, dims) * weight.reshape((weight.shape[0], 1, -1))
        total = term if total is None else total + term
    return total.reshape((*input.shape[:2], *grid.shape[1:-1]))


def _back_to_input(g: Any, input: Any, grid: Any, *settings: Any) -> Any:
    """Each gradient added at the elements its sample was made of."""
    dims, total = grid.shape[-1], None
    flat = g.reshape((*g.shape[:2], -1))
    for taps, number, inside in _combinations(input, grid, settings):
        weight = _product([tap.weight for tap in taps])
        share = flat * weight.reshape((weight.shape[0], 1, -1)) * _like(g, inside)
        put: Any = REGISTRY["plane_put"].call if isinstance(g, Tensor) else plane_put
        spots = np.ascontiguousarray(number)
        term = put(share, Tensor(spots) if isinstance(g, Tensor) else spots, tuple(input.shape), dims)
        total = term if total is None else total + term
    return total


def _back_to_grid(g: Any, input: Any, grid: Any, *settings: Any) -> Any:
    """How each sample changes as its place moves, times its gradient, over all channels."""
    dims = grid.shape[-1]
    flat = g.reshape((*g.shape[:2], -1))
    totals: list[Any] = [None] * dims
    for taps, number, inside in _combinations(input, grid, settings):
        along = (flat * _picked(input, number, inside, dims)).sum(1)
        for d in range(dims):
            term = along * _product([tap.slope if d == e else tap.weight for e, tap in enumerate(taps)])
            totals[d] = term if totals[d] is None else totals[d] + term
    stack = REGISTRY["stack"].call if isinstance(g, Tensor) else np.stack
    return stack(totals[::-1], -1).reshape(tuple(grid.shape))


def _named(value: Any) -> Any:
    """Under create_graph the last function has PyTorch's name."""
    if isinstance(value, Tensor) and value._node is not None:
        value._node.title = f"GridSampler{value._a.ndim - 2}DBackwardBackward0"
    return value


@helper(latex=r"\operatorname{put}\left(⟨0⟩\right)")
def grid_put(g, input, grid, mode, padding, align):
    """The gradient of sampling for the image; for arrays and for Tensors."""
    return _named(_back_to_input(g, input, grid, mode, padding, align))


@helper(latex=r"\operatorname{slope}\left(⟨0⟩, ⟨1⟩\right)")
def grid_slope(g, input, grid, mode, padding, align):
    """The gradient of sampling for the grid; for arrays and for Tensors."""
    return _named(_back_to_grid(g, input, grid, mode, padding, align))


def _declared(dims: int, samples: Any) -> dict[str, Any]:
    settings = "interpolation_mode, padding_mode, align_corners"
    return {
        "gradients": {
            "input": f"grid_put(g, input, grid, {settings})",
            "grid": f"grid_slope(g, input, grid, {settings})",
        },
        "latex": r"⟨0⟩\left(⟨1⟩\right)",
        "symbol": "sample",
        "methods": (),
        "grad_fn": f"GridSampler{dims}DBackward0",
        "samples": samples,
    }


def check(input: np.ndarray, grid: np.ndarray) -> None:
    """Raises RuntimeError where the grid does not fit the input."""
    if input.shape[0] != grid.shape[0]:
        raise errors.GRID_BATCH(input=list(input.shape), grid=list(grid.shape))
    if grid.shape[-1] != input.ndim - 2:
        raise errors.GRID_LAST(wanted=input.ndim - 2, grid=list(grid.shape))
    for dim in range(2, input.ndim):
        if not input.shape[dim]:
            raise errors.GRID_EMPTY(input=list(input.shape), dim=dim)


def _run(input: np.ndarray, grid: np.ndarray, mode: int, padding: int, align: bool) -> np.ndarray:
    check(input, grid)
    if input.dtype != grid.dtype:
        raise errors.SCALAR_TYPE(expected=dtypes.of(input).legacy, found=dtypes.of(grid).legacy)
    if input.dtype.kind != "f":
        name = f"grid_sampler_{input.ndim - 2}d_cpu" + ("_kernel_impl" if input.ndim == 4 else "")
        raise errors.NOT_IMPLEMENTED_DTYPE(name=name, dtype=dtypes.of(input).legacy)
    if not grid.size or not input.size:
        return np.zeros((*input.shape[:2], *grid.shape[1:-1]), input.dtype)
    return np.asarray(_sampled(input, grid, mode, padding, align), input.dtype)


@op(
    **_declared(
        2,
        (
            *(
                (PLANE, GRID, mode, padding, align)
                for mode in (0, 2)
                for padding in (0, 1, 2)
                for align in (False, True)
            ),
            (PLANE, GRID, 1, 0, False),
            (PLANE, GRID, 1, 2, True),
        ),
    )
)
def grid_sampler_2d(input: Array, grid: Array, interpolation_mode, padding_mode, align_corners):
    """An image (N, C, H, W) at the places (N, ..., 2) of a grid, x before y, from -1 to 1 over the image."""
    return _run(input, grid, interpolation_mode, padding_mode, align_corners)


@op(
    **_declared(
        3,
        (
            (BLOCK, SPACE, 0, 0, False),
            (BLOCK, SPACE, 0, 2, True),
            (BLOCK, SPACE, 0, 1, False),
            (BLOCK, SPACE, 1, 0, False),
        ),
    )
)
def grid_sampler_3d(input: Array, grid: Array, interpolation_mode, padding_mode, align_corners):
    """A volume (N, C, D, H, W) at the places (N, ..., 3) of a grid, x before y before z."""
    return _run(input, grid, interpolation_mode, padding_mode, align_corners)


def _line(length: int, align: bool, dtype: np.dtype[Any]) -> np.ndarray:
    """The coordinates of an image's rows or columns, rounded as PyTorch rounds them: grids lie on pixels exactly, or do not."""
    if length <= 1:
        return np.zeros(length, dtype)
    ends = evenly(np.array(-1, dtype), np.array(1, dtype), length)
    return ends if align else ends * dtype.type(length - 1) / dtype.type(length)


def _places(theta: np.ndarray | Tensor, size: tuple[int, ...], align_corners: bool) -> np.ndarray:
    """All places of an image, in coordinates from -1 to 1 and with a 1 behind them, for each map."""
    dtype = (theta._a if isinstance(theta, Tensor) else theta).dtype
    exact = dtype if dtype.kind == "f" else np.dtype("float32")
    axes = np.meshgrid(*(_line(int(n), align_corners, exact) for n in size), indexing="ij")
    base = np.stack([*axes[::-1], np.ones(axes[0].shape, exact)], -1).reshape(-1, len(size) + 1)
    return np.broadcast_to(base.astype(dtype), (theta.shape[0], *base.shape)).copy()


@composed(r"\operatorname{base}^{\top}\,⟨0⟩")
def affine_theta(find: Any, g: Any, size: tuple[int, ...], align_corners: bool) -> Any:
    """The gradient of the affine maps behind a grid."""
    base: Any = _places(g, size, align_corners).mT
    rows = g.reshape(g.shape[0], -1, len(size))
    return find("bmm")(Tensor(base) if isinstance(g, Tensor) else base, rows).mT


@op(
    gradients={"theta": "affine_theta(g, size, align_corners)"},
    grad_fn="AffineGridGeneratorBackward0",
    latex=r"\operatorname{base}\,⟨0⟩^{\top}",
    symbol="grid",
    functions=(),
    methods=(),
    torch=None,
    samples=(([[[1.0, 0.5, -0.25], [0.3, -0.6, 2.0]]], (2, 3), False),),
)
def affine_grid(theta: Array, size, align_corners):
    """The places of an image of the given size under affine maps."""
    rows = _places(theta, size, align_corners) @ theta.mT
    return rows.reshape(len(theta), *size, theta.shape[1])
