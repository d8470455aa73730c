"""Statistics as functions and methods, as PyTorch composes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.dispatch.operands import spread
from gradflow.engine.namespace.functions import clamping, composite, counting, elementwise, quantiles
from gradflow.engine.namespace.tensor import indexing
from gradflow.engine.out_rules import EXPECTED, SCALAR_TYPE, OutRule, exactly, has_out
from gradflow.engine.registry import REGISTRY
from gradflow.engine.state import warn
from gradflow.engine.tensor import Tensor, check_dim, dtypes


def _call(name: str, *args: Any, **kwargs: Any) -> Any:
    return REGISTRY[name].call(*args, **kwargs)


# -- spread ------------------------------------------------------------------------------------------------------------


_ALONE = (
    "{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor (input numel "
    "divided by output numel). (Triggered internally at /__w/pytorch/pytorch/aten/src/ATen/native/ReduceOps.cpp:1861.)"
)


def _spread(name: str) -> Callable[..., Any]:
    def function(
        input: Tensor, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None
    ) -> Any:
        if isinstance(dim, bool):  # std(input, unbiased)
            dim, unbiased = None, dim
        if correction is None:
            correction = 1 if unbiased is None else int(unbiased)
        result = _call(name, input, dim, correction, keepdim)
        first = result[0] if isinstance(result, tuple) else result
        if (input._a.size // first._a.size if first._a.size else 0) <= correction:
            warn(_ALONE.format(name=name))
        return tuple(result) if isinstance(result, tuple) else result

    function.__name__, function.__doc__ = name, REGISTRY[name].doc
    return function


std, var, std_mean, var_mean = (_spread(name) for name in ("std", "var", "std_mean", "var_mean"))


def cov(input: Tensor, *, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Any:
    """The covariances of variables in rows, from observations in columns."""
    if input._a.ndim > 2:
        raise errors.COVARIANCE_DIMENSIONS(name="cov", ndim=input._a.ndim)
    if input._a.dtype == np.bool_:
        raise errors.COVARIANCE_BOOL()
    rows = input if input._a.ndim == 2 else _call("view", input, 1, -1)
    weights, count = _weights(rows, fweights, aweights), rows._a.shape[1]
    total: Any = count if weights is None else _call("sum_all", weights)
    if weights is not None and not total._a:
        raise errors.COVARIANCE_WEIGHTS(problem="weights sum to zero, can't be normalized")
    mean = _call("sum_dim", rows if weights is None else rows * weights, 1) / total
    if weights is None or aweights is None or not correction:
        divisor: Any = total - correction
    else:
        divisor = total - correction * _call("sum_all", weights * aweights) / total
    if (divisor._a if isinstance(divisor, Tensor) else divisor) <= 0:
        warn(_FREEDOM)
        divisor = divisor * 0
    apart = rows - _call("unsqueeze", mean, 1)
    weighted = apart if weights is None else apart * weights
    return _call("squeeze_all", _call("mm", apart, _call("t", elementwise.conj(weighted))) / divisor)


_FREEDOM = (
    "cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations. "
    "(Triggered internally at /__w/pytorch/pytorch/aten/src/ATen/native/Correlation.cpp:129.)"
)


def _weights(rows: Tensor, frequencies: Any, importances: Any) -> Any:
    for name, kinds, weights in (("fweights", "iu", frequencies), ("aweights", "f", importances)):
        if weights is not None:
            _check_weights(name, kinds, weights, rows._a.shape[1])
    if frequencies is None:
        return importances
    return frequencies if importances is None else frequencies * importances


def _check_weights(name: str, kinds: str, weights: Tensor, count: int) -> None:
    """Raises RuntimeError for weights that are not one for each observation, of their kind, and positive or 0."""
    values, problem = weights._a, ""
    if values.ndim > 1:
        problem = f"expected {name} to have one or fewer dimensions but got {name} with {values.ndim} dimensions"
    elif values.dtype.kind not in kinds:
        wanted = "integral" if kinds == "iu" else "floating point"
        problem = f"expected {name} to have {wanted} dtype but got {name} with {weights.dtype.legacy} dtype"
    elif values.size != count:
        same = f"expected {name} to have the same numel as there are observations in the input"
        problem = f"{same} but got {values.size} != {count}"
    elif count and values.min() < 0:
        problem = f"{name} cannot be negative"
    if problem:
        raise errors.COVARIANCE_WEIGHTS(problem=problem)


def corrcoef(input: Tensor) -> Any:
    """The correlation coefficients of variables in rows."""
    if input._a.ndim > 2:
        raise errors.COVARIANCE_DIMENSIONS(name="corrcoef", ndim=input._a.ndim)
    c = cov(input)
    if not c._a.ndim:
        return c / c
    complex_ = c._a.dtype.kind == "c"
    spread = _call("diagonal", c)
    deviation = _call("sqrt", elementwise.real(spread) if complex_ else spread)
    scaled = c / _call("view", deviation, -1, 1) / _call("view", deviation, 1, -1)
    if not complex_:
        return clamping.clamp(scaled, -1, 1)
    return _call("complex", *(clamping.clamp(part(scaled), -1, 1) for part in (elementwise.real, elementwise.imag)))


# -- choices -----------------------------------------------------------------------------------------------------------


def _choice(name: str) -> Callable[..., Any]:
    @has_out(exactly(EXPECTED, apart=0), name)
    def function(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
        return _call(f"{name}_all", input) if dim is None else _call(f"{name}_dim", input, dim, keepdim)

    function.__name__, function.__doc__ = name, REGISTRY[f"{name}_all"].doc
    return function


median, nanmedian = _choice("median"), _choice("nanmedian")


@has_out(exactly(EXPECTED))
def aminmax(input: Tensor, *, dim: Any = None, keepdim: bool = False) -> Any:
    """The smallest and the largest element, of all or along a dimension."""
    return _call("aminmax", input, dim, keepdim)


# -- sums --------------------------------------------------------------------------------------------------------------


@has_out(exactly(EXPECTED, takes_dtype=True))
def nansum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The sum of all elements that are not NaN."""
    return _call("nansum", input, dim, keepdim, dtype)


