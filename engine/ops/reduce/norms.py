"""Norms of vectors: of all elements, or along dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics.sums import euclidean_norm, sum_in_order
from gradflow.engine.ops.reduce.axes import axes
from gradflow.engine.ops.reduce.reductions import DISTINCT, V
from gradflow.engine.registry import REGISTRY, Array, Dims, Gradient, helper, op
from gradflow.engine.tensor import Tensor


def _norm(gradient: Gradient, samples: Any, order: float | None = None) -> dict[str, Any]:
    return {
        "torch": "linalg.vector_norm",
        "adapt": None if order is None else lambda norm, input, *settings: norm(input, order, *settings),
        "gradients": {"input": gradient},
        "grad_fn": "LinalgVectorNormBackward0",
        "symbol": "‖x‖",
        "functions": (),
        "methods": (),
        "latex": r"\left\lVert ⟨0⟩ \right\rVert",
        "samples": samples,
    }


def _sizes(input: np.ndarray, dim: Any, keepdim: bool, order: float = 2.0) -> tuple[np.ndarray, dict[str, Any]]:
    """Absolute values, and over what to reduce. Raises RuntimeError for a norm that nothing has."""
    if not input.size and (order < 0 or np.isinf(order)):
        _refuse_empty(input.shape, dim, order)
    size = np.hypot(input.real, input.imag) if input.dtype.kind == "c" else np.abs(input)
    return size, {"axis": axes(dim, input.ndim), "keepdims": keepdim}


def _refuse_empty(shape: tuple[int, ...], dim: Any, order: float) -> None:
    """Raises RuntimeError where a line of no elements is to have a largest or smallest one."""
    if dim is None or dim == () or dim == []:
        raise errors.NORM_EMPTY(order=f"{order:g}", where="an empty tensor because the")
    for each in dim if isinstance(dim, tuple | list) else (dim,):
        if shape and not shape[each]:
            where = f"the dimension {each}because this dimension is empty and the"
            raise errors.NORM_EMPTY(order=f"{order:g}", where=where)


@op(
    **_norm(
        "restored(g, input.shape, dim, keepdim) * masked_fill(input / restored(out, input.shape, dim, keepdim),"
        " restored(out, input.shape, dim, keepdim) == 0, 0.0)",
        ((V,), (V, 0), (V, 1, True)),
        2,
    )
)
def norm_two(input: Array, dim: Dims = None, keepdim=False):
    """The Euclidean norm; its gradient at zero is zero."""
    size, options = _sizes(input, dim, keepdim)
    return euclidean_norm(size, **options)


@op(**_norm("sgn(input) * restored(g, input.shape, dim, keepdim)", ((V,), (V, 0)), 1), saves=("out",))
def norm_one(input: Array, dim: Dims = None, keepdim=False):
    """The sum of absolute values."""
    size, options = _sizes(input, dim, keepdim)
    return sum_in_order(size, **options)


@op(
    **_norm(
        (
            "sgn(input) * (spread(g, input.shape, dim, keepdim) * even_share(abs(input), out, dim, keepdim))",
            "sgn(input) * shared_along(restored(g, input.shape, dim, keepdim),"
            " even_mask(abs(input), out, dim, keepdim), dim)",
        ),
        ((DISTINCT,), (V, 0), (DISTINCT, -1, True)),
        np.inf,
    )
)
def norm_max(input: Array, dim: Dims = None, keepdim=False):
    """The largest absolute value; equal ones share the gradient evenly."""
    size, options = _sizes(input, dim, keepdim, np.inf)
    return size.max(**options)


@op(
    **_norm(
        (
            "sgn(input) * (spread(g, input.shape, dim, keepdim) * even_share(abs(input), out, dim, keepdim))",
            "sgn(input) * shared_along(restored(g, input.shape, dim, keepdim),"
            " even_mask(abs(input), out, dim, keepdim), dim)",
        ),
        ((DISTINCT,), (V, 0), (DISTINCT, -1, True)),
        -np.inf,
    )
)
def norm_min(input: Array, dim: Dims = None, keepdim=False):
    """The smallest absolute value; equal ones share the gradient evenly."""
    size, options = _sizes(input, dim, keepdim, -np.inf)
    return size.min(**options)


@op(**_norm("None", ((V,), (V, 0)), 0), saves=("input", "out"))
def norm_count(input: Array, dim: Dims = None, keepdim=False):
    """The number of elements that are not zero."""
    size, options = _sizes(input, dim, keepdim)
    return (size != 0).sum(**options).astype(size.dtype)


@helper()
def norm_pieces(g, input, out, order):
    """The gradient of a norm of another order than 1 and 2, for order 2 and above without a sign."""
    call = {name: REGISTRY[name].call for name in ("masked_fill", "pow_scalar", "mul", "div", "abs", "sgn")}
    if order < 1:
        size = call["masked_fill"](call["pow_scalar"](call["abs"](input), order - 1), _where_zero(input), 0.0)
        signed = call["mul"](call["sgn"](input), size)
        scale = call["pow_scalar"](out, 1 - order)
        return call["mul"](call["mul"](signed, g), scale)
    size = call["pow_scalar"](call["abs"](input), order - (1 if order < 2 else 2))
    own = call["mul"](call["sgn"](input) if order < 2 else input, size)
    scale = call["div"](g, call["pow_scalar"](out, order - 1))
    return call["mul"](own, call["masked_fill"](scale, _where_zero(out), 0.0))


def _where_zero(tensor: Tensor) -> Tensor:
    return Tensor(np.asarray(tensor._a == 0))


@op(
    **_norm(
        (
            "where(input == 0, 0.0, sgn(input) * pow_scalar(abs(input), ord - 1))"
            " * spread(where(out == 0, 0.0, g / pow_scalar(out, ord - 1)), input.shape, dim, keepdim)",
            "norm_pieces(restored(g, input.shape, dim, keepdim), input, restored(out, input.shape, dim, keepdim), ord)",
        ),
        ((V, 3), (V, 1.5, 0), (V, 0.5, 1, True)),
    )
)
def norm_power(input: Array, ord, dim: Dims = None, keepdim=False):
    """(sum |x| ** ord) ** (1 / ord); its gradient at zero is zero."""
    size, options = _sizes(input, dim, keepdim, ord)
    root = size.dtype.type(1 / ord)
    return _power(sum_in_order(_power(size, ord), **options), root)


def _power(base: Any, exponent: float) -> Any:
    """The power of float32 numbers, computed in double precision, of others in their own."""
    if base.dtype != np.float32:
        return np.power(base, exponent)
    return np.power(base, exponent, dtype=np.float64).astype(np.float32)
