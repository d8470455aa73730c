"""``torch.testing``: `assert_close`, and what it says where two results are not close.

https://pytorch.org/docs/stable/testing.html
"""

from __future__ import annotations

import cmath
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from gradflow.engine.namespace.functions import creation
from gradflow.engine.registry import REGISTRY
from gradflow.engine.sandbox.stand_ins import Module
from gradflow.engine.tensor import Tensor, dtypes

_TOLERANCES: Final = {
    "float16": (1e-3, 1e-5), "bfloat16": (1.6e-2, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7), "complex64": (1.3e-6, 1e-5),
    "complex128": (1e-7, 1e-7),
}  # fmt: skip
_OF_NUMBERS: Final = {int: "int64", float: "float64", complex: "complex128"}
_LARGE: Final = float("inf")

Message = str | Callable[[str], str] | None
Settings = Mapping[str, Any]


class _Mismatch(Exception):
    """What differs: the type of the error, its text, and where in the nested inputs."""

    def __init__(self, cls: type[Exception], text: str, place: tuple[Any, ...]) -> None:
        super().__init__(text)
        self.kind, self.text, self.place = cls, text, place

    def error(self, message: Message) -> Exception:
        """The error for the program, in its own words where it has given them."""
        if isinstance(message, str):
            return self.kind(message)
        text = self.text
        if self.place:
            text += f"\n\nThe failure occurred for item {''.join(str([part]) for part in self.place)}"
        return self.kind(message(text) if callable(message) else text)


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: Message = None,
) -> None:
    """Nothing, where the inputs are close: tensors, numbers, or nested sequences and dictionaries of them.

    Raises AssertionError where they are not, with what differs; TypeError for what cannot be compared.
    """
    settings = {
        "subclasses": allow_subclasses,
        "rtol": rtol,
        "atol": atol,
        "equal_nan": equal_nan,
        "dtype": check_dtype,
        "stride": check_stride,
    }
    try:
        for compare in list(_pairs(actual, expected, (), settings)):
            compare()
    except _Mismatch as mismatch:
        raise mismatch.error(msg) from None


def _pairs(actual: Any, expected: Any, place: tuple[Any, ...], settings: Settings) -> Iterator[Callable[[], None]]:
    """A comparison for each pair of ends."""
    both = (actual, expected)
    if all(isinstance(each, Sequence) and not isinstance(each, str) for each in both):
        if len(actual) != len(expected):
            text = f"The length of the sequences mismatch: {len(actual)} != {len(expected)}"
            raise _Mismatch(AssertionError, text, place)
        for index, (first, second) in enumerate(zip(actual, expected, strict=True)):
            yield from _pairs(first, second, (*place, index), settings)
    elif all(isinstance(each, Mapping) for each in both):
        for key in _keys(actual, expected, place):
            yield from _pairs(actual[key], expected[key], (*place, key), settings)
    else:
        yield _pair(actual, expected, place, settings)


def _keys(actual: Mapping[Any, Any], expected: Mapping[Any, Any], place: tuple[Any, ...]) -> list[Any]:
    first, second = set(actual), set(expected)
    if first != second:
        raise _Mismatch(
            AssertionError,
            f"The keys of the mappings do not match:\nMissing keys in the actual mapping: {sorted(second - first)}\n"
            f"Additional keys in the actual mapping: {sorted(first - second)}",
            place,
        )
    try:
        return sorted(first)
    except TypeError:
        return list(actual)


def _pair(actual: Any, expected: Any, place: tuple[Any, ...], settings: Settings) -> Callable[[], None]:
    both = (actual, expected)
    if actual is None or expected is None:
        return lambda: _same(actual is expected, f"None mismatch: {actual} is not {expected}", place)
    if all(isinstance(each, bool | np.bool_) for each in both):
        return lambda: _same(actual is expected, f"Booleans mismatch: {actual} is not {expected}", place)
    if all(isinstance(each, int | float | complex) and not isinstance(each, bool) for each in both):
        return lambda: _compare_numbers(actual, expected, place, settings)
    related = isinstance(actual, type(expected)) or isinstance(expected, type(actual))
    if related and (settings["subclasses"] or type(actual) is type(expected)):
        tensors = [each if isinstance(each, Tensor) else _as_tensor(each) for each in both]
        if None not in tensors:
            return lambda: _compare_tensors(tensors[0], tensors[1], place, settings)
    text = f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}."
    raise _Mismatch(TypeError, text, place)


def _as_tensor(value: Any) -> Any:
    return creation.as_tensor(value) if isinstance(value, np.ndarray) else None


def _same(same: bool, text: str, place: tuple[Any, ...]) -> None:
    if not same:
        raise _Mismatch(AssertionError, text, place)


