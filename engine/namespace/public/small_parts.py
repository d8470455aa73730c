"""Single functions that files of repositories import: of ``torch._utils``, ``torch.testing``, ``torch.func``."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any, Final

import numpy as np

from gradflow.engine.namespace.functions.creation import as_size, finish
from gradflow.engine.namespace.random.creation import randint
from gradflow.engine.namespace.tensor_arguments import need, only_tensors
from gradflow.engine.registry import REGISTRY
from gradflow.engine.sandbox.gate import allow
from gradflow.engine.state import grad_mode, warn
from gradflow.engine.tensor import Tensor, dtypes
from gradflow.engine.tensor.device import require_cpu
from gradflow.engine.tensor.printing import get_printoptions, set_printoptions


def _flatten_dense_tensors(tensors: Sequence[Tensor]) -> Tensor:
    """All elements of several tensors, one after the other."""
    flat: Tensor = REGISTRY["cat"].call([each.contiguous().view(-1) for each in only_tensors(tensors)])
    return flat


def _unflatten_dense_tensors(flat: Any, tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Views of a flat tensor in the shapes of several others."""
    parts, start = [], 0
    need(flat, "unflatten_dense_tensors", "flat")
    for each in only_tensors(tensors, 1):
        parts.append(flat.narrow(0, start, each._a.size).view(each._a.shape))
        start += each._a.size
    return tuple(parts)


def functionalize(func: Callable[..., Any], *, remove: str = "mutations") -> Callable[..., Any]:
    """The function itself: writes in place are carried out, with the same results."""
    warn("torch.func.functionalize is not carried out: writes in place are run as they are written.", "Note", once=True)
    return func


def make_tensor(
    *shape: Any,
    dtype: dtypes.dtype,
    device: Any,
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
    memory_format: Any = None,
) -> Any:
    """A tensor of random numbers from ``low`` to below ``high``, by default from -9 to 9."""
    require_cpu(device)
    sizes = as_size(shape, "make_tensor")
    if requires_grad and dtype.numpy.kind not in "fc":
        raise ValueError(
            f"`requires_grad=True` is not supported for boolean and integral dtypes, but got dtype={dtype}"
        )
    apart = noncontiguous and math.prod(sizes) > 1
    drawn = (*sizes[:-1], 2 * sizes[-1]) if apart else sizes
    result: Any = _drawn(drawn, dtype, low, high)
    if apart:
        result = result[..., 1::2]
    elif memory_format is not None:
        result = result.clone(memory_format=memory_format)
    if exclude_zero:
        result[result == 0] = np.finfo(dtype.numpy).tiny if dtype.numpy.kind in "fc" else 1
    return finish(result, requires_grad)


def _drawn(sizes: tuple[int, ...], dtype: dtypes.dtype, low: float | None, high: float | None) -> Any:
    kind = dtype.numpy.kind
    if kind not in "fc":
        bounds = (0, 2) if kind == "b" else (0, 10) if kind == "u" else (-9, 10)
        first, end = (
            bound if given is None else math.ceil(given) for given, bound in zip((low, high), bounds, strict=True)
        )
        _check(first, end)
        return randint(first, end, sizes, dtype=dtype)
    start, stop = -9 if low is None else low, 9 if high is None else high
    _check(start, stop)
    with grad_mode(False):
        result: Any = Tensor(np.zeros(sizes, dtype.numpy))
        (REGISTRY["view_as_real"].call(result) if kind == "c" else result).uniform_(start, stop)
    return result


def _check(low: float, high: float) -> None:
    if low > high:
        raise ValueError(f"`low` must be less than `high`, but got {low} >= {high}")


_PRINTING: Final = ("precision", "threshold", "edgeitems", "linewidth", "sci_mode")


class PrintOptions:
    """What ``torch.set_printoptions`` has set, as ``torch._tensor_str`` shows it."""

    precision = property(lambda _: get_printoptions().precision)
    threshold = property(lambda _: get_printoptions().threshold)
    edgeitems = property(lambda _: get_printoptions().edgeitems)
    linewidth = property(lambda _: get_printoptions().linewidth)
    sci_mode = property(lambda _: get_printoptions().sci_mode)

    def __repr__(self) -> str:
        return repr(get_printoptions()).replace("PrintOptions", "__PrinterOptions", 1)


allow(PrintOptions, _PRINTING)


@contextmanager
def _printoptions(**options: Any) -> Iterator[None]:
    """``torch._tensor_str.printoptions``: other settings of printing within a block."""
    before = get_printoptions()
    set_printoptions(**options)
    try:
        yield
    finally:
        set_printoptions(**asdict(before))


def members() -> dict[str, dict[str, Any]]:
    """What the modules show, by their full names."""
    return {
        "torch._utils": {
            "_flatten_dense_tensors": _flatten_dense_tensors,
            "_unflatten_dense_tensors": _unflatten_dense_tensors,
        },
        "torch._tensor_str": {
            "PRINT_OPTS": PrintOptions(),
            "set_printoptions": set_printoptions,
            "get_printoptions": lambda: asdict(get_printoptions()),
            "printoptions": _printoptions,
        },
        "torch.func": {"functionalize": functionalize},
        "torch.testing": {"make_tensor": make_tensor},
    }
