"""``torch.fft``: the transforms as PyTorch composes them, their frequencies, and shifts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.namespace.functions.composite import to
from gradflow.engine.namespace.functions.elementwise import conj, conj_physical
from gradflow.engine.registry import REGISTRY
from gradflow.engine.tensor import Tensor, check_dim, dtypes


def _call(name: str, *args: Any) -> Any:
    return REGISTRY[name].call(*args)


def _refuse(message: str) -> Exception:
    return errors.FOURIER_REFUSED(message=message)


# -- what comes before a transform -------------------------------------------------------------------------------------


def _promoted(input: Tensor, complex_too: bool = False) -> Tensor:
    """Integers as floating point numbers, and real numbers as complex ones where those are needed."""
    dtype = input.dtype
    if dtype in (dtypes.float16, dtypes.bfloat16):
        raise _refuse(f"Unsupported dtype {dtype.legacy}")
    if dtype.category < dtypes.FLOAT:
        dtype = dtypes.float32
    if complex_too and dtype.category < dtypes.COMPLEX:
        dtype = dtypes.complex128 if dtype is dtypes.float64 else dtypes.complex64
    return input if dtype is input.dtype else to(input, dtype)


def _resized(input: Tensor, dim: tuple[int, ...], sizes: tuple[int, ...]) -> Tensor:
    """Cut, or filled up with zeros, to the given lengths."""
    widths = [0] * (2 * input._a.ndim)
    for axis, size in zip(dim, sizes, strict=True):
        length = input._a.shape[axis]
        if length < size:
            widths[2 * (input._a.ndim - 1 - axis) + 1] = size - length
        elif length > size:
            input = _call("slice", input, axis, 0, size, 1)
    return _call("constant_pad_nd", input, tuple(widths), 0) if any(widths) else input


def _normalization(norm: str | None, forward: bool) -> int:
    if norm is None or norm == "backward":
        return 0 if forward else 2
    if norm == "forward":
        return 2 if forward else 0
    if norm != "ortho":
        raise _refuse(f'Invalid normalization mode: "{norm}"')
    return 1


def _require_points(n: int) -> None:
    if n < 1:
        raise _refuse(f"Invalid number of data points ({n}) specified")


# -- one dimension -----------------------------------------------------------------------------------------------------


def _complex_1d(input: Tensor, n: int | None, dim: int, norm: str | None, forward: bool) -> Tensor:
    input = _promoted(input, complex_too=True)
    axis = _axis(input, dim)
    _require_points(input._a.shape[axis] if n is None else n)
    if n is not None:
        input = _resized(input, (axis,), (n,))
    return _call("fft_c2c", input, (axis,), _normalization(norm, forward), int(forward))


def _real_1d(
    name: str, input: Tensor, n: int | None, dim: int, norm: str | None, forward: bool, onesided: bool
) -> Tensor:
    if input.is_complex():
        raise _refuse(f"{name} expects a real input tensor, but got {input.dtype.legacy}")
    input = _promoted(input)
    axis = _axis(input, dim)
    _require_points(input._a.shape[axis] if n is None else n)
    if n is not None:
        input = _resized(input, (axis,), (n,))
    result = _call("fft_r2c", input, (axis,), _normalization(norm, forward), onesided)
    return result if forward else conj(result)


def _half_1d(input: Tensor, n: int | None, dim: int, norm: str | None, forward: bool) -> Tensor:
    input = _promoted(input, complex_too=True)
    axis = _axis(input, dim)
    points = 2 * (input._a.shape[axis] - 1) if n is None else n
    _require_points(points)
    if n is not None:
        input = _resized(input, (axis,), (n // 2 + 1,))
    if forward:
        input = conj(input)
    return _call("fft_c2r", input, (axis,), _normalization(norm, forward), points)


def _axis(input: Tensor, dim: int) -> int:
    axis = check_dim(dim, input._a.ndim)
    if not input._a.ndim:
        raise errors.CUT_RANGE(message=f"Dimension specified as {dim} but tensor has no dimensions")
    return axis


def fft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The Fourier transform along a dimension: complex, of the input's length or of ``n`` points."""
    if input.is_complex():
        return _complex_1d(input, n, dim, norm, True)
    return _real_1d("fft", input, n, dim, norm, True, False)