def _tolerances(names: Sequence[str], place: tuple[Any, ...], settings: Settings) -> tuple[float, float]:
    relative, absolute = settings["rtol"], settings["atol"]
    if (relative is None) != (absolute is None):
        missing = "rtol" if relative is None else "atol"
        text = f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {missing}."
        raise _Mismatch(ValueError, text, place)
    if relative is not None:
        return relative, absolute
    usual = [_TOLERANCES.get(name, (0.0, 0.0)) for name in names]
    return max(r for r, _ in usual), max(a for _, a in usual)


def _compare_numbers(actual: Any, expected: Any, place: tuple[Any, ...], settings: Settings) -> None:
    rtol, atol = _tolerances([_OF_NUMBERS[type(each)] for each in (actual, expected)], place, settings)
    if settings["dtype"] and type(actual) is not type(expected):
        text = f"The (d)types do not match: {type(actual)} != {type(expected)}."
        raise _Mismatch(AssertionError, text, place)
    if actual == expected or (settings["equal_nan"] and cmath.isnan(actual) and cmath.isnan(expected)):
        return
    away = abs(actual - expected)
    if not (cmath.isfinite(away) and away <= atol + rtol * abs(expected)):
        raise _Mismatch(AssertionError, _of_scalars(actual, expected, rtol, atol), place)


def _compare_tensors(actual: Tensor, expected: Tensor, place: tuple[Any, ...], settings: Settings) -> None:
    rtol, atol = _tolerances([actual.dtype.name, expected.dtype.name], place, settings)
    attributes: tuple[tuple[str, Any, Any, bool], ...] = (
        ("shape", actual.shape, expected.shape, True),
        ("stride()", actual.stride(), expected.stride(), settings["stride"]),
        ("dtype", actual.dtype, expected.dtype, settings["dtype"]),
    )
    for name, own, other, checked in attributes:
        if checked and own != other:
            text = f"The values for attribute '{name}' do not match: {own} != {other}."
            raise _Mismatch(AssertionError, text, place)
    dtype = dtypes.result_type(np.empty(1, actual._a.dtype), np.empty(1, expected._a.dtype))
    first, second = actual._a.astype(dtype), expected._a.astype(dtype)
    close = REGISTRY["isclose"].body(first, second, rtol, atol, settings["equal_nan"])
    if not np.all(close):
        tell: Callable[..., str] = _of_arrays(np.asarray(close)) if first.shape else _of_scalars
        given = (first, second) if first.shape else (first.item(), second.item())
        raise _Mismatch(AssertionError, tell(*given, rtol, atol), place)


def _of_scalars(actual: Any, expected: Any, rtol: float, atol: float) -> str:
    away = abs(actual - expected)
    parts = (("Absolute", away), ("Relative", _LARGE if expected == 0 else away / abs(expected)))
    return _text("Scalars", f"Expected {expected} but got {actual}.", parts, rtol, atol, "")


def _of_arrays(close: np.ndarray) -> Callable[..., str]:
    def text(actual: np.ndarray, expected: np.ndarray, rtol: float, atol: float) -> str:
        if actual.dtype.kind not in "fcV":
            actual, expected = actual.astype(np.int64), expected.astype(np.int64)
        with np.errstate(all="ignore"):
            away = np.where(close, 0, np.abs(actual - expected))
            share = np.where(close, 0, away / np.abs(expected))
        share = share.astype(np.float32) if actual.dtype.kind not in "fcV" else share
        wrong, size = int(close.size - close.sum()), close.size
        head = f"Mismatched elements: {wrong} / {size} ({wrong / size:.1%})"
        parts = (("absolute", _largest(away)), ("relative", _largest(share)))
        found = tuple((f"Greatest {name}", value) for name, (value, _) in parts)
        places = [place for _, (_, place) in parts]
        return _text("Tensor-likes", head, found, rtol, atol, *(f" at index {place}" for place in places))

    return text


def _largest(values: np.ndarray) -> tuple[Any, tuple[int, ...]]:
    flat = int(np.argmax(values))
    return values.reshape(-1)[flat].item(), tuple(int(i) for i in np.unravel_index(flat, values.shape))


def _text(what: str, head: str, parts: Sequence[tuple[str, Any]], rtol: float, atol: float, *places: str) -> str:
    exact = rtol == 0 and atol == 0
    lines = [f"{what} are not {'equal' if exact else 'close'}!", "", head]
    for index, ((name, value), limit) in enumerate(zip(parts, (atol, rtol), strict=True)):
        place = places[index] if index < len(places) else ""
        lines.append(f"{name} difference: {value}{place}" + ("" if exact else f" (up to {limit} allowed)"))
    return "\n".join(lines)


def module() -> Module:
    """``torch.testing``."""
    return Module("torch.testing", {"assert_close": assert_close})
