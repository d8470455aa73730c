"""Functions of elements that PyTorch chooses or composes of several operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.autograd.conj_neg_views import ConjView, NegView, lazy_view
from gradflow.engine.autograd.not_implemented import without_derivative
from gradflow.engine.namespace.functions import clamping
from gradflow.engine.namespace.functions.composite import pow
from gradflow.engine.out_rules import FOUND, UNASKED, OutRule, exactly, has_out
from gradflow.engine.registry import REGISTRY
from gradflow.engine.tensor import Tensor, dtypes


def _call(name: str, *args: Any, **kwargs: Any) -> Any:
    return REGISTRY[name].call(*args, **kwargs)


def _in_place(name: str, *args: Any, **kwargs: Any) -> Any:
    function = REGISTRY[name].call_inplace
    assert function is not None
    return function(*args, **kwargs)


Runner = Callable[..., Any]


# -- quotients and remainders ------------------------------------------------------------------------------------------


def _div(run: Runner, input: Any, other: Any, rounding_mode: Any) -> Any:
    if rounding_mode is None:
        return run("div", input, other)
    return run("div_rounded", input, other, rounding_mode=rounding_mode)


def div(input: Any, other: Any, *, rounding_mode: Any = None) -> Any:
    """input / other; rounded down (``floor``) or towards 0 (``trunc``)."""
    return _div(_call, input, other, rounding_mode)


def div_(input: Tensor, other: Any, *, rounding_mode: Any = None) -> Any:
    """`div` in place."""
    return _div(_in_place, input, other, rounding_mode)


@has_out(UNASKED)
def floor_divide(input: Any, other: Any) -> Any:
    """``input // other``: its result counts as requiring grad, but it has no derivative."""
    return _without_derivative("floor_divide", input, other)


def floor_divide_(input: Tensor, other: Any) -> Any:
    """`floor_divide` in place."""
    return _in_place("floor_divide_written", input, other)


def _without_derivative(name: str, input: Any, other: Any) -> Any:
    op = name if name in REGISTRY else f"{name}_base"
    return without_derivative(_call(op, input, other), name, (input, other), op)


