"""Trigonometric and hyperbolic functions, element by element."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.ops.pointwise.complex import conj_of_tensor
from gradflow.engine.ops.pointwise.elementwise import (
    BINARY,
    MIXED,
    UNIT,
    V,
    W,
    Z,
    exact,
    named,
    rounded,
    unary,
    unsupported,
)
from gradflow.engine.ops.pointwise.powers import rsqrt
from gradflow.engine.ops.pointwise.with_numbers import combined
from gradflow.engine.registry import REGISTRY, Operand, helper, op
from gradflow.engine.tensor import Tensor

PLANE = ((V,), (Z,))
OVER_ONE = [[1.5, 1.25, 2.0], [3.5, 1.75, 5.0]]


@op(**unary("g * conj(cos(input))", r"\sin ⟨0⟩", "sin", PLANE))
def sin(input: Operand):
    """Sine; the input in radians."""
    return rounded(np.sin, input)


@op(**unary("g * -conj(sin(input))", r"\cos ⟨0⟩", "cos", PLANE))
def cos(input: Operand):
    """Cosine; the input in radians."""
    return rounded(np.cos, input)


@op(**unary("g * conj(1 + pow_scalar(out, 2))", r"\tan ⟨0⟩", "tan", ((UNIT,), (Z,))))
def tan(input: Operand):
    """Tangent; the input in radians."""
    return rounded(np.tan, input)


@op(**unary("g * conj(rsqrt(-input * input + 1))", r"\arcsin ⟨0⟩", "asin", ((UNIT,), (Z,))))
def asin(input: Operand):
    """The angle in [-π/2, π/2] whose sine is the input; NaN outside of [-1, 1]."""
    return rounded(np.arcsin, input)


@op(**unary("g * -conj(rsqrt(-input * input + 1))", r"\arccos ⟨0⟩", "acos", ((UNIT,), (Z,))))
def acos(input: Operand):
    """The angle in [0, π] whose cosine is the input; NaN outside of [-1, 1]."""
    return rounded(np.arccos, input)


@op(**unary("g / conj(input * input + 1)", r"\arctan ⟨0⟩", "atan", PLANE))
def atan(input: Operand):
    """The angle in [-π/2, π/2] whose tangent is the input."""
    return rounded(np.arctan, input)


@op(**unary("g * conj(cosh(input))", r"\sinh ⟨0⟩", "sinh", PLANE))
def sinh(input: Operand):
    """Hyperbolic sine."""
    return rounded(np.sinh, input)


@op(**unary("g * conj(sinh(input))", r"\cosh ⟨0⟩", "cosh", PLANE))
def cosh(input: Operand):
    """Hyperbolic cosine."""
    return rounded(np.cosh, input)


@op(**unary("tanh_backward(g, out)", r"\tanh ⟨0⟩", "tanh", PLANE))
def tanh(input: Operand):
    """Hyperbolic tangent."""
    return exact(np.tanh, input)


@op(
    **unary(
        ("g * conj(rsqrt(input * input + 1))", "g * conj(rsqrt(pow_scalar(input, 2) + 1))"),
        r"\operatorname{arsinh} ⟨0⟩",
        "asinh",
        PLANE,
        inplace=False,
    )
)
def asinh(input: Operand):
    """The inverse of the hyperbolic sine."""
    return rounded(np.arcsinh, input)


@op(
    **unary(
        "g * acosh_slope(input)", r"\operatorname{arcosh} ⟨0⟩", "acosh", ((OVER_ONE,),), edges=((Z,),), inplace=False
    )
)
def acosh(input: Operand):
    """The inverse of the hyperbolic cosine; NaN below 1."""
    return rounded(np.arccosh, input)


def _acosh_slope_of_tensor(input: Any) -> Any:
    rsqrt = REGISTRY["rsqrt"].call
    return (
        conj_of_tensor(rsqrt(input - 1) * rsqrt(input + 1))
        if input._a.dtype.kind == "c"
        else rsqrt(combined("sub", input * input, 1))
    )


@helper(latex=r"1 \oslash \sqrt{⟨0⟩^{2}-1}", tensors=_acosh_slope_of_tensor)
def acosh_slope(input):
    """The derivative of `acosh`, on the right branch for complex numbers."""
    if np.asarray(input).dtype.kind == "c":
        return (rsqrt(input - 1) * rsqrt(input + 1)).conjugate()
    return rsqrt(input * input - 1)


ATANH = ("g / conj(1 - input * input)", "mul_scalar(g, 1) / conj(1 - pow_scalar(input, 2))")


@op(**unary(ATANH, r"\operatorname{artanh} ⟨0⟩", "atanh", ((UNIT,), (Z,)), inplace=False))
def atanh(input: Operand):
    """The inverse of the hyperbolic tangent; NaN outside of [-1, 1]."""
    return rounded(np.arctanh, input)


@op(
    refuses={"c": "atan2_cpu"},
    gradients={
        "input": ("g * other * inverse_square(input, other)", "atan2_pieces(g, input, other)[0]"),
        "other": ("g * -input * inverse_square(input, other)", "atan2_pieces(g, input, other)[1]"),
    },
    latex=r"\operatorname{atan2}\left(⟨0⟩, ⟨1⟩\right)",
    symbol="atan2",
    promote="float",
    samples=BINARY[:3],
    edges=(*MIXED[:1], ([0.0, 0.0, -0.0, 1.0], [0.0, -1.0, -1.0, 0.0])),
)
def atan2(input: Operand, other: Operand):
    """The angle in (-π, π] of the point (other, input)."""
    return rounded(np.arctan2, input, other)


def _inverse_square_of_tensor(a: Any, b: Any) -> Any:
    square = combined("mul", b, b)
    square = combined("add", combined("mul", a, a), square)
    inverse = REGISTRY["reciprocal"].call(square)
    return REGISTRY["masked_fill"].call(inverse, Tensor(np.asarray(square._a == 0)), 0.0)


@helper(latex=r"1 \oslash \left(⟨0⟩^{2}+⟨1⟩^{2}\right)", tensors=_inverse_square_of_tensor)
def inverse_square(a, b):
    """1 / (a² + b²), and 0 at the origin."""
    square = a * a + b * b
    return np.where(square == 0, 0, 1 / square)


@helper()
def atan2_pieces(g, input, other):
    """The gradients of atan2, what they have in common computed once."""
    inverse, mul = _inverse_square_of_tensor(input, other), REGISTRY["mul"].call
    own = mul(mul(g, other), inverse)
    return own, mul(mul(g, REGISTRY["neg"].call(input)), inverse)


@op(
    refuses={"bilc": "hypot_cpu"},
    gradients={"other": "g * other / out", "input": "g * input / out"},
    latex=r"\sqrt{⟨0⟩^{2}+⟨1⟩^{2}}",
    symbol="hypot",
    promote="common",
    samples=((V, W), (V, [[2.5], [-1.5]])),
    edges=(([0.0, 3.0], [0.0, 4.0]),),
)
def hypot(input: Operand, other: Operand):
    """The length of the hypotenuse."""
    return rounded(np.hypot, input, other)


PI = "3.141592653589793"


@op(
    **unary(
        (
            f"where(input == 0, 0.0, g * conj((input * {PI} * cos(input * {PI}) - sin(input * {PI})) / (input * input * {PI})))",
            "sinc_backward(g, input)",
        ),
        named("sinc"),
        "sinc",
        ((V,), (Z,)),
        edges=(([0.0, 1.0, 0.25],),),
    )
)
def sinc(input: Operand):
    """sin(π x) / (π x), and 1 at 0."""
    if input.dtype == np.float16:
        return sinc(input.astype(np.float32)).astype(np.float16)
    angle = np.asarray(input).dtype.type(math.pi) * input
    return np.where(input == 0, np.asarray(input).dtype.type(1), rounded(np.sin, angle) / angle)


@helper()
def sinc_backward(g, input):
    """The gradient of `sinc` by PyTorch's steps."""
    call = {name: REGISTRY[name].call for name in ("mul", "mul_scalar", "sub", "div", "sin", "cos", "where")}
    angle = call["mul_scalar"](input, math.pi)
    below = call["mul_scalar"](call["mul"](input, input), math.pi)
    sine = call["sin"](angle)
    above = call["sub"](call["mul"](angle, call["cos"](angle)), sine)
    share = call["mul"](g, conj_of_tensor(call["div"](above, below)))
    return call["where"](Tensor(np.asarray(below._a == 0)), 0.0, share)


