"""Element by element: arithmetic, powers, exponentials, trigonometry, clamping, choosing."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import dtypes, errors
from engine.registry import REGISTRY, Array, Operand, helper, op

V = [[0.5, -1.25, 2.0], [1.5, 0.75, -0.5]]
W = [[1.5, 2.5, -0.5], [0.25, -2.0, 3.0]]
POSITIVE = [[0.5, 1.25, 2.0], [1.5, 0.75, 0.1]]
COLUMN = [[2.25], [-1.5]]
UNIT = [[0.5, -0.25, 0.9], [-0.75, 0.1, 0.3]]

BINARY = ((V, W), (V, COLUMN), (COLUMN, W), (V, 3.0), (V, 2), (1.5, W))
SCALED = (*BINARY, (V, W, {"alpha": 2}), (COLUMN, W, {"alpha": -0.5}))


def _refuse_bool_pair(a: Any, b: Any) -> None:
    if getattr(a, "dtype", None) == np.bool_ and (isinstance(b, bool) or getattr(b, "dtype", None) == np.bool_):
        raise errors.BOOL_SUBTRACT()


def _refuse_zero(dividend: Any, divisor: Any) -> None:
    kinds = np.asarray(dividend).dtype.kind + np.asarray(divisor).dtype.kind
    if "f" not in kinds and np.any(np.asarray(divisor) == 0):
        raise errors.DIVIDE_BY_ZERO()


def _refuse_floats(name: str, *operands: Any) -> None:
    for operand in operands:
        if isinstance(operand, np.ndarray) and operand.dtype.kind in "fc":
            raise errors.NOT_IMPLEMENTED_DTYPE(name=f"{name}_cpu", dtype=dtypes.of(operand).legacy)


# -- arithmetic --------------------------------------------------------------------------------------------------------


@op(
    gradients={"input": "g", "other": "g * alpha"},
    latex="⟨0⟩+⟨1⟩", symbol="+", promote="common", samples=SCALED,
)  # fmt: skip
def add(input: Operand, other: Operand, *, alpha=1):
    """input + alpha * other, broadcast."""
    return input + other if alpha == 1 else input + alpha * other


@op(
    gradients={"input": "g", "other": "-g * alpha"},
    latex="⟨0⟩-⟨1⟩", symbol="−", promote="common", samples=SCALED,
)  # fmt: skip
def sub(input: Operand, other: Operand, *, alpha=1):
    """input - alpha * other, broadcast."""
    _refuse_bool_pair(input, other)
    return input - other if alpha == 1 else input - alpha * other


@op(
    gradients={"input": "-g * alpha", "other": "g"}, grad_fn="RsubBackward1",
    latex="⟨1⟩-⟨0⟩", symbol="−", promote="common", samples=SCALED, methods=(), functions=("rsub",), inplace=False,
)  # fmt: skip
def rsub(input: Operand, other: Operand, *, alpha=1):
    """other - alpha * input: what ``3 - x`` runs."""
    return other - input if alpha == 1 else other - alpha * input


@op(
    gradients={"input": "g * other", "other": "g * input"},
    latex=r"⟨0⟩ \odot ⟨1⟩", symbol="×", promote="common", samples=BINARY,
)  # fmt: skip
def mul(input: Operand, other: Operand):
    """input * other, element by element, broadcast."""
    return input * other


@op(
    gradients={"input": "g / other", "other": "-g * input / (other * other)"},
    latex=r"⟨0⟩ \oslash ⟨1⟩", symbol="÷", promote="float", samples=BINARY,
)  # fmt: skip
def div(input: Operand, other: Operand):
    """input / other, element by element, broadcast; integers become floats."""
    return np.true_divide(input, other)


@op(
    gradients={"input": "-g * (out * out)"}, latex=r"1 \oslash ⟨0⟩", symbol="1/x", promote="float",
    samples=((V,),),
)  # fmt: skip
def reciprocal(input: Operand):
    """1 / input."""
    return np.reciprocal(input)


@op(gradients={"input": "-g"}, latex="-⟨0⟩", symbol="−", elementwise=True, samples=((V,),))
def neg(input: Array):
    """-input."""
    if input.dtype == np.bool_:
        raise errors.BOOL_NEGATIVE()
    return -input


@op(grad_fn="NotImplemented", symbol="//", promote="common", inplace=False)
def floor_divide(input: Operand, other: Operand):
    """input / other, rounded down."""
    _refuse_zero(input, other)
    return np.floor_divide(input, other)


@op(
    gradients={"input": "g", "other": "-g * floor_quotient(input, other)"}, grad_fn="RemainderBackward0",
    symbol="mod", promote="common", samples=((V, [[1.5, 2.5, -0.6], [0.35, -2.0, 3.0]]), (V, 0.8), (2.5, [0.7, -0.8])), inplace=True,
)  # fmt: skip
def remainder(input: Operand, other: Operand):
    """What is left of input / other rounded down; has the sign of ``other``."""
    _refuse_zero(input, other)
    return np.remainder(input, other)


@op(latex=r"\left\lfloor ⟨0⟩ \oslash ⟨1⟩ \right\rfloor", promote="common", torch=None)
def _floor_quotient(input: Operand, other: Operand):
    """floor(input / other), without a gradient."""
    return np.floor(np.true_divide(input, other))


# -- powers and exponentials -------------------------------------------------------------------------------------------


@op(
    gradients={"input": "g * power_rule(input, exponent)"}, name="pow_scalar", grad_fn="PowBackward0",
    latex="{⟨0⟩}^{⟨1⟩}", symbol="xⁿ", promote="common",
    samples=((POSITIVE, 2), (V, 3), (POSITIVE, 0.5), (V, 0), (V, 1), (V, -1), (V, -2), (POSITIVE, -1.5), ([0.0, 1.5], 2),
    ([0.0, 1.5], 3), ([0.0, 1.5], 1)), functions=(), methods=(),
    torch="pow",
)  # fmt: skip
def pow_scalar(input: Operand, exponent: Operand):
    """A tensor to the power of a number."""
    return _power(input, exponent)


@op(
    gradients={
        "input": "g * power_rule(input, exponent)",
        "exponent": "where((input == 0) * (exponent >= 0), 0.0, g * out * log(input))",
    },
    grad_fn="PowBackward1", latex="{⟨0⟩}^{⟨1⟩}", symbol="xʸ", promote="common",
    samples=((POSITIVE, W), (POSITIVE, COLUMN), ([0.5, 1.5], 1.7), (POSITIVE, [[0.0], [1.0]])), functions=(), methods=(),
    torch="pow",
)  # fmt: skip
def pow_tensor(input: Operand, exponent: Operand):
    """A tensor to the power of a tensor, element by element, broadcast."""
    return _power(input, exponent)


@op(
    gradients={"exponent": "where((input == 0) * (exponent >= 0), 0.0, g * out * log(input))"},
    grad_fn="PowBackward2", latex="{⟨0⟩}^{⟨1⟩}", symbol="aˣ", promote="common", samples=((2.0, V), (3, W)),
    functions=(), methods=(), inplace=False,
    torch="pow",
)  # fmt: skip
def pow_base(input: Operand, exponent: Operand):
    """A number to the power of a tensor."""
    return _power(input, exponent)


def _power(base: Any, exponent: Any) -> Any:
    kinds = np.asarray(base).dtype.kind, np.asarray(exponent).dtype.kind
    if kinds[0] in "iub" and kinds[1] in "iub":
        if np.any(np.asarray(exponent) < 0):
            raise errors.NEGATIVE_POWER()
        if isinstance(exponent, int):
            return np.power(base, np.asarray(exponent, np.asarray(base).dtype))
    return _POWERS[exponent](base) if isinstance(exponent, int | float) and exponent in _POWERS else np.power(base, exponent)


_POWERS: dict[float, Any] = {
    2: lambda x: x * x, 3: lambda x: x * x * x, -1: lambda x: 1 / x, -2: lambda x: 1 / (x * x), 0.5: np.sqrt,
}  # fmt: skip


@op(
    gradients={
        "input": "g * power_rule(input, exponent - 1, factor * exponent)",
        "exponent": "g * factor * pow_tensor(input, exponent - 1) * (1 + exponent * log(input))",
        "factor": "g * power_rule(input, exponent)",
    },
    latex=r"⟨2⟩\,⟨1⟩\,{⟨0⟩}^{⟨1⟩-1}", symbol="n·xⁿ⁻¹", promote="common", grad_fn="MulBackward0", functions=(),
    methods=(), inplace=False,
    samples=((V, 3), (POSITIVE, W, COLUMN), (POSITIVE, COLUMN), (V, 0), ([0.0, 1.5], 1), ([0.0, 1.5], 2, 1.5)),
    torch=None,
)  # fmt: skip
def power_slope(input: Operand, exponent: Operand, factor: Operand = 1):
    """factor * exponent * input ** (exponent - 1), and 0 where the product in front is 0."""
    front = factor * exponent
    if not isinstance(front, np.ndarray):
        return front * np.power(input, exponent - 1) if front else np.zeros_like(input)
    return np.where(front == 0, front.dtype.type(0), front * np.power(input, exponent - 1))


def _power_rule_of_tensor(input: Any, exponent: Any, factor: Any = 1) -> Any:
    """A constant has no graph behind it: the chain of derivatives of a power ends, as in PyTorch."""
    if isinstance(exponent, int | float) and not exponent:
        return REGISTRY["zeros_like_array"].call(input)
    return REGISTRY["power_slope"].call(input, exponent, factor)


@helper(latex=r"⟨2⟩\,⟨1⟩\,{⟨0⟩}^{⟨1⟩-1}", tensors=_power_rule_of_tensor)
def power_rule(input, exponent, factor=1):
    """The derivative of a power by its base."""
    return power_slope(input, exponent, factor)


def _rounded(function: Any, input: Any) -> Any:
    """float32 computed in double and rounded once: NumPy's own float32 functions are a few units off in the last place."""
    if getattr(input, "dtype", None) == np.float32:
        return function(input, dtype=np.float64).astype(np.float32)
    return function(input)


