"""The discrete Fourier transform in its three forms: complex to complex, real to complex, complex to real.

``normalization`` is PyTorch's: 0 for none, 1 for division by the root of the number of points, 2 by the number itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine.numerics.bounded_counts import padded
from gradflow.engine.ops.pointwise.complex import real_of_tensor
from gradflow.engine.registry import REGISTRY, Array, helper, op
from gradflow.engine.tensor import Tensor

Z = [0.5 + 1.0j, -1.25j, 2.0 - 0.5j, 1.5 + 0.0j]
Y = [[1.0 + 0.5j, 2.0j, -1.0 + 0.0j], [0.25 - 1.0j, 0.75 + 0.0j, 1.5 - 2.0j]]
V = [0.5, -1.25, 2.0, 1.5, -0.75]
W = [[1.0, 2.0, -0.5, 0.25], [0.5, -1.5, 0.75, 3.0]]
_FORWARD: tuple[Any, ...] = ("backward", "ortho", "forward")
_INVERSE: tuple[Any, ...] = ("forward", "ortho", "backward")
_irfftn = padded(np.fft.irfftn)
_LATEX = r"\mathcal{F}\left(⟨0⟩\right)"


def _narrow(array: np.ndarray, like: np.ndarray) -> np.ndarray:
    """The result in the precision of the input."""
    single = like.dtype.itemsize == (8 if like.dtype.kind == "c" else 4)
    if array.dtype.kind == "c":
        return array.astype(np.complex64 if single else np.complex128, copy=False)
    return array.astype(np.float32 if single else np.float64, copy=False)


def _wide(array: np.ndarray) -> np.ndarray:
    """Transforms are computed in double precision and rounded once."""
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64, copy=False)


def _axes(dim: Any, ndim: int) -> tuple[int, ...]:
    return tuple(d % ndim for d in dim)


@op(
    gradients={"input": "fft_c2c(g, dim, normalization, 1 - forward)"},
    latex=_LATEX,
    symbol="FFT",
    grad_fn="FftC2CBackward0",
    functions=(),
    methods=(),
    inplace=False,
    torch="ops.aten._fft_c2c",
    samples=((Z, (0,), 0, 1), (Z, (0,), 2, 0), (Y, (0, 1), 1, 1)),
)
def fft_c2c(input: Array, dim, normalization, forward):
    """The transform of complex numbers along dimensions, or its inverse."""
    axes = _axes(dim, input.ndim)
    if not axes:
        return input.copy()
    if not input.imag.any():
        half = _half(input.real, axes, _FORWARD[normalization])
        both = _with_conjugates(half, axes, input.shape[axes[-1]])
        return _narrow(both if forward else both.conj(), input)
    if forward:
        return _narrow(np.fft.fftn(_wide(input), axes=axes, norm=_FORWARD[normalization]), input)
    return _narrow(np.fft.ifftn(_wide(input), axes=axes, norm=_INVERSE[normalization]), input)


@op(
    gradients={"input": "fft_r2c_share(g, dim, normalization, onesided, input.shape)"},
    latex=_LATEX,
    symbol="FFT",
    grad_fn="FftR2CBackward0",
    functions=(),
    methods=(),
    inplace=False,
    torch="ops.aten._fft_r2c",
    samples=((V, (0,), 0, True), (V, (0,), 1, False), (W, (0, 1), 2, True)),
    saves=("input",),
)
def fft_r2c(input: Array, dim, normalization, onesided):
    """The transform of real numbers along dimensions; ``onesided`` leaves out what is conjugate to the rest."""
    axes = _axes(dim, input.ndim)
    half = _half(input, axes, _FORWARD[normalization])
    return _narrow(half if onesided else _with_conjugates(half, axes, input.shape[axes[-1]]), input)


def _half(input: np.ndarray, axes: tuple[int, ...], norm: Any) -> np.ndarray:
    """One half of the transform of real numbers. What is its own conjugate is real, without what NumPy's rounding leaves."""
    half = np.fft.rfftn(_wide(input), axes=axes, norm=norm)
    own = [slice(None)] * input.ndim
    for axis in axes:
        size = input.shape[axis]
        own[axis] = slice(None, None, size if size % 2 else size // 2)
    half[tuple(own)].imag = 0
    return half


def _with_conjugates(half: np.ndarray, axes: tuple[int, ...], size: int) -> np.ndarray:
    """Both halves; ``size``: how many numbers there are along the last axis."""
    last = axes[-1]
    rest = half[(slice(None),) * last + (slice((size - 1) // 2, 0, -1),)].conj()
    for axis in axes[:-1]:
        rest = np.roll(np.flip(rest, axis), 1, axis)
    return np.concatenate((half, rest), last)


@op(
    gradients={"input": "fft_c2r_share(g, dim, normalization, last_dim_size)"},
    latex=_LATEX,
    symbol="FFT",
    grad_fn="FftC2RBackward0",
    functions=(),
    methods=(),
    inplace=False,
    torch="ops.aten._fft_c2r",
    samples=((Z, (0,), 0, 6), (Z, (0,), 2, 7), (Y, (0, 1), 1, 4)),
)
def fft_c2r(input: Array, dim, normalization, last_dim_size):
    """The inverse transform of one half of numbers that are conjugate to the other half: real numbers."""
    axes = _axes(dim, input.ndim)
    lengths = [input.shape[axis] for axis in axes[:-1]] + [last_dim_size]
    return _narrow(_irfftn(_wide(input), s=lengths, axes=axes, norm=_INVERSE[normalization]), input)


def _filled(g: Any, axis: int, shape: tuple[int, ...]) -> Any:
    """Zeros of a shape into whose beginning the gradient is written; the gradient where it fills them."""
    if g._a.shape[axis] == shape[axis]:
        return g
    full = Tensor(np.zeros(shape, g._a.dtype))
    REGISTRY["slice"].call(full, axis, 0, g._a.shape[axis], 1).copy_(g)
    return full


def _r2c_share_of_tensor(g: Any, dim: Any, normalization: int, onesided: bool, shape: tuple[int, ...]) -> Any:
    if onesided:
        g = _filled(g, dim[-1] % len(shape), shape)
    return real_of_tensor(REGISTRY["fft_c2c"].call(g, dim, normalization, 0))


@helper(latex=r"\Re\,\mathcal{F}^{-1}\left(⟨0⟩\right)", tensors=_r2c_share_of_tensor)
def fft_r2c_share(g, dim, normalization, onesided, shape):
    """What a gradient of the transform says about the real numbers."""
    if onesided:
        last = dim[-1] % len(shape)
        full = np.zeros(shape, g.dtype)
        full[(slice(None),) * last + (slice(0, g.shape[last]),)] = g
        g = full
    return fft_c2c(g, dim, normalization, 0).real


def _weights(size: int, length: int, axis: int, ndim: int) -> np.ndarray:
    """2 for the numbers that stand for their conjugates too, 1 for the others."""
    weights = np.ones(length)
    weights[1 : 1 + size - length] = 2
    return weights.reshape([-1 if i == axis else 1 for i in range(ndim)])


def _c2r_share_of_tensor(g: Any, dim: Any, normalization: int, last_dim_size: int) -> Any:
    share = REGISTRY["fft_r2c"].call(g, dim, normalization, True)
    axis = dim[-1] % g._a.ndim
    doubled = last_dim_size - share._a.shape[axis]
    if doubled:
        REGISTRY["slice"].call(share, axis, 1, 1 + doubled, 1).mul_(2)
    return share


@helper(latex=r"w\odot\mathcal{F}\left(⟨0⟩\right)", tensors=_c2r_share_of_tensor)
def fft_c2r_share(g, dim, normalization, last_dim_size):
    """What a gradient of the real numbers says about the half that they came from."""
    share = fft_r2c(g, dim, normalization, True)
    axis = dim[-1] % g.ndim
    return share * _weights(last_dim_size, share.shape[axis], axis, g.ndim).astype(g.dtype)