@op(
    refuses={"c": unsupported("is not supported for complex tensors.")},
    **unary("g * 0.017453292519943295", r"\tfrac{\pi}{180}\,⟨0⟩", "rad", grad_fn="Deg2RadBackward0"),
)
def deg2rad(input: Operand):
    """Degrees as radians."""
    return input * np.asarray(input).dtype.type(math.pi / 180)


@op(
    refuses={"c": unsupported("is not supported for complex tensors.")},
    **unary("g * 57.29577951308232", r"\tfrac{180}{\pi}\,⟨0⟩", "deg", grad_fn="Rad2DegBackward0"),
)
def rad2deg(input: Operand):
    """Radians as degrees."""
    return input * np.asarray(input).dtype.type(180 / math.pi)


# -- written in place: PyTorch has no derivative for these three -------------------------------------------------------


def _written(name: str) -> dict[str, Any]:
    return {
        "gradients": {"input": f"refuse_in_place(g, '{name}')"},
        "grad_fn": f"{name.capitalize()}Backward1",
        "promote": "float",
        "functions": (),
        "methods": (),
        "torch": f"Tensor.{name}_",
        "edges": ((V,),),
    }


@helper()
def refuse_in_place(g, name):
    """Raises RuntimeError: no derivative of the form in place."""
    raise errors.IN_PLACE_DERIVATIVE(name=name)


@op(**_written("asinh"))
def asinh_written(input: Operand):
    """The inverse of the hyperbolic sine, in place."""
    return asinh(input)


@op(**_written("acosh"))
def acosh_written(input: Operand):
    """The inverse of the hyperbolic cosine, in place."""
    return acosh(input)


@op(**_written("atanh"))
def atanh_written(input: Operand):
    """The inverse of the hyperbolic tangent, in place."""
    return atanh(input)