def _unary(gradient: str, latex: str, symbol: str, samples: Any = ((V,),)) -> dict[str, Any]:
    """The declaration of a function of one operand that turns integers into floats."""
    return {"gradients": {"input": gradient}, "latex": latex, "symbol": symbol, "promote": "float", "samples": samples}


@op(**_unary("g * out", r"e^{⟨0⟩}", "exp"))
def exp(input: Operand):
    """e to the power of each element."""
    return _rounded(np.exp, input)


@op(**_unary("g / input", r"\ln ⟨0⟩", "ln", ((POSITIVE,),)))
def log(input: Operand):
    """Natural logarithm; NaN for negative elements."""
    return _rounded(np.log, input)


@op(**_unary("g / (2 * out)", r"\sqrt{⟨0⟩}", "√", ((POSITIVE,),)))
def sqrt(input: Operand):
    """Square root; NaN for negative elements."""
    return np.sqrt(input)


@op(**_unary("g * -0.5 * (out * out * out)", r"1 \oslash \sqrt{⟨0⟩}", "1/√", ((POSITIVE,),)))
def rsqrt(input: Operand):
    """1 / sqrt(input)."""
    return np.reciprocal(np.sqrt(input))


@op(**_unary("g * cos(input)", r"\sin ⟨0⟩", "sin"))
def sin(input: Operand):
    """Sine; the input in radians."""
    return _rounded(np.sin, input)


