"""``stft`` and ``istft``: the transforms of overlapping windows of a signal, and back, as PyTorch composes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.dispatch import autocast
from gradflow.engine.namespace.functional.vision import pad as padded
from gradflow.engine.namespace.functions.memory import as_strided, relabelled
from gradflow.engine.namespace.tensor_arguments import has
from gradflow.engine.registry import REGISTRY
from gradflow.engine.state import warn
from gradflow.engine.tensor import Tensor, dtypes

_NO_WINDOW = (
    "A window was not provided. A rectangular window will be applied{advice}To suppress this warning and use a rectangular "
    "window, explicitly set `window=torch.ones(n_fft, device=<device>)`. (Triggered internally at "
    "/pytorch/aten/src/ATen/native/SpectralOps.cpp:{line}.)"
)
_LEAKAGE = (
    ",which is known to cause spectral leakage. Other windows such as torch.hann_window or torch.hamming_window are "
    "recommended to reduce spectral leakage."
)
_LOSSLESS = ".Please provide the same window used by stft to make the inversion lossless."
_NOT_COMPLEX = (
    "stft with return_complex=False is deprecated. In a future pytorch release, stft will return complex tensors for all "
    "inputs, and return_complex=False will raise an error."
)
_SHORT = (
    "The length of signal is shorter than the length parameter. Result is being padded with zeros in the tail. Please "
    "check your center and hop_length settings. (Triggered internally at "
    "/pytorch/aten/src/ATen/native/SpectralOps.cpp:1199.)"
)


def _call(name: str, *args: Any) -> Any:
    return REGISTRY[name].call(*args)


def _flag(value: bool | None) -> str:
    return "None" if value is None else str(int(value))


def _window_text(window: Tensor | None) -> str:
    return "None" if window is None else f"torch.{window.dtype.legacy}Tensor{{{list(window._a.shape)}}}"


def _refuse(message: str) -> Exception:
    return errors.FOURIER_REFUSED(message=message)


# -- forth -------------------------------------------------------------------------------------------------------------


@autocast.takes("float32")
def stft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
    align_to_window: bool | None = None,
) -> Tensor:
    """The Fourier transforms of windows of ``n_fft`` elements, ``hop_length`` apart: (..., frequencies, windows).

    Raises RuntimeError for lengths that do not fit the signal.
    """
    has(input, "dim")
    if center:
        input = _centered(input, n_fft, pad_mode)
    hop, width = n_fft // 4 if hop_length is None else hop_length, n_fft if win_length is None else win_length
    if return_complex is None and not input.is_complex() and not (window is not None and window.is_complex()):
        raise _refuse(
            "stft requires the return_complex parameter be given for real inputs, and will further require that "
            "return_complex=True in a future PyTorch release."
        )
    problem = _forth_problem(input, n_fft, hop, width, window)
    if problem:
        raise _refuse(
            f"stft(torch.{input.dtype.legacy}Tensor{list(input._a.shape)}, n_fft={n_fft}, hop_length={hop}, "
            f"win_length={width}, window={_window_text(window)}, normalized={_flag(normalized)}, "
            f"onesided={_flag(onesided)}, return_complex={_flag(return_complex)}, "
            f"align_to_window={_flag(align_to_window)}) : expected {problem}"
        )
    if window is None:
        warn(_NO_WINDOW.format(advice=_LEAKAGE, line=835))
    if return_complex is False:
        warn(_NOT_COMPLEX)
    frames = _frames(input, n_fft, hop)
    if window is not None and width < n_fft:
        window = _call("constant_pad_nd", window, ((n_fft - width) // 2, n_fft - width - (n_fft - width) // 2), 0)
    elif width < n_fft:
        window = _call("constant_pad_nd", _ones(width, input), ((n_fft - width) // 2, (n_fft - width + 1) // 2), 0)
    if window is not None:
        frames = _call("mul", frames, window)
    result = _transformed(frames, normalized, onesided)
    result = relabelled("transpose", "TransposeBackward1")(result, 1, 2)
    if input._a.ndim == 1:
        result = relabelled("squeeze_dim", "SqueezeBackward4")(result, 0)
    return _call("view_as_real", result) if return_complex is False else result


def _centered(input: Tensor, n_fft: int, pad_mode: str) -> Tensor:
    shape = input._a.shape
    wide = _call("view", input, *(1,) * (3 - len(shape)), *shape)
    wide = padded(wide, [n_fft // 2, n_fft // 2], pad_mode)
    return _call("view", wide, *wide._a.shape[wide._a.ndim - len(shape) :])


def _forth_problem(input: Tensor, n_fft: int, hop: int, width: int, window: Tensor | None) -> str | None:
    if input.dtype.category < dtypes.FLOAT:
        return "a tensor of floating point or complex values"
    if input._a.ndim not in (1, 2):
        return "a 1D or 2D tensor"
    length = input._a.shape[-1]
    if not 0 < n_fft <= length:
        return f"0 < n_fft < {length}, but got n_fft={n_fft}"
    if hop <= 0:
        return f"hop_length > 0, but got hop_length={hop}"
    if not 0 < width <= n_fft:
        return f"0 < win_length <= n_fft, but got win_length={width}"
    if window is not None and window._a.shape != (width,):
        size = list(window._a.shape)
        return f"a 1D window tensor of size equal to win_length={width}, but got window with size {size}"
    return None


def _frames(input: Tensor, n_fft: int, hop: int) -> Tensor:
    rows = _call("unsqueeze", input, 0) if input._a.ndim == 1 else input
    batch, length = rows._a.shape
    steps: Any = rows.stride()
    return as_strided(rows, (batch, 1 + (length - n_fft) // hop, n_fft), (steps[0], hop * steps[1], steps[1]))


def _ones(width: int, like: Tensor) -> Tensor:
    return Tensor(np.ones(width, like._a.real.dtype))


def _transformed(frames: Tensor, normalized: bool, onesided: bool | None) -> Tensor:
    if not frames.is_complex():
        return _call("fft_r2c", frames, (2,), int(normalized), onesided is not False)
    if onesided:
        raise _refuse("Cannot have onesided output if window or input is complex")
    return _call("fft_c2c", frames, (2,), int(normalized), 1)


# -- back --------------------------------------------------------------------------------------------------------------


def istft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool | None = None,
    length: int | None = None,
    return_complex: bool = False,
) -> Tensor:
    """The signal from the transforms of its windows. Raises RuntimeError where the windows leave a gap."""
    hop, width = n_fft // 4 if hop_length is None else hop_length, n_fft if win_length is None else win_length
    if not input.is_complex():
        raise _refuse(
            "istft requires a complex-valued input tensor matching the output from stft with return_complex=True."
        )
    title = (
        f"istft(CPU{input.dtype.legacy}Type{list(input._a.shape)}, n_fft={n_fft}, hop_length={hop}, win_length={width}, "
        f"window={_window_text(window)}, center={_flag(center)}, normalized={_flag(normalized)}, "
        f"onesided={_flag(onesided)}, length={length}, return_complex={_flag(return_complex)})"
    )
    problem = _back_problem(input, n_fft, hop, width, window, onesided)
    if problem:
        raise _refuse(f"{title} : {problem}")
    if window is None:
        warn(_NO_WINDOW.format(advice=_LOSSLESS, line=1035))
    half = input._a.shape[-2] != n_fft if onesided is None else onesided
    dtype = dtypes.float32 if input.dtype is dtypes.complex64 else dtypes.float64
    weights = Tensor(np.ones(width, dtype.numpy)) if window is None else window
    if width != n_fft:
        left = (n_fft - width) // 2
        weights = _call("constant_pad_nd", weights, (left, n_fft - width - left), 0)
    parts = _call("view_as_real", input)
    rows = parts if input._a.ndim == 3 else _call("unsqueeze", parts, 0)
    spectra = _call("view_as_complex", _call("transpose", rows, 1, 2))
    pieces = _pieces(spectra, n_fft, half, normalized, return_complex)
    signal = _added_up(pieces, weights, n_fft, hop, (center, length, title))
    return signal if input._a.ndim == 3 else _call("squeeze_dim", signal, 0)


def _back_problem(
    input: Tensor, n_fft: int, hop: int, width: int, window: Tensor | None, onesided: bool | None
) -> str | None:
    if not input._a.size:
        return "input tensor cannot be empty."
    if input._a.ndim not in (2, 3):
        return f"expected a tensor with 3 or 4 dimensions, but got {input._a.ndim + 1}"
    own = input._a.shape[-2]
    half = own != n_fft if onesided is None else onesided
    place = "expected the frequency dimension (3rd to the last) of the input tensor to match n_fft"
    if half and own != n_fft // 2 + 1:
        return f"{place} / 2 + 1 when onesided=True, but got {own}"
    if not half and own != n_fft:
        return f"{place} when onesided=False, but got {own}"
    if not 0 < hop <= width:
        return "expected 0 < hop_length <= win_length"
    if not 0 < width <= n_fft:
        return "expected 0 < win_length <= n_fft"
    if window is not None and window._a.shape != (width,):
        return "Invalid window shape. window has to be 1D and length of `win_length`"
    return None


def _pieces(spectra: Tensor, n_fft: int, half: bool, normalized: bool, return_complex: bool) -> Tensor:
    mode = 1 if normalized else 2
    if return_complex:
        if half:
            raise _refuse("Cannot have onesided output if window or input is complex")
        return _call("fft_c2c", spectra, (2,), mode, 0)
    if not half:
        spectra = _call("slice", spectra, 2, 0, n_fft // 2 + 1, 1)
    return _call("fft_c2r", spectra, (2,), mode, n_fft)


def _added_up(pieces: Tensor, weights: Tensor, n_fft: int, hop: int, settings: tuple[bool, int | None, str]) -> Tensor:
    """The pieces at their places, added up and divided by the sum of the squared windows."""
    center, length, title = settings
    batch, count, _ = pieces._a.shape
    total = n_fft + hop * (count - 1)
    pieces = _call("mul", pieces, _call("view", weights, 1, 1, n_fft))
    signal = _call("unfold_backward", pieces, (batch, total), 1, n_fft, hop)
    squares = _call("expand", _call("pow_scalar", weights, 2), 1, count, n_fft)
    envelope = _call("unfold_backward", squares, (1, total), 1, n_fft, hop)
    start = n_fft // 2 if center else 0
    end = start + length if length is not None else total - n_fft // 2 if center else total
    signal = _call("slice", signal, 1, start, min(end, total), 1)
    envelope = _call("slice", envelope, 1, start, min(end, total), 1)
    if envelope._a.size and np.abs(envelope._a).min() < 1e-11:
        raise _refuse(f"{title} window overlap add min: 1")
    signal = _call("div", signal, envelope)
    if end <= total:
        return signal
    warn(_SHORT)
    return _call("constant_pad_nd", signal, (0, end - total), 0)


FUNCTIONS: dict[str, Callable[..., Any]] = {"stft": stft, "istft": istft}
"""Under ``torch`` and on Tensor."""