def ifft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The inverse of `fft`."""
    if input.is_complex():
        return _complex_1d(input, n, dim, norm, False)
    return _real_1d("ifft", input, n, dim, norm, False, False)


def rfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The first half of the transform of real numbers; the other half is conjugate to it."""
    return _real_1d("rfft", input, n, dim, norm, True, True)


def irfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The inverse of `rfft`: real numbers."""
    return _half_1d(input, n, dim, norm, False)


def hfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The transform of one half of a conjugate-symmetric signal: real numbers."""
    return _half_1d(input, n, dim, norm, True)


def ihfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The inverse of `hfft`."""
    return _real_1d("ihfft", input, n, dim, norm, False, True)


# -- several dimensions ------------------------------------------------------------------------------------------------


def _points(input: Tensor, s: Any, dim: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Dimensions and lengths. Raises RuntimeError where they do not fit each other or the tensor."""
    ndim = input._a.ndim
    sizes = None if s is None else [int(n) for n in ([s] if isinstance(s, int) else s)]
    axes = None if dim is None else [check_dim(int(d), ndim) for d in ([dim] if isinstance(dim, int) else dim)]
    if axes is not None and len(set(axes)) != len(axes):
        raise _refuse("FFT dims must be unique")
    if sizes is not None:
        if axes is not None and len(axes) != len(sizes):
            raise _refuse("When given, dim and shape arguments must have the same length")
        if len(sizes) > ndim:
            raise _refuse(f"Got shape with {len(sizes)} values but input tensor only has {ndim} dimensions.")
        if axes is None:
            axes = list(range(ndim - len(sizes), ndim))
        sizes = [input._a.shape[axis] if n == -1 else n for n, axis in zip(sizes, axes, strict=True)]
    else:
        axes = list(range(ndim)) if axes is None else axes
        sizes = [input._a.shape[axis] for axis in axes]
    for n in sizes:
        _require_points(n)
    return tuple(axes), tuple(sizes)