@op(**_unary("g * -sin(input)", r"\cos ⟨0⟩", "cos"))
def cos(input: Operand):
    """Cosine; the input in radians."""
    return _rounded(np.cos, input)


@op(**_unary("g * (1 + out * out)", r"\tan ⟨0⟩", "tan", ((UNIT,),)))
def tan(input: Operand):
    """Tangent; the input in radians."""
    return _rounded(np.tan, input)


@op(**_unary("g * (1 - out * out)", r"\tanh ⟨0⟩", "tanh"))
def tanh(input: Operand):
    """Hyperbolic tangent."""
    return _rounded(np.tanh, input)


@op(**_unary("g * ((1 - out) * out)", r"\sigma\left(⟨0⟩\right)", "σ"))
def sigmoid(input: Operand):
    """1 / (1 + exp(-input))."""
    one = np.asarray(input).dtype.type(1)
    return one / (one + _rounded(np.exp, -input))


@op(
    gradients={"input": "threshold_backward(g, out)"}, latex=r"\operatorname{relu}\left(⟨0⟩\right)", symbol="relu",
    elementwise=True, samples=((V,),),
)  # fmt: skip
def relu(input: Array):
    """The element where it is positive, else 0. The gradient at 0 is 0; NaN stays NaN."""
    return np.maximum(input, input.dtype.type(0))


