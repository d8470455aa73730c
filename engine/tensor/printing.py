"""Tensors as text, as PyTorch 2.13 prints them. Works on plain NumPy arrays; a tensor passes what it knows of itself.

One `Formatter` is fitted to all elements that will be shown, so that every column has the same width; the nested rows
are laid out next, and the suffixes (dtype, grad_fn, ...) follow, on a new line where they would pass `linewidth`.
Reference: https://docs.pytorch.org/docs/2.13/generated/torch.set_printoptions.html
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

from gradflow.engine.tensor import dtypes

if TYPE_CHECKING:
    from gradflow.engine.tensor.tensor import Tensor

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
"""Elements of any dtype that a tensor can have."""

PREFIX = "tensor("


@dataclass(frozen=True, slots=True)
class PrintOptions:
    """What `torch.set_printoptions` sets. `sci_mode` None lets the values decide."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


PROFILES = {
    "default": PrintOptions(),
    "short": PrintOptions(precision=2, edgeitems=2),
    "full": PrintOptions(threshold=math.inf),
}

_options = PrintOptions()


def get_printoptions() -> PrintOptions:
    """The options in force."""
    return _options


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Change the options that are given. A profile is applied first; `sci_mode` is set by every call."""
    global _options
    base = _options if profile is None else PROFILES.get(profile, _options)
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    _options = replace(base, sci_mode=sci_mode, **{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type]


class Formatter(Protocol):
    """Writes one element; `width` is the room that a column needs."""

    width: int

    def __call__(self, value: Any) -> str: ...  # Any: an element of any dtype


class IntegerFormatter:
    """Integers and booleans, right-aligned."""

    def __init__(self, values: Array) -> None:
        self.width = max((len(str(value)) for value in values.ravel().tolist()), default=1)

    def __call__(self, value: Any) -> str:  # Any: bool or int
        return str(value).rjust(self.width)


class FloatFormatter:
    """Floats in one of three modes, chosen by the finite non-zero values.

    integer-like (`2.`) where all are whole, decimal (`2.5000`) otherwise, scientific (`2.5000e+10`) where they span
    more than a factor of 1000, or are large, or small with decimals.
    """

    def __init__(self, values: Array, options: PrintOptions) -> None:
        self.precision = options.precision
        self.whole, self.scientific, self.width = True, False, 1
        finite = np.ravel(values).astype(np.float64)
        finite = finite[np.isfinite(finite) & (finite != 0)]
        if not finite.size:
            return
        self.whole = bool(np.all(finite == np.ceil(finite)))
        self.scientific = self._spreads(np.abs(finite)) if options.sci_mode is None else options.sci_mode
        self.width = max(len(self._digits(value)) for value in finite.tolist())

    def _spreads(self, sizes: Array) -> bool:
        smallest, largest = float(sizes.min()), float(sizes.max())
        if largest / smallest > 1000 or largest > 1e8:
            return True
        return not self.whole and smallest < 1e-4

    def _digits(self, value: float) -> str:
        if self.scientific:
            return f"{value:.{self.precision}e}"
        if self.whole:
            text = f"{value:.0f}"
            return text + "." if math.isfinite(value) else text
        return f"{value:.{self.precision}f}"

    def __call__(self, value: float) -> str:
        return self._digits(value).rjust(self.width)


class ComplexFormatter:
    """Real and imaginary part, each with a format of its own."""

    def __init__(self, values: Array, options: PrintOptions) -> None:
        self.real = FloatFormatter(values.real, options)
        self.imag = FloatFormatter(values.imag, options)
        self.width = self.real.width + self.imag.width + 1

    def __call__(self, value: complex) -> str:
        imag = self.imag(value.imag).lstrip()
        sign = "" if imag.startswith("-") else "+"
        return f"{self.real(value.real)}{sign}{imag}j"


def _formatter(values: Array, options: PrintOptions) -> Formatter:
    if values.dtype.kind == "c":
        return ComplexFormatter(values, options)
    if values.dtype.kind in "fV":
        return FloatFormatter(values, options)
    return IntegerFormatter(values)


def _shown(array: Array, edge: int) -> Array:
    """The elements that a summary shows: the first and last `edge` along each dimension."""
    for axis, size in enumerate(array.shape):
        if size > 2 * edge:
            ends = [*range(edge), *range(size - edge, size)]
            array = np.take(array, ends, axis=axis)
    return array


@dataclass(frozen=True, slots=True)
class _Layout:
    """Lays out nested rows; `edge` is None where everything is shown."""

    formatter: Formatter
    edge: int | None
    linewidth: int

    def nested(self, array: Array, indent: int) -> str:
        if array.ndim == 0:
            return self.formatter(array.item())
        if array.ndim == 1:
            return self._row(array, indent)
        parts = [self.nested(part, indent + 1) if part is not None else "..." for part in self._parts(array)]
        return "[" + ("," + "\n" * (array.ndim - 1) + " " * (indent + 1)).join(parts) + "]"

    def _row(self, array: Array, indent: int) -> str:
        cells = [self.formatter(cell.item()) if cell is not None else " ..." for cell in self._parts(array)]
        per_line = max(1, (self.linewidth - indent) // (self.formatter.width + 2))
        lines = [", ".join(cells[start : start + per_line]) for start in range(0, len(cells), per_line)]
        return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"

    def _parts(self, array: Array) -> list[Array | None]:
        """The entries along the first dimension, None for those left out."""
        if self.edge is None or len(array) <= 2 * self.edge:
            return [array[i, ...] for i in range(len(array))]
        head = [array[i, ...] for i in range(self.edge)]
        tail = [array[i, ...] for i in range(len(array) - self.edge, len(array))]
        return [*head, None, *tail]


def _body(array: Array, options: PrintOptions, indent: int = len(PREFIX)) -> str:
    if not array.size:
        return "[]"
    edge = options.edgeitems if array.size > options.threshold else None
    shown = array if edge is None else _shown(array, edge)
    return _Layout(_formatter(shown, options), edge, options.linewidth).nested(array, indent)


def _shows_dtype(array: Array, dtype_default: bool, name: str) -> bool:
    if not array.size:  # nothing shows that it would be an integer
        return not (dtype_default and array.dtype.kind in "fV")
    return not dtype_default and name not in ("int64", "bool")


def _with_suffixes(text: str, suffixes: list[str], linewidth: int, *, on_new_line: bool = False) -> str:
    length = len(text) - text.rfind("\n") + 1
    for number, suffix in enumerate(suffixes):
        if length + len(suffix) + 2 > linewidth or (on_new_line and not number):
            text += ",\n" + " " * len(PREFIX) + suffix
            length = len(PREFIX) + len(suffix)
        else:
            text += ", " + suffix
            length += len(suffix) + 2
    return text + ")"


def tensor_repr(
    array: Array,
    *,
    dtype_default: bool,
    dtype_name: str,
    grad_fn: str | None,
    requires_grad: bool,
    suffix: str | None = None,
) -> str:
    """``tensor([[1., 2.]], dtype=torch.float64, grad_fn=<MmBackward0>)``.

    `dtype_default` says whether the dtype is the default for floats (or the complex one of the same precision);
    `dtype_name` is ``"float64"``, with or without ``torch.``; `grad_fn` the name without brackets.
    """
    name = dtype_name.removeprefix("torch.")
    suffixes = []
    if not array.size and array.ndim != 1:
        suffixes.append(f"size={array.shape}")
    if _shows_dtype(array, dtype_default, name):
        suffixes.append(f"dtype=torch.{name}")
    if grad_fn is not None:
        suffixes.append(f"grad_fn=<{grad_fn}>")
    elif requires_grad:
        suffixes.append("requires_grad=True")
    if suffix is not None:
        suffixes.append(suffix)
    return _with_suffixes(PREFIX + _body(array, _options), suffixes, _options.linewidth)


def sparse_repr(
    indices: Array,
    values: Array,
    size: tuple[int, ...],
    *,
    dtype_default: bool,
    dtype_name: str,
    grad_fn: str | None,
    requires_grad: bool,
) -> str:
    """A sparse tensor: its indices, its values, then size, number of entries and layout. Arguments as in `tensor_repr`."""
    suffixes = _sparse_suffixes(size, indices.shape[1], "" if dtype_default else dtype_name, "sparse_coo")
    if grad_fn is not None:
        suffixes.append(f"grad_fn=<{grad_fn}>")
    elif requires_grad:
        suffixes.append("requires_grad=True")
    return _sparse_body((("indices", indices), ("values", values)), suffixes, on_new_line=True)


def compressed_repr(
    crow: Array, columns: Array, values: Array, size: tuple[int, ...], *, dtype_default: bool, dtype_name: str
) -> str:
    """A sparse matrix in compressed rows. Arguments as in `sparse_repr`."""
    suffixes = _sparse_suffixes(size, len(columns), "" if dtype_default else dtype_name, "sparse_csr")
    return _sparse_body((("crow_indices", crow), ("col_indices", columns), ("values", values)), suffixes)


def _sparse_suffixes(size: tuple[int, ...], entries: int, dtype_name: str, layout: str) -> list[str]:
    shown = dtype_name if dtype_name.removeprefix("torch.") not in ("int64", "bool") else ""
    return [f"size={size}", f"nnz={entries}", *([f"dtype={shown}"] if shown else []), f"layout=torch.{layout}"]


def _sparse_body(arrays: Iterable[tuple[str, Array]], suffixes: list[str], *, on_new_line: bool = False) -> str:
    parts = []
    for title, array in arrays:
        start = f"{title}=tensor("
        text = _body(array, _options, len(PREFIX) + len(start))
        parts.append(start + text + ("" if array.size else f", size={tuple(array.shape)}") + ")")
    body = PREFIX + (",\n" + " " * len(PREFIX)).join(parts)
    return _with_suffixes(body, suffixes, _options.linewidth, on_new_line=on_new_line)


# -- tensors -----------------------------------------------------------------------------------------------------------


def tensor_text(tensor: Tensor, graph: bool = True, suffix: str | None = None, array: np.ndarray | None = None) -> str:
    """The plain text. ``graph``: with its ``grad_fn``; ``suffix``: what else stands behind the elements.

    ``array``: other elements in place of the tensor's own.
    """
    return tensor_repr(
        tensor._a if array is None else array,
        dtype_default=dtypes.is_default(tensor.dtype),
        dtype_name=repr(tensor.dtype),
        grad_fn=_grad_fn(tensor) if graph else None,
        requires_grad=graph and tensor.requires_grad,
        suffix=suffix,
    )


def _grad_fn(tensor: Tensor) -> str | None:
    try:
        grad_fn = tensor.grad_fn
    except RuntimeError:  # a view that may not be used any more can still be printed
        return "Invalid"
    return None if grad_fn is None else grad_fn.printed_name
