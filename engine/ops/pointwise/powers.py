"""Powers and roots, element by element."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics.checked_cast import checked_cast
from gradflow.engine.numerics.libraries.square_root import square_root
from gradflow.engine.ops.pointwise.elementwise import (
    COLUMN,
    POSITIVE,
    SPECIAL,
    WHOLE,
    V,
    W,
    Y,
    Z,
    exact,
    rounded,
    unary,
)
from gradflow.engine.ops.pointwise.with_numbers import combined
from gradflow.engine.registry import REGISTRY, Gradient, Op, Operand, helper, op
from gradflow.engine.tensor import Tensor, dtypes

BY_EXPONENT = "g * where((input == 0) * (real_part(exponent) >= 0), 0.0, conj(out * log_alike(input, out)))"


def _log_of_tensors(input: Any, out: Any) -> Any:
    value = getattr(input, "_a", input)
    if out._a.dtype.kind == "c" and np.asarray(value).dtype.kind != "c":
        input = REGISTRY["to_dtype"].call(input, dtypes.of(out._a)) if hasattr(input, "_a") else complex(input)
    return REGISTRY["log"].call(input)


@helper(latex=r"\ln ⟨0⟩", tensors=_log_of_tensors)
def log_alike(input, out):
    """The logarithm of a base: a complex number where the power is one."""
    dtype = np.asarray(input).dtype if out.dtype.kind != "c" else out.dtype
    return REGISTRY["log"].body(np.asarray(input, dtype))


def _power_of(number: int, gradients: Mapping[str, Gradient], **more: Any) -> dict[str, Any]:
    """The declaration of a power; PyTorch numbers them by which operand is a tensor."""
    return {
        "gradients": gradients,
        "grad_fn": f"PowBackward{number}",
        "latex": "{⟨0⟩}^{⟨1⟩}",
        "promote": "common",
        "functions": (),
        "methods": (),
        "torch": "pow",
        **more,
    }


def power(input: np.ndarray, exponent: Any) -> Op:
    """The operation for an exponent that is a number or a tensor.

    Raises RuntimeError for a whole exponent that is negative or that the integers of the input cannot hold."""
    if isinstance(exponent, int) and not isinstance(exponent, bool) and input.dtype.kind in "iu":
        if exponent < 0:
            raise errors.NEGATIVE_POWER()
        checked_cast(exponent, input.dtype)
    return REGISTRY["pow_tensor" if hasattr(exponent, "dtype") else "pow_scalar"]


@op(
    **_power_of(0, {"input": "pow_backward(g, input, exponent)"}),
    symbol="xⁿ",
    samples=(
        (POSITIVE, 2),
        (V, 3),
        (POSITIVE, 0.5),
        (V, 0),
        (V, 1),
        (V, -1),
        (V, -2),
        (POSITIVE, -1.5),
        ([0.0, 1.5], 2),
        ([0.0, 1.5], 3),
        ([0.0, 1.5], 1),
    ),
    edges=(
        (SPECIAL, 0.5),
        (SPECIAL, -1),
        (SPECIAL, 0),
        (SPECIAL, 1.5),
        (V, 2.5),
        (WHOLE, 2),
        (WHOLE, 0.5),
        (Z, 2),
        (Z, 1.5),
        (Z, 1 + 2j),
        (V, 1 + 2j),
    ),
    errors=((WHOLE, -1, errors.NEGATIVE_POWER.message),),
)
def pow_scalar(input: Operand, exponent: Operand):
    """A tensor to the power of a number."""
    if np.asarray(input).dtype.kind in "iub" and np.asarray(exponent).dtype.kind in "iub" and np.any(exponent < 0):
        raise errors.NEGATIVE_POWER()
    return _power(input, exponent)


@op(
    refuses={"b": "pow"},
    **_power_of(
        1,
        {
            "input": "where(exponent == 0, 0.0, g * conj(exponent * pow_tensor(input, exponent - 1)))",
            "exponent": BY_EXPONENT,
        },
    ),
    symbol="xʸ",
    samples=((POSITIVE, W), (POSITIVE, COLUMN)),
    edges=(
        (POSITIVE, [[0.0], [1.0]]),
        (SPECIAL, [0.0] * 7),
        (SPECIAL, [1.0] * 7),
        ([0.0, 0.0, -1.5], [2.0, -1.0, 2.0]),
        (Z, Y),
        (WHOLE, [[1, 2, 3], [0, 1, 2]]),
        ([1, -1, -1, 2, 0], [-3, -3, -2, -1, -1]),
    ),
)
def pow_tensor(input: Operand, exponent: Operand):
    """A tensor to the power of a tensor, element by element, broadcast."""
    return _power(input, exponent)


@helper()
def number_to_power(g, base, exponent, out):
    """The gradient of a number to the power of a tensor; only a positive one has a logarithm everywhere."""
    number = np.asarray(getattr(base, "_a", base))[()]
    if number.imag == 0 and number.real > 0 and out._a.dtype.kind != "c":
        return combined("mul", g, combined("mul", out, float(np.log(number.real))))
    slope = REGISTRY.helpers["conj"].tensors(combined("mul", out, _log_of_tensors(base, out)))
    if not number:
        slope = REGISTRY["where"].call(Tensor(np.asarray(exponent._a.real >= 0)), 0.0, slope)
    return combined("mul", g, slope)


@op(
    **_power_of(2, {"exponent": (BY_EXPONENT, "number_to_power(g, input, exponent, out)")}),
    symbol="aˣ",
    samples=((2.0, V), (3, W)),
    inplace=False,
    edges=((0.0, SPECIAL), (-1.5, V), (2, [1, 2, 3]), (2, [1, -1, 0]), (2.0, Z), (1j, V)),
)
def pow_base(input: Operand, exponent: Operand):
    """A number to the power of a tensor."""
    if np.asarray(input).dtype.kind == "b" and exponent.dtype.kind == "b":
        raise errors.NOT_IMPLEMENTED_DTYPE(name="pow", dtype="Bool")
    return _power(input, exponent)


def _power(base: Any, exponent: Any) -> Any:
    kinds = np.asarray(base).dtype.kind, np.asarray(exponent).dtype.kind
    if kinds[0] in "iub" and kinds[1] in "iub":
        if np.any(np.asarray(exponent) < 0):
            return _whole_power(base, exponent)
        if kinds == ("b", "b"):
            return np.asarray(base, bool) | ~np.asarray(exponent, bool)
        if isinstance(exponent, int):
            return np.power(base, np.asarray(exponent, np.asarray(base).dtype))
    if isinstance(exponent, int | float) and exponent in _POWERS:
        return _POWERS[exponent](base)
    base, exponent = (np.asarray(x) if isinstance(x, np.generic) else x for x in (base, exponent))
    dtype = dtypes.result_type(base, exponent)
    if dtype.kind == "c":
        return rounded(_complex_power, np.asarray(base, dtype), np.asarray(exponent, dtype))
    return exact(np.power, np.asarray(base, dtype), np.asarray(exponent, dtype))


def _whole_power(base: Any, exponent: Any) -> np.ndarray:
    """Whole numbers to the power of a tensor of whole numbers: negative exponents leave something of 1 and -1 alone."""
    dtype = dtypes.result_type(base, exponent)
    base, exponent = np.asarray(base, dtype), np.asarray(exponent, dtype)
    inverse = np.where(base == 1, 1, np.where(base == -1, np.where(exponent % 2 == 0, 1, -1), 0))
    return np.where(exponent < 0, inverse, np.power(base, np.maximum(exponent, 0))).astype(dtype)


def _complex_power(base: np.ndarray, exponent: np.ndarray) -> np.ndarray:
    return np.where(exponent == 0, 1, np.power(base, exponent))


_POWERS: dict[float, Any] = {
    2: lambda x: x * x,
    3: lambda x: x * x * x,
    -1: lambda x: 1 / x,
    -2: lambda x: 1 / (x * x),
    0.5: square_root,
    -0.5: lambda x: 1 / np.sqrt(x),
}


def _pow_backward_of_tensor(g: Any, input: Any, exponent: Any) -> Any:
    """A constant has no graph behind it: the chain of derivatives of a power ends, as in PyTorch."""
    if exponent == 0:
        return REGISTRY["zeros_like_array"].call(input)
    slope = combined("mul", exponent, REGISTRY["pow_scalar"].call(input, exponent - 1))
    return g * (REGISTRY["conjugate"].call(slope) if slope._a.dtype.kind == "c" else slope)


@helper(latex=r"⟨0⟩ \odot ⟨2⟩\,{⟨1⟩}^{⟨2⟩-1}", tensors=_pow_backward_of_tensor)
def pow_backward(g, input, exponent):
    """The gradient of a power with a constant exponent."""
    if exponent == 0:
        return np.zeros_like(input)
    return g * (_power(input, exponent - 1) * exponent).conjugate()


@op(**unary("g / (2 * conj(out))", r"\sqrt{⟨0⟩}", "√", ((POSITIVE,), (Z,))))
def sqrt(input: Operand):
    """Square root; NaN for negative elements."""
    return square_root(input)


@op(**unary("-0.5 * g * conj(pow_scalar(out, 3))", r"1 \oslash \sqrt{⟨0⟩}", "1/√", ((POSITIVE,), (Z,))))
def rsqrt(input: Operand):
    """1 / sqrt(input)."""
    return np.reciprocal(np.sqrt(input))