@op(
    gradients={"input": "threshold_backward(g, activation)"}, latex=r"⟨0⟩ \odot [⟨1⟩ > 0]", symbol="relu′",
    grad_fn="ThresholdBackwardBackward0", functions=(), methods=(), samples=((V, W),),
    torch="ops.aten.threshold_backward", adapt=lambda f, *args: f(*args, 0),
)  # fmt: skip
def threshold_backward(input: Array, activation: Array):
    """The gradient where relu let its input through, 0 elsewhere. NaN let through passes the gradient on."""
    return np.where(activation <= 0, input.dtype.type(0), input)


@op(gradients={"input": "g * sgn(input)"}, latex=r"\left|⟨0⟩\right|", symbol="|x|", elementwise=True, samples=((V,),))
def abs(input: Array):
    """Absolute value. The gradient at 0 is 0."""
    return np.abs(input)


@op(
    gradients={"input": "zeros_like_array(g)"}, latex=r"\operatorname{sgn}\left(⟨0⟩\right)", symbol="sgn", elementwise=True,
    grad_fn="SgnBackward0", samples=((V,),),
)  # fmt: skip
def sgn(input: Array):
    """-1, 0 or 1: the sign."""
    return np.sign(input)


@op(
    gradients={"input": "zeros_like_array(g)"}, latex=r"\operatorname{sgn}\left(⟨0⟩\right)", symbol="sgn", elementwise=True,
    samples=((V,),),
)  # fmt: skip
def sign(input: Array):
    """-1, 0 or 1: the sign."""
    return np.sign(input)


# -- clamping and choosing ---------------------------------------------------------------------------------------------


@op(
    gradients={"input": "where(inside(input, min, max), g, 0.0)"}, name="clamp_scalar", grad_fn="ClampBackward1",
    latex=r"\operatorname{clamp}\left(⟨0⟩, ⟨1⟩, ⟨2⟩\right)", symbol="clamp", elementwise=True, functions=(),
    methods=(), samples=((V, -0.6, 1.0), (V, 0), (V, None, 0.85), (V, 1.0, -1.0)),
    torch="clamp",
)  # fmt: skip
def clamp_scalar(input: Array, min=None, max=None):
    """Elements below ``min`` become ``min``, above ``max`` become ``max``; the gradient is 1 on the bounds."""
    return _clip(input, min, max)