def _half_points(name: str, input: Tensor, s: Any, dim: Any) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """Dimensions, lengths of what is given, and the length of the last dimension of what comes out."""
    axes, sizes = _points(input, s, dim)
    if not axes:
        raise _refuse(f"{name} must transform at least one axis")
    given = None if s is None else [s][-1] if isinstance(s, int) else s[-1]
    last = 2 * (input._a.shape[axes[-1]] - 1) if given is None or given == -1 else sizes[-1]
    _require_points(last)
    return axes, (*sizes[:-1], last // 2 + 1), last


def fftn(input: Tensor, s: Any = None, dim: Any = None, norm: str | None = None) -> Tensor:
    """The transform along several dimensions, by default all."""
    return _complex_nd(input, s, dim, norm, True)


def ifftn(input: Tensor, s: Any = None, dim: Any = None, norm: str | None = None) -> Tensor:
    """The inverse of `fftn`."""
    return _complex_nd(input, s, dim, norm, False)


def _complex_nd(input: Tensor, s: Any, dim: Any, norm: str | None, forward: bool) -> Tensor:
    axes, sizes = _points(input, s, dim)
    input = _resized(_promoted(input, complex_too=True), axes, sizes)
    return _call("fft_c2c", input, axes, _normalization(norm, forward), int(forward))


def rfftn(input: Tensor, s: Any = None, dim: Any = None, norm: str | None = None) -> Tensor:
    """`rfft` along the last, `fft` along the other dimensions."""
    if input.is_complex():
        raise _refuse(f"rfftn expects a real-valued input tensor, but got {input.dtype.legacy}")
    input = _promoted(input)
    axes, sizes = _points(input, s, dim)
    if not axes:
        raise _refuse("rfftn must transform at least one axis")
    return _call("fft_r2c", _resized(input, axes, sizes), axes, _normalization(norm, True), True)


def irfftn(input: Tensor, s: Any = None, dim: Any = None, norm: str | None = None) -> Tensor:
    """The inverse of `rfftn`."""
    axes, sizes, last = _half_points("irfftn", input, s, dim)
    input = _resized(_promoted(input, complex_too=True), axes, sizes)
    return _call("fft_c2r", input, axes, _normalization(norm, False), last)


def hfftn(input: Tensor, s: Any = None, dim: Any = None, norm: str | None = None) -> Tensor:
    """`hfft` along the last, `fft` along the other dimensions."""
    axes, sizes, last = _half_points("hfftn", input, s, dim)
    input = _resized(_promoted(input, complex_too=True), axes, sizes)
    mode = _normalization(norm, True)
    if len(axes) > 1:
        input = _call("fft_c2c", input, axes[:-1], mode, 1)
    return _call("fft_c2r", conj(input), axes[-1:], mode, last)


def ihfftn(input: Tensor, s: Any = None, dim: Any = None, norm: str | None = None) -> Tensor:
    """The inverse of `hfftn`."""
    axes, sizes = _points(input, s, dim)
    if not axes:
        raise _refuse("ihfftn must transform at least one axis")
    if input.is_complex():
        raise _refuse(f"Only supports floating-point dtypes, but found: {input.dtype.legacy}")
    mode = _normalization(norm, False)
    half = _call("fft_r2c", _resized(_promoted(input), axes, sizes), axes[-1:], mode, True)
    if len(axes) == 1:
        return conj(half)
    return _call("fft_c2c", conj_physical(half), axes[:-1], mode, 0)


def _plane(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def transform(input: Tensor, s: Any = None, dim: Any = (-2, -1), norm: str | None = None) -> Tensor:
        return function(input, s, dim, norm)

    transform.__doc__ = f"`{function.__name__}` along two dimensions, by default the last."
    transform.__name__ = transform.__qualname__ = f"{function.__name__[:-1]}2"
    return transform


# -- frequencies -------------------------------------------------------------------------------------------------------


def _frequencies(n: int, d: float, numbers: np.ndarray, dtype: Any) -> Tensor:
    element_dtype = dtypes.float32.numpy if dtype is None else dtypes.as_numpy(dtype)
    with np.errstate(all="ignore"):
        return Tensor(numbers.astype(element_dtype) * element_dtype.type(1.0 / (n * d) if n else np.inf))


def fftfreq(n: int, d: float = 1.0, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """The frequencies that the points of `fft` stand for, ``d`` being the time between samples."""
    if n < 0:
        raise errors.NEGATIVE_DIMENSION(size=n, shape=[n])
    numbers = np.concatenate([np.arange(0, (n + 1) // 2), np.arange(-(n // 2), 0)])
    return _leaf(_frequencies(n, d, numbers, dtype), requires_grad)


def rfftfreq(n: int, d: float = 1.0, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """The frequencies that the points of `rfft` stand for."""
    return _leaf(_frequencies(n, d, np.arange(n // 2 + 1), dtype), requires_grad)


def _leaf(tensor: Tensor, requires_grad: bool) -> Tensor:
    tensor.requires_grad = requires_grad
    return tensor


def _shift(name: str, further: int) -> Callable[..., Tensor]:
    def shift(input: Tensor, dim: Any = None) -> Tensor:
        ndim = input._a.ndim
        axes = range(ndim) if dim is None else [dim] if isinstance(dim, int) else dim
        picked = tuple(check_dim(d, ndim) for d in axes)
        return _call("roll", input, tuple((input._a.shape[d] + further) // 2 for d in picked), picked)

    shift.__name__ = shift.__qualname__ = name
    shift.__doc__ = "The frequency 0 in the middle." if not further else "The inverse of `fftshift`."
    return shift


_ALL: tuple[Callable[..., Any], ...] = (
    fft,
    ifft,
    rfft,
    irfft,
    hfft,
    ihfft,
    fftn,
    ifftn,
    rfftn,
    irfftn,
    hfftn,
    ihfftn,
    fftfreq,
    rfftfreq,
    *map(_plane, (fftn, ifftn, rfftn, irfftn, hfftn, ihfftn)),
    _shift("fftshift", 0),
    _shift("ifftshift", 1),
)
FFT: dict[str, Callable[..., Any]] = {f.__name__: f for f in _ALL}
"""``torch.fft``."""
for _name, _function in FFT.items():
    _function.__name__ = _function.__qualname__ = f"fft_{_name}"  # as PyTorch has them
