"""Resampling: pools to a given size and interpolation, one dimension after the other.

A result element along one dimension is a weighted sum of a few input elements, so an operation is described by `taps`
for each dimension: which elements, with which weights. The adjoint adds up along the same taps.
"""

from __future__ import annotations

import math
from functools import reduce
from itertools import product
from operator import and_, mul
from typing import Any, Final

import numpy as np

from gradflow.engine.numerics.fused import fused, is_fused
from gradflow.engine.numerics.scalars import ZERO
from gradflow.engine.registry import Array, op

LINE = [[[0.5, -1.25, 2.0, 0.9, 0.3]]]
PLANE = [[[[0.5, -1.25, 2.0], [1.0, 0.3, -0.7], [1.5, 0.75, -0.5], [3.0, -0.2, 0.1]]]]
BLOCK = [[[[[0.5, -1.25, 2.0], [1.0, 0.3, -0.7]], [[3.0, -0.2, 0.1], [0.4, 1.1, -0.9]]]]]

Taps = tuple[np.ndarray, np.ndarray]


def bins(size: int, out: int) -> Taps:
    """Windows that cover ``size`` elements ``out`` times, as evenly as can be, with the weights of their mean."""
    start = np.arange(out) * size // max(out, 1)
    end = -(-(np.arange(1, out + 1) * size) // max(out, 1))
    index = start[:, None] + np.arange(max(int((end - start).max(initial=1)), 1))
    inside = index < end[:, None]
    return np.where(inside, index, start[:, None]), np.where(inside, 1.0 / (end - start)[:, None], 0.0)


def _scale(size: int, out: int, factor: float | None, align: bool) -> float:
    if align:
        return (size - 1) / (out - 1) if out > 1 else 0.0
    return 1.0 / factor if factor else size / out


def _source(size: int, out: int, factor: float | None, align: bool, cubic: bool = False) -> np.ndarray:
    """Where in the input each result element lies."""
    scale = _scale(size, out, factor, align)
    if align:
        return np.arange(out) * scale
    place = (np.arange(out) + 0.5) * scale - 0.5
    return place if cubic else np.maximum(place, 0)


def nearest(size: int, out: int, factor: float | None, exact: bool) -> Taps:
    """The nearest element below, or the one whose middle is nearest."""
    scale = np.float32(1.0 / factor if factor else size / out)
    place = (np.arange(out) + 0.5) * scale if exact else np.arange(out).astype(np.float32) * scale
    return np.minimum(np.floor(place).astype(np.int64), size - 1)[:, None], np.ones((out, 1))


def linear(size: int, out: int, factor: float | None, align: bool) -> Taps:
    """The two neighbours, each weighted by the distance from the other."""
    place = _source(size, out, factor, align)
    low = np.minimum(np.floor(place).astype(np.int64), size - 1)
    share = np.clip(place - low, 0, 1)
    return np.stack([low, np.minimum(low + 1, size - 1)], 1), np.stack([1 - share, share], 1)


def cubic(size: int, out: int, factor: float | None, align: bool) -> Taps:
    """Four neighbours by Keys' kernel with a = -0.75 (1981), the edge repeated."""
    place = _source(size, out, factor, align, cubic=True)
    low = np.floor(place).astype(np.int64)
    index = np.clip(low[:, None] + np.arange(-1, 3), 0, size - 1)
    return index, cubic_weights(place - low)


def cubic_weights(share: np.ndarray) -> np.ndarray:
    """The weights of the four neighbours of a place ``share`` behind the second."""
    a = -0.75
    near = [((a + 2) * d - (a + 3)) * d * d + 1 for d in (share, 1 - share)]
    far = [((a * d - 5 * a) * d + 8 * a) * d - 4 * a for d in (share + 1, 2 - share)]
    return np.stack([far[0], near[0], near[1], far[1]], -1)


def _lanczos(x: np.ndarray) -> np.ndarray:
    return np.sinc(x) * np.sinc(x / 3)


def _keys(x: np.ndarray) -> np.ndarray:
    """Keys' kernel with a = -0.5 (1981)."""
    near = (1.5 * x - 2.5) * x * x + 1
    return np.where(x < 1, near, ((-0.5 * x + 2.5) * x - 4) * x + 2)


_FILTERS: dict[str, tuple[int, Any]] = {"linear": (1, lambda x: 1 - x), "cubic": (2, _keys), "lanczos": (3, _lanczos)}
"""By name: how far it reaches to each side, and its values there."""


def filtered(kind: str, size: int, out: int, factor: float | None, align: bool) -> Taps:
    """All elements under a filter as wide as the step, or at least as wide as that of a plain interpolation."""
    radius, kernel = _FILTERS[kind]
    scale = _scale(size, out, factor, align)
    wide = max(scale, 1.0)
    middle = scale * (np.arange(out) + 0.5)
    start = np.maximum((middle - radius * wide + 0.5).astype(np.int64), 0)
    end = np.minimum((middle + radius * wide + 0.5).astype(np.int64), size)
    index = start[:, None] + np.arange(max(int((end - start).max(initial=1)), 1))
    away = np.abs((index - middle[:, None] + 0.5) / wide)
    weight = np.where((away < radius) & (index < end[:, None]), kernel(away), 0.0)
    total = weight.sum(1, keepdims=True)
    return np.minimum(index, size - 1), weight / np.where(total == 0, 1, total)


def taps(mode: str, size: int, out: int, factor: float | None, align: bool) -> Taps:
    """The taps of one dimension."""
    if mode == "mean":
        return bins(size, out)
    if mode.startswith("nearest"):
        return nearest(size, out, factor, mode == "nearest-exact")
    if mode.endswith("-aa"):
        return filtered(mode.removesuffix("-aa"), size, out, factor, align)
    return (cubic if mode == "cubic" else linear)(size, out, factor, align)


def _all_taps(shape: Any, size: Any, mode: str, align: bool, factors: Any) -> list[Taps]:
    spatial = shape[len(shape) - len(size) :]
    return [taps(mode, n, o, f, align) for n, o, f in zip(spatial, size, factors or (None,) * len(size), strict=True)]


def _resampled(input: np.ndarray, size: Any, mode: str, align: bool = False, factors: Any = None) -> np.ndarray:
    first = input.ndim - len(size)
    result, found = input, _all_taps(input.shape, size, mode, align, factors)
    if mode == "linear" and len(size) < 3 and is_fused(input):
        return _interpolated(input, found)
    for offset, (index, weight) in reversed(list(enumerate(found))):
        gathered = np.take(result, index, axis=first + offset)
        shape = [1] * gathered.ndim
        shape[first + offset : first + offset + 2] = index.shape
        share = weight.astype(input.dtype).reshape(shape)
        result = np.where(share == 0, ZERO[input.dtype], gathered * share).sum(
            axis=first + offset + 1, dtype=input.dtype
        )
    return result


def _interpolated(input: np.ndarray, found: list[Taps]) -> np.ndarray:
    """The weighted sum of all neighbours, each product rounded once with the sum; the second neighbour begins."""
    n, places = len(found), list(product((0, 1), repeat=len(found)))
    total: Any = None
    for place in (places[1], places[0], *places[2:]):
        taken = [(index[:, k], weight[:, k]) for (index, weight), k in zip(found, place, strict=True)]
        rows: list[Any] = [_along(index, axis, n) for axis, (index, _) in enumerate(taken)]
        share = reduce(mul, [_along(weight.astype(input.dtype), axis, n) for axis, (_, weight) in enumerate(taken)])
        gathered = np.where(share == 0, ZERO[input.dtype], input[(..., *rows)])
        total = gathered * share if total is None else fused(gathered, share, total)
    return np.asarray(total)


def _along(values: np.ndarray, axis: int, ndim: int) -> np.ndarray:
    return values.reshape([-1 if i == axis else 1 for i in range(ndim)])


_FEW: Final = 64
"""Windows of so many elements are added up one element after another."""


def _means(input: np.ndarray, size: Any) -> np.ndarray:
    """The means of windows: the sum, row by row, divided by one length after the other."""
    found = _all_taps(input.shape, size, "mean", False, None)
    if input.dtype.kind != "f" or math.prod(index.shape[1] for index, _ in found) > _FEW:
        return _resampled(input, size, "mean")
    n = len(size)
    total = np.zeros((*input.shape[: input.ndim - n], *size), input.dtype)
    for place in product(*(range(index.shape[1]) for index, _ in found)):
        taken = enumerate(zip(found, place, strict=True))
        parts = [(_along(i[:, k], axis, n), _along(weight[:, k] != 0, axis, n)) for axis, ((i, weight), k) in taken]
        rows: list[Any] = [rows for rows, _ in parts]
        np.add(total, input[(..., *rows)], out=total, where=reduce(and_, [x for _, x in parts]))
    for axis, (_, weight) in enumerate(found):
        total = total / _along((weight != 0).sum(axis=1).astype(input.dtype), axis, n)
    return total


@op(
    gradients={"input": "resample(g, size, mode, align, factors)"},
    functions=(),
    methods=(),
    torch=None,
    latex=r"\operatorname{resample}^{\top}\left(⟨0⟩\right)",
    samples=((LINE, (1, 1, 3), (5,), "linear", False, None), (PLANE, (1, 1, 2, 2), (4, 3), "mean", False, None)),
)
def resample_back(input: Array, shape, size, mode, align, factors):
    """The gradient of a resampling: each value added to the elements it was made of, by the same weights."""
    first = input.ndim - len(size)
    result = input
    for offset, (index, weight) in enumerate(_all_taps(shape, size, mode, align, factors)):
        moved = np.moveaxis(result, first + offset, 0)
        added = np.zeros((shape[first + offset], *moved.shape[1:]), input.dtype)
        share = weight.astype(input.dtype).reshape((*index.shape, *(1 for _ in moved.shape[1:])))
        np.add.at(added, index, moved[:, None] * share)
        result = np.moveaxis(added, 0, first + offset)
    return np.ascontiguousarray(result)


@op(
    gradients={"input": "resample_back(g, input.shape, size, mode, align, factors)"},
    functions=(),
    methods=(),
    torch=None,
    latex=r"\operatorname{resample}\left(⟨0⟩\right)",
    samples=((LINE, (7,), "linear", True, None), (PLANE, (2, 2), "mean", False, None)),
)
def resample(input: Array, size, mode, align, factors):
    """The last dimensions brought to another size."""
    return _resampled(input, size, mode, align, factors)


def _pool(dims: int, samples: Any) -> dict[str, Any]:
    return {
        "gradients": {
            "input": (
                "resample_back(g, input.shape, output_size, 'mean', False, None)",
                "gradient_by(g, input, None, 'resample_back', (input.shape, output_size, 'mean', False, None),"
                f" 'AdaptiveAvgPool{dims}D')",
            )
        },
        "functions": (),
        "methods": (),
        "latex": r"\operatorname{mean}_{\text{window}} ⟨0⟩",
        "symbol": "mean pool",
        "grad_fn": f"AdaptiveAvgPool{dims}DBackward0",
        "torch": f"nn.functional.adaptive_avg_pool{dims}d",
        "samples": samples,
    }


@op(**_pool(2, ((PLANE, (2, 2)), (PLANE, (3, 2)), (PLANE, (1, 5)))))
def adaptive_avg_pool2d(input: Array, output_size):
    """The means of windows that divide a plane into the given numbers."""
    return _means(input, output_size)


@op(**_pool(3, ((BLOCK, (1, 2, 2)), (BLOCK, (2, 1, 3)))))
def adaptive_avg_pool3d(input: Array, output_size):
    """The means of windows that divide a block into the given numbers."""
    return _means(input, output_size)


def _adaptive_max(input: np.ndarray, output_size: Any) -> tuple[np.ndarray, np.ndarray]:
    n = len(output_size)
    lead, size = input.shape[: input.ndim - n], input.shape[input.ndim - n :]
    rows = [bins(s, o)[0] for s, o in zip(size, output_size, strict=True)]
    numbers: Any = 0
    for axis, row in enumerate(rows):
        shape = [1] * (2 * n)
        shape[axis], shape[n + axis] = row.shape
        numbers = numbers * size[axis] + row.reshape(shape)
    numbers = numbers.reshape(math.prod(output_size), -1)
    candidates = input.reshape(*lead, -1)[..., numbers]
    order = np.argsort(numbers, axis=-1, kind="stable")  # of equal ones the first in the plane
    best = np.argmax(np.take_along_axis(candidates, np.broadcast_to(order, candidates.shape), -1), -1)[..., None]
    picked = np.take_along_axis(np.broadcast_to(order, candidates.shape), best, -1)
    values = np.take_along_axis(candidates, picked, -1)[..., 0]
    indices = np.take_along_axis(np.broadcast_to(numbers, candidates.shape), picked, -1)[..., 0]
    return values.reshape(*lead, *output_size), indices.reshape(*lead, *output_size).astype(np.int64)


def _max_pool(dims: int, samples: Any) -> dict[str, Any]:
    return {
        "gradients": {
            "input": (
                f"plane_put(g, indices, input.shape, {dims})",
                f"gradient_by(g, input, indices, 'plane_put', (input.shape, {dims}), 'AdaptiveMaxPool{dims}D')",
            )
        },
        "outputs": ("values", "indices"),
        "latex": r"\max_{\text{window}} ⟨0⟩",
        "symbol": "max pool",
        "functions": (),
        "methods": (),
        "grad_fn": f"AdaptiveMaxPool{dims}DBackward0",
        "torch": f"ops.aten.adaptive_max_pool{dims}d",
        "samples": samples,
    }


@op(**_max_pool(2, ((PLANE, (2, 2)), (PLANE, (3, 2)), (PLANE, (1, 1)))))
def adaptive_max_pool2d(input: Array, output_size):
    """The largest elements of windows that divide a plane into the given numbers, and where they are."""
    return _adaptive_max(input, output_size)


@op(**_max_pool(3, ((BLOCK, (1, 2, 2)), (BLOCK, (2, 1, 3)))))
def adaptive_max_pool3d(input: Array, output_size):
    """The largest elements of windows that divide a block into the given numbers, and where they are."""
    return _adaptive_max(input, output_size)


# -- interpolation -----------------------------------------------------------------------------------------------------


def _by_name(mode: str, smooth: bool) -> Any:
    def run(function: Any, input: Any, size: Any, align: Any = None, factors: Any = None) -> Any:
        options = {} if mode.startswith("nearest") else {"align_corners": align, "antialias": smooth}
        return function(input, size=size, mode=mode, **options)

    return run


def _upsampling(name: str, mode: str, torch_mode: str, samples: Any) -> dict[str, Any]:
    return {
        "gradients": {
            "input": f"linear_gradient_of(resample_back(g, input.shape, output_size, {mode!r}, align_corners, scales), 'Upsample{name}')"
        },
        "functions": (),
        "methods": (),
        "latex": r"\operatorname{resample}\left(⟨0⟩\right)",
        "symbol": "resample",
        "grad_fn": f"Upsample{name}Backward0",
        "torch": "nn.functional.interpolate",
        "adapt": _by_name(torch_mode, mode.endswith("-aa")),
        "samples": samples,
        "refuses": {"e": "compute_index_ranges_weights"} if mode.endswith("-aa") else {},
    }


@op(**_upsampling("Nearest1D", "nearest", "nearest", ((LINE, (8,)), (LINE, (3,)))))
def upsample_nearest1d(input: Array, output_size, align_corners=False, scales=None):
    """A line at another length, each element that of the nearest before it."""
    return _resampled(input, output_size, "nearest", align_corners, scales)


@op(**_upsampling("Nearest2D", "nearest", "nearest", ((PLANE, (5, 6)), (PLANE, (2, 2)))))
def upsample_nearest2d(input: Array, output_size, align_corners=False, scales=None):
    """A plane at another size, each element that of the nearest before it."""
    return _resampled(input, output_size, "nearest", align_corners, scales)


@op(**_upsampling("Nearest3D", "nearest", "nearest", ((BLOCK, (3, 4, 5)),)))
def upsample_nearest3d(input: Array, output_size, align_corners=False, scales=None):
    """A block at another size, each element that of the nearest before it."""
    return _resampled(input, output_size, "nearest", align_corners, scales)


@op(**_upsampling("NearestExact1D", "nearest-exact", "nearest-exact", ((LINE, (8,)), (LINE, (3,)))))
def upsample_nearest_exact1d(input: Array, output_size, align_corners=False, scales=None):
    """A line at another length, each element that of the nearest middle."""
    return _resampled(input, output_size, "nearest-exact", align_corners, scales)


@op(**_upsampling("NearestExact2D", "nearest-exact", "nearest-exact", ((PLANE, (5, 6)),)))
def upsample_nearest_exact2d(input: Array, output_size, align_corners=False, scales=None):
    """A plane at another size, each element that of the nearest middle."""
    return _resampled(input, output_size, "nearest-exact", align_corners, scales)


@op(**_upsampling("NearestExact3D", "nearest-exact", "nearest-exact", ((BLOCK, (3, 4, 5)),)))
def upsample_nearest_exact3d(input: Array, output_size, align_corners=False, scales=None):
    """A block at another size, each element that of the nearest middle."""
    return _resampled(input, output_size, "nearest-exact", align_corners, scales)


@op(**_upsampling("Linear1D", "linear", "linear", ((LINE, (8,), False), (LINE, (3,), True), (LINE, (1,), True))))
def upsample_linear1d(input: Array, output_size, align_corners=False, scales=None):
    """A line at another length, between neighbours along a straight line."""
    return _resampled(input, output_size, "linear", align_corners, scales)


@op(**_upsampling("Bilinear2D", "linear", "bilinear", ((PLANE, (5, 6), False), (PLANE, (2, 7), True))))
def upsample_bilinear2d(input: Array, output_size, align_corners=False, scales=None):
    """A plane at another size, linear between neighbours in both dimensions."""
    return _resampled(input, output_size, "linear", align_corners, scales)


@op(**_upsampling("Trilinear3D", "linear", "trilinear", ((BLOCK, (3, 4, 5), False), (BLOCK, (3, 1, 5), True))))
def upsample_trilinear3d(input: Array, output_size, align_corners=False, scales=None):
    """A block at another size, linear between neighbours in all dimensions."""
    return _resampled(input, output_size, "linear", align_corners, scales)


@op(**_upsampling("Bicubic2D", "cubic", "bicubic", ((PLANE, (5, 6), False), (PLANE, (2, 7), True))))
def upsample_bicubic2d(input: Array, output_size, align_corners=False, scales=None):
    """A plane at another size, by cubic curves through four neighbours in both dimensions."""
    return _resampled(input, output_size, "cubic", align_corners, scales)


@op(**_upsampling("Bilinear2DAa", "linear-aa", "bilinear", ((PLANE, (2, 2), False), (PLANE, (5, 2), True))))
def upsample_bilinear2d_aa(input: Array, output_size, align_corners=False, scales=None):
    """A plane at another size, by means of all elements under a triangle as wide as the step."""
    return _resampled(input, output_size, "linear-aa", align_corners, scales)


@op(**_upsampling("Bicubic2DAa", "cubic-aa", "bicubic", ((PLANE, (2, 2), False), (PLANE, (5, 2), True))))
def upsample_bicubic2d_aa(input: Array, output_size, align_corners=False, scales=None):
    """A plane at another size, by means of all elements under a cubic kernel as wide as the step."""
    return _resampled(input, output_size, "cubic-aa", align_corners, scales)


@op(**_upsampling("Lanczos2DAa", "lanczos-aa", "lanczos", ((PLANE, (2, 2), False), (PLANE, (5, 2), False))))
def upsample_lanczos2d_aa(input: Array, output_size, align_corners=False, scales=None):
    """A plane at another size, by means of all elements under Lanczos' kernel as wide as the step."""
    return _resampled(input, output_size, "lanczos-aa", align_corners, scales)