@op(
    gradients={
        "input": "where(inside(input, min, max), g, 0.0)",
        "min": "where(below(input, min, max), g, 0.0)",
        "max": "where(above(input, min, max), g, 0.0)",
    },
    name="clamp_tensor", grad_fn="ClampBackward0", symbol="clamp",
    latex=r"\operatorname{clamp}\left(⟨0⟩, ⟨1⟩, ⟨2⟩\right)", promote="common", functions=(), methods=(),
    samples=((V, COLUMN, W), (V, W), (V, None, W), (V, -0.6, W)),
    torch="clamp",
)  # fmt: skip
def clamp_tensor(input: Operand, min: Operand | None = None, max: Operand | None = None):
    """Clamp between tensors, broadcast; a tie gives its gradient to the input."""
    return _clip(input, min, max)


def _clip(input: Any, low: Any, high: Any) -> Any:
    if low is None and high is None:
        raise errors.CLAMP_BOUNDS()
    result = input
    if low is not None:
        result = np.maximum(result, low)
    return result if high is None else np.minimum(result, high)


@op(latex=r"\left[⟨1⟩ \le ⟨0⟩ \le ⟨2⟩\right]", functions=(), methods=(), torch=None)
def inside(input: Operand, min: Operand | None, max: Operand | None):
    """Where an element lies between the bounds, the bounds included."""
    result = np.ones(np.broadcast_shapes(*(np.shape(x) for x in (input, min, max) if x is not None)), bool)
    if min is not None:
        result &= input >= min
    return result if max is None else result & (input <= max)


@op(latex=r"\left[⟨0⟩ < ⟨1⟩\right]", functions=(), methods=(), torch=None)
def below(input: Operand, min: Operand, max: Operand | None):
    """Where an element lies below ``min``, and ``min`` is the bound that counts."""
    return input < min if max is None else (input < min) & (min < max)


@op(latex=r"\left[⟨0⟩ > ⟨2⟩\right]", functions=(), methods=(), torch=None)
def above(input: Operand, min: Operand | None, max: Operand):
    """Where an element lies above ``max``, or the bounds are crossed."""
    return input > max if min is None else (input > max) | (max < min)


@op(
    gradients={"input": "g * share_of_larger(input, other)", "other": "g * share_of_larger(other, input)"},
    latex=r"\max\left(⟨0⟩, ⟨1⟩\right)", symbol="max", promote="common", samples=((V, W), (V, COLUMN), (COLUMN, W)),
    inplace=False,
)  # fmt: skip
def maximum(input: Operand, other: Operand):
    """The larger of two elements; equal ones share the gradient evenly. NaN wins."""
    return np.maximum(input, other)


@op(
    gradients={"input": "g * share_of_larger(other, input)", "other": "g * share_of_larger(input, other)"},
    latex=r"\min\left(⟨0⟩, ⟨1⟩\right)", symbol="min", promote="common", samples=((V, W), (V, COLUMN), (COLUMN, W)),
    inplace=False,
)  # fmt: skip
def minimum(input: Operand, other: Operand):
    """The smaller of two elements; equal ones share the gradient evenly. NaN wins."""
    return np.minimum(input, other)


@op(latex=r"\left[⟨0⟩ > ⟨1⟩\right]", promote="float", functions=(), methods=(), torch=None)
def share_of_larger(input: Operand, other: Operand):
    """1 where ``input`` is the larger one, 0.5 where both are equal."""
    dtype = np.result_type(input, other)
    return np.where(input == other, dtype.type(0.5), np.asarray(input > other).astype(dtype))


@op(
    gradients={"input": "where(condition, g, 0.0)", "other": "where(condition, 0.0, g)"},
    latex=r"\operatorname{where}\left(⟨0⟩, ⟨1⟩, ⟨2⟩\right)", symbol="where", promote="common", inplace=False,
    functions=(), methods=(), samples=(([[True, False, True]], V, W), ([[True], [False]], V, 2.0), ([[True], [False]], 1.5, W), ([True, False, True], COLUMN, W)),
    torch="where",
)  # fmt: skip
def where(condition: Array, input: Operand, other: Operand):
    """``input`` where the condition holds, else ``other``, broadcast."""
    if condition.dtype != np.bool_:
        raise errors.WHERE_CONDITION(dtype=f"torch.{condition.dtype}")
    return np.where(condition, input, other)


