"""``clamp`` and its kin: which operation a call is, by the kinds of its bounds, and the dtype of its result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradflow.engine import errors
from gradflow.engine.numerics.checked_cast import checked_cast
from gradflow.engine.registry import REGISTRY
from gradflow.engine.tensor import Tensor, dtypes


def clamp(input: Tensor, min: Any = None, max: Any = None) -> Any:
    """Elements below ``min`` become ``min``, above ``max`` become ``max``."""
    return _clamp("clamp", input, {"min": min, "max": max}, in_place=False)


def clamp_(input: Tensor, min: Any = None, max: Any = None) -> Any:
    """`clamp` in place."""
    return _clamp("clamp", input, {"min": min, "max": max}, in_place=True)


def clamp_min(input: Tensor, min: Any) -> Any:
    """Elements below ``min`` become ``min``."""
    return _clamp("clamp_min", input, {"min": min}, in_place=False)


def clamp_min_(input: Tensor, min: Any) -> Any:
    """`clamp_min` in place."""
    return _clamp("clamp_min", input, {"min": min}, in_place=True)


def clamp_max(input: Tensor, max: Any) -> Any:
    """Elements above ``max`` become ``max``."""
    return _clamp("clamp_max", input, {"max": max}, in_place=False)


def clamp_max_(input: Tensor, max: Any) -> Any:
    """`clamp_max` in place."""
    return _clamp("clamp_max", input, {"max": max}, in_place=True)


def _clamp(name: str, input: Tensor, bounds: dict[str, Any], *, in_place: bool) -> Any:
    given = {side: bound for side, bound in bounds.items() if bound is not None}
    if not given:
        raise errors.CLAMP_BOUNDS()
    by_tensor = any(isinstance(bound, Tensor) for bound in given.values())
    if not by_tensor:
        input = _promoted(name, input, given, in_place)
        bounds = {side: _bound(bound, input) for side, bound in bounds.items()}
    op = REGISTRY[f"{name}_tensor" if by_tensor else f"{name}_scalar"]
    call = op.call_inplace if in_place else op.call
    assert call is not None
    return call(input, *bounds.values())


def _bound(bound: Any, input: Tensor) -> Any:
    """A bound that fits the dtype of the result. Raises RuntimeError for others."""
    if isinstance(bound, bool | int | float | complex):
        number = checked_cast(bound, input._a.dtype)
        if number.dtype.kind == "u":
            return number.item()
    return bound.real if isinstance(bound, complex) and input._a.dtype.kind != "c" else bound


def _promoted(name: str, input: Tensor, given: dict[str, Any], in_place: bool) -> Tensor:
    """The input in the dtype of the result. Raises where the result does not exist or cannot be written into it."""
    if not all(isinstance(bound, (bool, int, float, complex)) for bound in given.values()):
        return input  # what it is not is told by the operation
    dtype, own = dtypes.BY_NUMPY[dtypes.result_type(input._a, *given.values())], input.dtype
    if dtype.category == dtypes.COMPLEX and name == "clamp" and own.category == dtypes.FLOAT:
        if not any(isinstance(bound, complex) and bound.imag for bound in given.values()):
            return input
        raise errors.NUMBER_TOO_LARGE(dtype="double")
    if in_place and dtype.category > own.category:
        raise errors.RESULT_CAST(result=dtype.legacy, output=dtypes.C_NAMES[own.name], subject=input)
    if dtype.category == dtypes.COMPLEX:
        raise errors.COMPLEX_REFUSED(name="clamp", what="types")
    if dtype.category == dtypes.BOOL:
        side = "" if len(given) == 2 else f"_{next(iter(given))}"
        raise errors.NOT_IMPLEMENTED_DTYPE(name=f"clamp{side}_scalar_cpu", dtype="Bool")
    if dtype is own:
        return input
    converted: Tensor = REGISTRY["to_dtype"].call(input, dtype)
    return converted


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "clamp": clamp, "clamp_": clamp_, "clamp_min": clamp_min, "clamp_min_": clamp_min_, "clamp_max": clamp_max,
    "clamp_max_": clamp_max_,
}  # fmt: skip