@has_out(OutRule(gradient="nansum"))
def nanmean(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The mean of all elements that are not NaN."""
    if input._a.dtype.kind not in "fcV":
        raise errors.NANMEAN_DTYPE(dtype=input.dtype.legacy)
    if dtype is not None and dtype.category < dtypes.FLOAT:
        raise errors.DTYPE_CHOSEN(name="nanmean", dtype=dtype.legacy)
    present = _call("logical_not", _call("isnan", input))
    return nansum(input, dim, keepdim, dtype=dtype) / composite.sum(present, dim, keepdim)


def count_nonzero(input: Tensor, dim: Any = None) -> Any:
    """The number of elements that are not zero."""
    return _call("count_nonzero", input, dim)


@has_out(exactly(SCALAR_TYPE, gradient=None))
def diff(input: Tensor, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """The n-th differences of neighbours along a dimension."""
    if not input._a.ndim:
        raise errors.DIFF_DIMENSIONS()
    if n < 0:
        raise errors.DIFF_ORDER(n=n)
    if n == 0:
        copied = Tensor(np.zeros_like(input._a))
        indexing.copy_into(copied, input)
        return copied
    parts = [part for part in (prepend, input, append) if part is not None]
    result = _call("cat", parts, dim) if len(parts) > 1 else input
    for _ in range(min(n, result._a.shape[check_dim(dim, input._a.ndim)])):
        length = result._a.shape[check_dim(dim, input._a.ndim)]
        if result._a.dtype.kind == "b":
            result = _call(
                "logical_xor",
                composite.narrow(result, dim, 1, length - 1),
                composite.narrow(result, dim, 0, length - 1),
            )
        else:
            earlier = composite.narrow(result, dim, 0, length - 1)  # PyTorch evaluates the right operand first
            result = composite.narrow(result, dim, 1, length - 1) - earlier
    return result


def dist(input: Tensor, other: Tensor, p: float = 2) -> Any:
    """The p-norm of the difference."""
    dtype = dtypes.result_type(input._a, other._a)
    if dtype.kind in "iu" and np.bool_ not in (input._a.dtype, other._a.dtype):
        raise errors.DIST_DTYPE(dtype=dtypes.BY_NUMPY[dtype].legacy)
    return _call("dist", input, other, p)


def _neighbours(y: Tensor, dim: int) -> Any:
    axis = check_dim(dim, y._a.ndim)
    length = y._a.shape[axis]
    left = composite.narrow(y, axis, 0, max(length - 1, 0))
    return left + composite.narrow(y, axis, 1, max(length - 1, 0))


def _steps(x: Tensor, y: Tensor, dim: int) -> Any:
    """The widths of the intervals, broadcast against the ordinates."""
    if x._a.ndim == 1:
        if len(x._a) != y._a.shape[dim]:
            raise errors.TRAPEZOID_POINTS()
        shape = [1] * y._a.ndim
        shape[check_dim(dim, y._a.ndim)] = len(x._a)
        x = _call("view", x, *shape)
    elif x._a.ndim < y._a.ndim:
        x = _call("view", x, *([1] * (y._a.ndim - x._a.ndim)), *x._a.shape)
    return diff(x, 1, dim)


def _areas(y: Tensor, x: Tensor, dim: int) -> Any:
    """Twice the area over each interval."""
    widths = _steps(x, y, dim)
    return _neighbours(y, dim) * widths


def _refuse_bool(name: str, y: Tensor, x: Any) -> None:
    given = [each for each in (y, x) if isinstance(each, Tensor)]
    if any(each._a.dtype == np.bool_ for each in given):
        raise errors.TRAPEZOID_BOOL(name=name, which="`x` or `y`" if len(given) > 1 else "`y`")


def trapezoid(y: Tensor, x: Any = None, *, dx: float = 1, dim: int = -1) -> Any:
    """The integral by the trapezoidal rule, over points ``x`` or points ``dx`` apart."""
    if not y._a.ndim:
        raise errors.DIM_OF_SCALAR(dim=dim)
    if not y._a.shape[check_dim(dim, y._a.ndim)]:
        return Tensor(y._a.sum(axis=dim))
    _refuse_bool("trapezoid", y, x)
    if isinstance(x, Tensor):
        return _call("div_scalar", _call("sum_dim", _areas(y, x, dim), dim), 2.0)
    last = _call("select", y, dim, -1)
    ends = _call("mul_scalar", _call("select", y, dim, 0) + last, 0.5)
    return _call("mul_scalar", _call("sum_dim", y, dim) - ends, dx if x is None else x)


def cumulative_trapezoid(y: Tensor, x: Any = None, *, dx: float = 1, dim: int = -1) -> Any:
    """The running integral by the trapezoidal rule."""
    if not y._a.ndim:
        raise errors.CUT_RANGE(message="slice() cannot be applied to a 0-dim tensor.")
    _refuse_bool("cumulative_trapezoid", y, x)
    if isinstance(x, Tensor):
        return _call("div_scalar", _call("cumsum", _areas(y, x, dim), dim), 2.0)
    return _call("cumsum", _call("mul_scalar", _neighbours(y, dim), 0.5 * (dx if x is None else x)), dim)


_TABLE = globals()
_BOTH = (
    "std",
    "var",
    "median",
    "nanmedian",
    "aminmax",
    "nansum",
    "nanmean",
    "count_nonzero",
    "diff",
    "dist",
    "cov",
    "corrcoef",
)
_IN_TORCH = ("std_mean", "var_mean", "trapezoid", "cumulative_trapezoid")

FUNCTIONS: dict[str, Callable[..., Any]] = {name: _TABLE[name] for name in (*_BOTH, *_IN_TORCH)} | {"trapz": trapezoid}
FUNCTIONS |= {"mode": REGISTRY["mode"].call, **counting.FUNCTIONS, **quantiles.FUNCTIONS}
"""Under ``torch``."""


def sum_to_size(input: Tensor, *size: Any) -> Tensor:
    """The sum over every dimension that was broadcast from ``size``."""
    wanted = spread(size, REGISTRY["sum_to_size"], "size")
    lead = input._a.ndim - len(wanted)
    summed = [
        *range(lead),
        *(i for i in range(max(lead, 0), input._a.ndim) if wanted[i - lead] == 1 != input._a.shape[i]),
    ]
    if lead < 0 or any(n not in (1, m) for n, m in zip(wanted, input._a.shape[lead:], strict=True)):
        raise errors.SUM_TO_SIZE(size=list(wanted), shape=list(input._a.shape))
    if not wanted:
        return REGISTRY["sum_all"].call(input)
    result = REGISTRY["sum_dim"].call(input, summed, True) if summed else input
    viewed: Tensor = REGISTRY["view"].call(result, *wanted) if lead else result
    return viewed


METHODS: dict[str, Callable[..., Any]] = {name: _TABLE[name] for name in _BOTH} | {
    "mode": REGISTRY["mode"].call,
    "sum_to_size": sum_to_size,
    **counting.METHODS,
    **quantiles.FUNCTIONS,
}
"""On Tensor."""