@op(
    gradients={"input": "masked_fill(g, mask, 0.0)"}, latex=r"\operatorname{fill}\left(⟨0⟩, ⟨1⟩\right)", symbol="fill",
    elementwise=True, samples=((V, [[True, False, True]], 2.0), (V, [[True], [False]], 0.0)),
)  # fmt: skip
def masked_fill(input: Array, mask: Array, value):
    """The input with ``value`` where the mask is true; the mask broadcasts."""
    return np.where(mask, input.dtype.type(value.item() if hasattr(value, "item") else value), input)


# -- comparison and logic: no gradient ---------------------------------------------------------------------------------


@op(latex="⟨0⟩ = ⟨1⟩", symbol="=", promote="common", methods=("eq", "__eq__"))
def eq(input: Operand, other: Operand):
    """input == other."""
    return np.equal(input, other)


@op(latex=r"⟨0⟩ \ne ⟨1⟩", symbol="≠", promote="common", methods=("ne", "__ne__"))
def ne(input: Operand, other: Operand):
    """input != other."""
    return np.not_equal(input, other)


@op(latex="⟨0⟩ < ⟨1⟩", symbol="<", promote="common", methods=("lt", "__lt__"))
def lt(input: Operand, other: Operand):
    """input < other."""
    return np.less(input, other)


@op(latex=r"⟨0⟩ \le ⟨1⟩", symbol="≤", promote="common", methods=("le", "__le__"))
def le(input: Operand, other: Operand):
    """input <= other."""
    return np.less_equal(input, other)


@op(latex="⟨0⟩ > ⟨1⟩", symbol=">", promote="common", methods=("gt", "__gt__"))
def gt(input: Operand, other: Operand):
    """input > other."""
    return np.greater(input, other)


@op(latex=r"⟨0⟩ \ge ⟨1⟩", symbol="≥", promote="common", methods=("ge", "__ge__"))
def ge(input: Operand, other: Operand):
    """input >= other."""
    return np.greater_equal(input, other)


@op(latex=r"⟨0⟩ \land ⟨1⟩", symbol="∧", promote="common", functions=("bitwise_and",), methods=("bitwise_and", "__and__", "__rand__"))
def bitwise_and(input: Operand, other: Operand):
    """input & other, for booleans and integers."""
    _refuse_floats("bitwise_and", input, other)
    return np.bitwise_and(input, other)


@op(latex=r"⟨0⟩ \lor ⟨1⟩", symbol="∨", promote="common", functions=("bitwise_or",), methods=("bitwise_or", "__or__", "__ror__"))
def bitwise_or(input: Operand, other: Operand):
    """input | other, for booleans and integers."""
    _refuse_floats("bitwise_or", input, other)
    return np.bitwise_or(input, other)


@op(latex=r"⟨0⟩ \oplus ⟨1⟩", symbol="⊕", promote="common", functions=("bitwise_xor",), methods=("bitwise_xor", "__xor__", "__rxor__"))
def bitwise_xor(input: Operand, other: Operand):
    """input ^ other, for booleans and integers."""
    _refuse_floats("bitwise_xor", input, other)
    return np.bitwise_xor(input, other)


@op(latex=r"\lnot ⟨0⟩", symbol="¬", functions=("bitwise_not",), methods=("bitwise_not", "__invert__"))
def bitwise_not(input: Array):
    """~input, for booleans and integers."""
    if input.dtype.kind in "fc":
        raise errors.INVERT_DTYPE()
    return np.invert(input)


