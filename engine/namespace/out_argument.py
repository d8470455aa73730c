"""``out=``: the result of a function written into a tensor that is given, by the rules of PyTorch.

A function that has no parameter ``out`` of its own computes as ever; what is asked, in this order, is whether a gradient
is wanted, whether the dtype fits, and whether the shape does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.autograd.inplace import refuse_overlap
from gradflow.engine.dispatch.operands import result_class
from gradflow.engine.namespace.functions.resizing import give_shape
from gradflow.engine.out_rules import CASTABLE, rule_of
from gradflow.engine.registry import REGISTRY
from gradflow.engine.state import STATE, warn
from gradflow.engine.tensor import Tensor, dtypes

_RESIZED = (
    "An output with one or more elements was resized since it had shape {own}, which does not match the required output "
    "shape {wanted}. This behavior is deprecated, and in a future PyTorch release outputs will not be resized unless "
    "they have zero elements. You can explicitly reuse an out tensor t by resizing it, inplace, to zero elements with "
    "t.resize_(0). (Triggered internally at /pytorch/aten/src/ATen/native/Resize.cpp:38.)"
)


def write_result(
    name: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any], out: Any
) -> Any:
    """Call a function and write what it returns into ``out``: a tensor, or a tuple of as many as there are results.

    Raises RuntimeError where a gradient is wanted, and where a dtype does not take the result.
    """
    outs = tuple(out) if isinstance(out, tuple | list) else (_as_tensor(out),)
    if name in ("max", "min") and len(args) > 1 and isinstance(args[1], Tensor):
        name += "imum"  # of two tensors, not along a dimension
    rule = rule_of(name)
    _refuse_gradients(rule.refusal(name), (*args, *kwargs.values(), *outs))
    if rule.dtype == CASTABLE:
        for each in args:
            refuse_overlap(outs[0], each)
    elif rule.apart is not None:
        _refuse_shared(outs[0], _tensors(args[rule.apart :]))
    if rule.takes_dtype and kwargs.get("dtype") is None:
        kwargs = {**kwargs, "dtype": outs[0].dtype}
    grad, STATE.grad = STATE.grad, False
    try:
        result = function(*args, **kwargs)
        results = (result,) if isinstance(result, Tensor) else tuple(result)
        if len(results) != len(outs):
            raise errors.OUT_COUNT(expected=len(results), actual=len(outs))
        for index, (each, target) in enumerate(zip(results, outs, strict=True)):
            _check_dtype(name, index, each, target, kwargs)
        for each, target in zip(results, outs, strict=True):
            _write(name, each, target)
    finally:
        STATE.grad = grad
    if isinstance(result, Tensor):
        return out
    fields = getattr(result, "_fields", None)
    return result_class(f"{type(result).__name__.rpartition('.')[2]}_out", tuple(fields))(*outs) if fields else outs


def _refuse_shared(out: Tensor, others: Iterator[Tensor]) -> None:
    """Raises RuntimeError where what is written shares memory with what is read."""
    if any(out._a.size and np.may_share_memory(out._a, other._a) for other in others):
        raise errors.PARTIAL_OVERLAP()


def _as_tensor(out: Any) -> Tensor:
    return out if isinstance(out, Tensor) else Tensor(np.asarray(out))


def with_out(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with a keyword ``out`` that it does not have itself."""

    def call(*args: Any, out: Any = None, **kwargs: Any) -> Any:
        return function(*args, **kwargs) if out is None else write_result(name, function, args, kwargs, out)

    call.__name__ = call.__qualname__ = getattr(function, "__name__", name)
    call.__doc__ = function.__doc__
    return call


def _refuse_gradients(title: str | None, given: tuple[Any, ...]) -> None:
    if title is not None and STATE.grad and any(t.requires_grad for t in _tensors(given)):
        raise errors.OUT_GRADIENT(function=title)


def _tensors(values: Any) -> Iterator[Tensor]:
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, tuple | list) and value and isinstance(value[0], Tensor):
            yield from _tensors(value)


def _check_dtype(name: str, index: int, result: Tensor, out: Tensor, kwargs: Mapping[str, Any]) -> None:
    if result._a.dtype == out._a.dtype:
        return
    rule = rule_of(name)
    if rule.dtype is None:
        return
    if rule.exact or dtypes.category(result._a) > dtypes.category(out._a):
        own, other = result.dtype, out.dtype
        texts = rule.dtype.split("|")
        raise errors.OUT_DTYPE(
            message=texts[min(index, len(texts) - 1)].format(
                name=name,
                R=own.legacy,
                O=other.legacy,
                r=dtypes.C_NAMES[own.name],
                o=dtypes.C_NAMES[other.name],
                flag=bool(kwargs.get("out_int32")),
            )
        )


def _write(name: str, result: Tensor, out: Tensor) -> None:
    if out._a.shape != result._a.shape:
        if out._a.size and not rule_of(name).silent:
            warn(_RESIZED.format(own=list(out._a.shape), wanted=list(result._a.shape)))
        give_shape(out, result._a.shape)
    copy = REGISTRY["copy"].call_inplace
    assert copy is not None
    copy(out, result)


_IN_TORCH = ("nonzero",)


def torch_with_out(table: Mapping[str, Any]) -> dict[str, Any]:
    """The few functions of ``torch`` itself that have no recorded signature, with ``out``."""
    return {**table, **{name: with_out(name, table[name]) for name in _IN_TORCH if name in table}}