def _by_kind(name: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """A function and its form in place that differ for a tensor and for a number as second operand."""

    def choose(input: Any, other: Any) -> Any:
        return _call(f"{name}_tensor" if isinstance(other, Tensor) else f"{name}_scalar", input, other)

    def choose_in_place(input: Tensor, other: Any) -> Any:
        return _in_place(f"{name}_tensor" if isinstance(other, Tensor) else f"{name}_scalar", input, other)

    choose.__doc__ = REGISTRY[f"{name}_tensor"].doc
    choose_in_place.__doc__ = f"`{name}` in place."
    return choose, choose_in_place


fmod, fmod_ = _by_kind("fmod")
copysign, copysign_ = _by_kind("copysign")
_remainder, remainder_ = _by_kind("remainder")


def remainder(input: Any, other: Any) -> Any:
    """What is left of input / other rounded down; has the sign of ``other``."""
    return _remainder(input, other) if isinstance(input, Tensor) else _without_derivative("remainder", input, other)


def rsub(input: Tensor, other: Any, *, alpha: Any = 1) -> Any:
    """other - alpha * input."""
    return _call("rsub_tensor" if isinstance(other, Tensor) else "rsub_scalar", input, other, alpha=alpha)


# -- powers ------------------------------------------------------------------------------------------------------------


@has_out(OutRule(gradient="pow"))
def square(input: Tensor) -> Any:
    """``input ** 2``."""
    return _call("pow_scalar", input, 2)


def square_(input: Tensor) -> Any:
    """`square` in place."""
    return _in_place("pow_scalar", input, 2)


def _double(value: Any) -> Any:
    if not isinstance(value, Tensor):
        return value
    wanted = dtypes.complex128 if value._a.dtype.kind == "c" else dtypes.float64
    return value if value.dtype is wanted else _call("to_dtype", value, wanted)


def float_power_(input: Tensor, exponent: Any) -> Any:
    """`float_power` in place."""
    power = np.asarray(exponent._a if isinstance(exponent, Tensor) else exponent)
    of_complex = "c" in input._a.dtype.kind + power.dtype.kind
    wanted = dtypes.complex128 if of_complex else dtypes.float64
    if input.dtype is not wanted:
        raise errors.FLOAT_POWER_DTYPE(dtype=input.dtype.legacy, wanted=wanted.legacy)
    return _in_place("pow_tensor" if isinstance(exponent, Tensor) else "pow_scalar", input, _double(exponent))


@has_out(
    OutRule("the output given to {name} has dtype {O} but the operation's result requires dtype {R}", gradient="pow")
)
def float_power(input: Any, exponent: Any) -> Any:
    """``input ** exponent`` in double precision."""
    power = _double(exponent)  # which PyTorch converts first
    return pow(_double(input), power)


def _compared_in_place(name: str) -> Callable[..., Any]:
    def write(input: Tensor, other: Any) -> Any:
        return _in_place(f"{name}_{'tensor' if isinstance(other, Tensor) else 'scalar'}_written", input, other)

    write.__name__, write.__doc__ = f"{name}_", f"`{name}` in place."
    return write


_COMPARISONS = {f"{name}_": _compared_in_place(name) for name in ("eq", "ne", "lt", "le", "gt", "ge")}
_COMPARISONS |= {
    f"{long}_": _COMPARISONS[f"{short}_"]
    for long, short in {
        "not_equal": "ne",
        "less": "lt",
        "less_equal": "le",
        "greater": "gt",
        "greater_equal": "ge",
    }.items()
}


def heaviside_(input: Tensor, values: Tensor) -> Any:
    """`heaviside` in place."""
    return _in_place("heaviside_written", input, values)


def __rdiv__(self: Tensor, other: Any) -> Any:
    """other / self."""
    return _call("mul", _call("reciprocal", self), other)


# -- between two tensors -----------------------------------------------------------------------------------------------


def lerp(input: Tensor, end: Tensor, weight: Any) -> Any:
    """input + weight * (end - input)."""
    return _call("lerp_tensor" if isinstance(weight, Tensor) else "lerp_scalar", input, end, weight)


def lerp_(input: Tensor, end: Tensor, weight: Any) -> Any:
    """`lerp` in place."""
    return _in_place("lerp_tensor" if isinstance(weight, Tensor) else "lerp_scalar", input, end, weight)


# -- rounding ----------------------------------------------------------------------------------------------------------


@has_out(exactly(FOUND))
def round(input: Tensor, *, decimals: int | None = None) -> Any:
    """The nearest whole number (halves go to the even one), or so many decimals."""
    return _call("round_decimals", input, decimals) if decimals is not None else _call("round_whole", input)


def round_(input: Tensor, *, decimals: int | None = None) -> Any:
    """`round` in place."""
    return _in_place("round_decimals", input, decimals) if decimals is not None else _in_place("round_whole", input)


def abs_(input: Tensor) -> Any:
    """`abs` in place."""
    if input._a.dtype.kind == "c":
        raise errors.ABS_IN_PLACE()
    return _in_place("abs", input)


def positive(input: Tensor) -> Tensor:
    """The tensor itself."""
    if input._a.dtype == np.bool_:
        raise errors.BOOL_POSITIVE(subject=input)
    return input


# -- complex numbers ---------------------------------------------------------------------------------------------------


def real(input: Tensor) -> Any:
    """The real part, as a view; a real tensor itself."""
    if input._a.dtype.kind != "c":
        return input
    plain = lazy_view(input, Tensor) if isinstance(input, ConjView) else input
    return _call("select", _call("view_as_real", plain), -1, 0)


def imag(input: Tensor) -> Any:
    """The imaginary part, as a view. Raises RuntimeError for a real tensor."""
    if input._a.dtype.kind != "c":
        raise errors.IMAG_OF_REAL(subject=input)
    if not isinstance(input, ConjView):
        return _call("select", _call("view_as_real", input), -1, 1)
    parts = _call("view_as_real", lazy_view(input, Tensor))
    return _call("select", lazy_view(parts, NegView), -1, 1)


def conj(input: Tensor) -> Any:
    """The complex conjugate, as a view; a real tensor itself."""
    if input._a.dtype.kind != "c":
        return input
    return lazy_view(input, Tensor if isinstance(input, ConjView) else ConjView)


@has_out(exactly(FOUND, gradient=None))
def conj_physical(input: Tensor) -> Any:
    """The complex conjugate; a real tensor itself."""
    return _call("conj_physical", input) if input._a.dtype.kind == "c" else input


def resolve_conj(input: Tensor) -> Any:
    """The tensor itself, or a copy of a view that shows conjugates."""
    return _call("clone", input) if isinstance(input, ConjView) else input


def resolve_neg(input: Tensor) -> Any:
    """The tensor itself, or a copy of a view that shows negatives."""
    return _call("clone", input) if isinstance(input, NegView) else input


def _in_place_of(name: str, title: str) -> Callable[..., Any]:
    def write(input: Tensor) -> Any:
        return _in_place(name, input)

    write.__name__, write.__doc__ = f"{title}_", f"`{title}` in place."
    return write


def conj_physical_(input: Tensor) -> Any:
    """`conj_physical` in place."""
    return _in_place("conj_written", input)


asinh_, acosh_, atanh_ = (_in_place_of(f"{name}_written", name) for name in ("asinh", "acosh", "atanh"))


# -- dtypes ------------------------------------------------------------------------------------------------------------


def is_complex(input: Tensor) -> bool:
    """Whether the elements are complex numbers."""
    return input.is_complex()


def is_signed(input: Tensor) -> bool:
    """Whether the elements can be negative."""
    return input._a.dtype.kind in "ifc"


def is_nonzero(input: Tensor) -> bool:
    """Whether the only element is not 0."""
    return bool(input)


def is_conj(input: Tensor) -> bool:
    """Whether the tensor is a view that shows the conjugates of what lies in memory."""
    return isinstance(input, ConjView)


def is_neg(input: Tensor) -> bool:
    """Whether the tensor is a view that shows the negatives of what lies in memory."""
    return isinstance(input, NegView)


def result_type(input: Any, other: Any) -> dtypes.dtype:
    """The dtype that two operands are brought to."""
    arrays = [o._a if isinstance(o, Tensor) else o for o in (input, other)]
    return dtypes.BY_NUMPY[dtypes.result_type(*arrays)]


def promote_types(type1: dtypes.dtype, type2: dtypes.dtype) -> dtypes.dtype:
    """The smallest dtype that holds both."""
    return dtypes.BY_NUMPY[dtypes.result_type(*[np.empty(1, t.numpy) for t in (type1, type2)])]


def can_cast(from_: dtypes.dtype, to: dtypes.dtype) -> bool:
    """Whether a result of one dtype can be written into a tensor of another."""
    signed = not (to.name == "uint8" and from_.numpy.kind == "i")
    return from_.category <= to.category and signed


# -- tests -------------------------------------------------------------------------------------------------------------


def isclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """Where |input - other| <= atol + rtol * |other|."""
    if input._a.dtype != other._a.dtype:
        raise errors.CLOSE_DTYPES(first=input.dtype.legacy, second=other.dtype.legacy)
    for name, value in (("rtol", rtol), ("atol", atol)):
        if value < 0:
            raise errors.CLOSE_TOLERANCE(name=name, value=value)
    result: Tensor = _call("isclose", input, other, rtol, atol, equal_nan)
    return result


def allclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Whether all elements are close: |input - other| <= atol + rtol * |other|."""
    return bool(isclose(input, other, rtol, atol, equal_nan)._a.all())


# -- special functions -------------------------------------------------------------------------------------------------


def polygamma(n: int, input: Tensor) -> Any:
    """The n-th derivative of digamma."""
    return _call("polygamma", input, n)


def polygamma_(input: Tensor, n: int) -> Any:
    """`polygamma` in place."""
    return _in_place("polygamma_written", input, n)


_SHARED = (
    "div", "floor_divide", "fmod", "copysign", "remainder", "square", "float_power", "lerp", "round", "positive",
    "is_signed", "is_nonzero", "is_conj", "is_neg", "conj", "conj_physical", "resolve_conj", "resolve_neg", "isclose", "allclose",
)  # fmt: skip
_WRITING = (
    "div_", "fmod_", "copysign_", "remainder_", "square_", "lerp_", "round_", "conj_physical_", "floor_divide_", "polygamma_", "float_power_", "heaviside_", "__rdiv__",
    "asinh_", "acosh_", "atanh_", "abs_",
)  # fmt: skip
_TABLE = globals()

ALIASES = {
    "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh",
    "arctan2": "atan2", "fix": "trunc", "true_divide": "div", "divide": "div", "clip": "clamp",
}  # fmt: skip
"""Other names of functions and methods, and of their forms in place."""

FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: _TABLE[name] for name in _SHARED},
    "is_complex": is_complex,
    "result_type": result_type,
    "promote_types": promote_types,
    "can_cast": can_cast,
    "polygamma": polygamma,
    "rsub": rsub,
    "real": real,
    "imag": imag,
    **{name: _TABLE[name] for name in ("square_", "acosh_", "asinh_", "atanh_", "round_", "conj_physical_", "abs_")},
}
"""Under ``torch``."""

METHODS: dict[str, Callable[..., Any]] = {
    **{name: _TABLE[name] for name in (*_SHARED, *_WRITING)},
    **_COMPARISONS,
    **clamping.FUNCTIONS,
}
"""On Tensor."""