def _logical(name: str, latex: str) -> dict[str, Any]:
    return {"latex": latex, "symbol": name, "functions": (f"logical_{name}",), "methods": (f"logical_{name}",)}


@op(**_logical("and", r"⟨0⟩ \land ⟨1⟩"))
def logical_and(input: Operand, other: Operand):
    """Whether both are nonzero."""
    return np.logical_and(input, other)


@op(**_logical("or", r"⟨0⟩ \lor ⟨1⟩"))
def logical_or(input: Operand, other: Operand):
    """Whether one is nonzero."""
    return np.logical_or(input, other)


@op(**_logical("not", r"\lnot ⟨0⟩"))
def logical_not(input: Array):
    """Whether it is zero."""
    return np.logical_not(input)


@op(symbol="nan?")
def isnan(input: Array):
    """Whether it is not a number."""
    return np.isnan(input)


@op(symbol="inf?")
def isinf(input: Array):
    """Whether it is infinite."""
    return np.isinf(input)


@op(symbol="finite?")
def isfinite(input: Array):
    """Whether it is finite."""
    return np.isfinite(input)


# -- copies and conversions --------------------------------------------------------------------------------------------


@op(gradients={"input": "g"}, latex="⟨0⟩", symbol="clone", inplace=False, samples=((V,),))
def clone(input: Array):
    """A copy that gradients flow through."""
    return input.copy(order="K")


@op(
    gradients={"input": "zeros_like_array(g)", "src": "g"}, latex="⟨1⟩", symbol="=", grad_fn="CopyBackwards", inplace=True,
    functions=(), methods=(), samples=((V, W),),
    torch="Tensor.copy_",
)  # fmt: skip
def copy(input: Array, src: Array | None = None):
    """The elements of ``src`` in the place of those of ``input``."""
    return input.copy() if src is None else src.astype(input.dtype)


@op(gradients={"input": "zeros_like_array(g)"}, latex="0", symbol="0", inplace=True, functions=(), methods=(), samples=((V,),), torch="Tensor.zero_")
def zero(input: Array):
    """All elements 0."""
    return np.zeros_like(input)


@op(
    gradients={"input": "zeros_like_array(g)", "value": "sum_all(g)"}, latex="⟨1⟩", symbol="=",
    grad_fn="FillBackward3", inplace=True, functions=(), methods=(), samples=((V, 1.5),),
    torch="Tensor.fill_",
)  # fmt: skip
def fill_tensor(input: Array, value: Array):
    """All elements the one number that ``value`` holds: what ``y[0] = v`` writes."""
    return np.full_like(input, value)


@op(gradients={"input": "zeros_like_array(g)"}, latex="⟨1⟩", symbol="fill", grad_fn="FillBackward2", inplace=True, functions=(), methods=(), samples=((V, 1.5),), torch="Tensor.fill_")
def fill(input: Array, value):
    """All elements ``value``."""
    return np.full_like(input, value.item() if hasattr(value, "item") else value)


@op(
    gradients={"input": "g"}, latex="⟨0⟩", symbol="dtype", grad_fn="ToCopyBackward0", functions=(), methods=(),
    may_be_integer=True, inplace=False, samples=((V, dtypes.float64),),
    torch="Tensor.to",
)  # fmt: skip
def to_dtype(input: Array, dtype):
    """The input in another dtype. The gradient comes back in the input's."""
    return input.astype(dtype.numpy)


@op(functions=(), methods=(), latex="0", torch=None)
def zeros_like_array(input: Array):
    """Zeros of the shape and dtype of the input."""
    return np.zeros_like(input)


@op(functions=(), methods=(), latex="⟨0⟩", symbol="detach", torch="detach")
def detach(input: Array):
    """The same values outside the graph."""
    return input


@op(functions=(), methods=(), latex="⟨0⟩", symbol=".data", torch=None)
def data(input: Array):
    """The same memory outside the graph, unseen by the version check."""
    return input
