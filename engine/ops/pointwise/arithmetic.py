"""Sums, products, quotients and remainders, element by element."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics.scalars import ZERO
from gradflow.engine.ops.pointwise.elementwise import (
    BINARY,
    COLUMN,
    COMPLEX_PAIRS,
    INF,
    MIXED,
    NAN,
    SCALED,
    UNIT,
    WHOLE,
    V,
    W,
    Y,
    Z,
    refuse_bool_pair,
    refuse_floats,
    refuse_zero,
    scaled,
)
from gradflow.engine.registry import Array, Operand, helper, op

DIVISORS = [[1.5, 2.5, -0.6], [0.35, -2.0, 3.0]]
ZEROS = ([1.0, -1.0, 0.0, INF, NAN, 5.0], [0.0, 0.0, 0.0, 2.0, 2.0, INF])
INTEGERS = ((WHOLE, [[3, -2, 2], [3, 3, -7]]), (WHOLE, 3), (WHOLE, -2.5), (np.array([5, 250], "uint8"), 7))
BY_ZERO = ((WHOLE, 0, "ZeroDivisionError"),)


@op(
    gradients={"input": "g", "other": "g * conj(alpha)"},
    latex="⟨0⟩+⟨1⟩",
    symbol="+",
    promote="common",
    samples=SCALED,
    edges=(*MIXED, *COMPLEX_PAIRS, ([True, False], [True, True])),
)
def add(input: Operand, other: Operand, *, alpha=1):
    """input + alpha * other, broadcast."""
    return input + other if type(alpha) is int and alpha == 1 else input + scaled(other, alpha, input, other)


@op(
    gradients={"input": "g", "other": "-g * conj(alpha)"},
    latex="⟨0⟩-⟨1⟩",
    symbol="−",
    promote="common",
    samples=SCALED,
    edges=(*MIXED[:3], *MIXED[4:], *COMPLEX_PAIRS),
    errors=(([True], [False], errors.BOOL_SUBTRACT.message),),
)
def sub(input: Operand, other: Operand, *, alpha=1):
    """input - alpha * other, broadcast."""
    refuse_bool_pair(input, other)
    return input - other if type(alpha) is int and alpha == 1 else input - scaled(other, alpha, input, other)


@op(
    gradients={"input": "-g * conj(alpha)"},
    grad_fn="RsubBackward1",
    latex="⟨1⟩-⟨0⟩",
    symbol="−",
    promote="common",
    samples=((V, 2.0), (V, 3, {"alpha": 2})),
    methods=(),
    functions=(),
    inplace=False,
    torch="rsub",
    edges=((Z, 2.0), (WHOLE, 1.5)),
)
def rsub_scalar(input: Operand, other: Operand, *, alpha=1):
    """A number minus alpha * input: what ``3 - x`` runs."""
    refuse_bool_pair(input, other)
    return other - input if type(alpha) is int and alpha == 1 else other - scaled(input, alpha, input, other)


@op(
    gradients={"input": "-g * conj(alpha)", "other": "g"},
    grad_fn="RsubBackward0",
    latex="⟨1⟩-⟨0⟩",
    symbol="−",
    promote="common",
    samples=((V, W), (V, COLUMN), (V, W, {"alpha": 2})),
    methods=(),
    functions=(),
    inplace=False,
    torch="rsub",
    edges=((Z, Y), *MIXED[:1]),
)
def rsub_tensor(input: Operand, other: Operand, *, alpha=1):
    """other - alpha * input."""
    refuse_bool_pair(input, other)
    return other - input if type(alpha) is int and alpha == 1 else other - scaled(input, alpha, input, other)


@op(
    gradients={"input": "g * conj(other)", "other": "g * conj(input)"},
    latex=r"⟨0⟩ \odot ⟨1⟩",
    symbol="×",
    promote="common",
    samples=BINARY,
    edges=(*MIXED, *COMPLEX_PAIRS),
)
def mul(input: Operand, other: Operand):
    """input * other, element by element, broadcast."""
    return input * other


@op(
    gradients={"input": "g / conj(other)", "other": "-g * conj(input / other / other)"},
    latex=r"⟨0⟩ \oslash ⟨1⟩",
    symbol="÷",
    promote="float",
    samples=BINARY,
    edges=(*MIXED, *COMPLEX_PAIRS, ZEROS, *INTEGERS, (WHOLE, 0)),
)
def div(input: Operand, other: Operand):
    """input / other, element by element, broadcast; integers become floats."""
    return np.true_divide(input, other)


MODES = ({"rounding_mode": "floor"}, {"rounding_mode": "trunc"})


@op(
    gradients={"input": "zeros_like_array(g)", "other": "zeros_like_array(g)"},
    latex=r"\left[⟨0⟩ \oslash ⟨1⟩\right]",
    symbol="÷",
    promote="common",
    functions=(),
    methods=(),
    grad_fn="DivBackward2",
    torch="div",
    samples=((V, DIVISORS, MODES[0]), (V, [[2.2], [-1.3]], MODES[1]), (V, 0.8, MODES[0]), (V, -0.7, MODES[1])),
    edges=[(*pair, mode) for pair in (ZEROS, MIXED[0], *INTEGERS, (V, 0.0), (V, NAN)) for mode in MODES],
    errors=(
        (WHOLE, WHOLE, MODES[0], "ZeroDivisionError"),
        (V, W, {"rounding_mode": "up"}, errors.ROUNDING_MODE.message.format(mode="up")),
    ),
)
def div_rounded(input: Operand, other: Operand, *, rounding_mode):
    """input / other, rounded down (``floor``) or towards 0 (``trunc``)."""
    return _quotient(input, other, rounding_mode)


def _quotient(input: Any, other: Any, rounding_mode: str) -> Any:
    if rounding_mode not in ("floor", "trunc"):
        raise errors.ROUNDING_MODE(mode=rounding_mode)
    refuse_zero(input, other)
    if rounding_mode == "floor":
        return floor_quotient_of(input, other)
    dtype = np.result_type(input, other)
    if dtype.kind == "f":
        return np.trunc(np.true_divide(input, other))
    a, b = np.asarray(input), np.asarray(other, dtype)
    return ((a - np.fmod(a, b)) // b).astype(dtype)


def floor_quotient_of(input: Any, other: Any) -> Any:
    """``//``; by a zero of floats as ``/``."""
    result = np.floor_divide(input, other)
    if np.asarray(result).dtype.kind == "f":
        return np.where(np.asarray(other) == 0, np.true_divide(input, other), result)
    return result


@op(
    gradients={"input": "-g * conj(out * out)"},
    latex=r"1 \oslash ⟨0⟩",
    symbol="1/x",
    promote="float",
    samples=((V,), (Z,)),
    edges=(([0.0, -0.0, INF],), (WHOLE,)),
)
def reciprocal(input: Operand):
    """1 / input."""
    return np.reciprocal(input)


@op(
    gradients={"input": "-g"},
    latex="-⟨0⟩",
    symbol="−",
    elementwise=True,
    samples=((V,), (Z,)),
    edges=((WHOLE,),),
    errors=(([True], errors.BOOL_NEGATIVE.message),),
)
def neg(input: Array):
    """-input."""
    if input.dtype == np.bool_:
        raise errors.BOOL_NEGATIVE()
    return -input


@op(
    grad_fn="NotImplemented",
    latex=r"\left\lfloor ⟨0⟩ \oslash ⟨1⟩ \right\rfloor",
    symbol="//",
    promote="common",
    inplace=False,
    functions=(),
    methods=(),
    torch="floor_divide",
    edges=(*INTEGERS,),
    errors=BY_ZERO,
)
def floor_divide(input: Operand, other: Operand):
    """input / other, rounded down."""
    refuse_zero(input, other)
    return floor_quotient_of(input, other)


@op(
    gradients={"input": "no_derivative(g, 'floor_divide_')", "other": "no_derivative(g, 'floor_divide_')"},
    grad_fn="NotImplemented",
    latex=r"\left\lfloor ⟨0⟩ \oslash ⟨1⟩ \right\rfloor",
    symbol="//",
    promote="common",
    functions=(),
    methods=(),
    torch="Tensor.floor_divide_",
    edges=(*INTEGERS, (V, 0.8), (V, W)),
)
def floor_divide_written(input: Operand, other: Operand):
    """input / other, rounded down, in place."""
    refuse_zero(input, other)
    return floor_quotient_of(input, other)


@helper(latex=r"\text{no derivative}")
def no_derivative(g, name):
    """Raises RuntimeError: PyTorch has no derivative of the operation."""
    raise errors.NOT_DIFFERENTIABLE(name=name)


def _remainder_of(latex: str, other: str, name: str, number: int, samples: Any) -> dict[str, Any]:
    gradients = {"input": "g"} if number == 0 else {"input": "g", "other": f"-g * {other}"}
    edges = (*INTEGERS, ZEROS) if number else ((V, 0.0), (WHOLE, 3))
    return {
        "gradients": gradients,
        "grad_fn": f"{name.capitalize()}Backward{number}",
        "symbol": "mod",
        "latex": latex,
        "promote": "common",
        "functions": (),
        "methods": (),
        "torch": name,
        "samples": samples,
        "edges": edges,
        "errors": BY_ZERO,
    }


PAIRS = ((V, DIVISORS), (COLUMN, DIVISORS))


@op(**_remainder_of(r"⟨0⟩ \bmod ⟨1⟩", "floor_quotient(input, other)", "remainder", 1, PAIRS))
def remainder_tensor(input: Operand, other: Operand):
    """What is left of input / other rounded down; has the sign of ``other``."""
    refuse_zero(input, other, "remainder_cpu")
    return _remainder(input, other)


@op(**_remainder_of(r"⟨0⟩ \bmod ⟨1⟩", "", "remainder", 0, ((V, 0.8), (V, -0.7))))
def remainder_scalar(input: Operand, other: Operand):
    """What is left of input / number rounded down; has the sign of the number."""
    refuse_zero(input, other, "remainder_cpu")
    return _remainder(input, other)


def _remainder(input: Any, other: Any) -> Any:
    rest = np.fmod(input, other)
    turned = (rest != 0) & ((np.asarray(rest) < 0) != (np.asarray(other) < 0))
    return np.where(turned, rest + other, rest)


@op(
    grad_fn="NotImplemented",
    symbol="mod",
    promote="common",
    functions=(),
    methods=(),
    edges=((2.5, WHOLE),),
    torch="remainder",
)
def remainder_base(input: Operand, other: Operand):
    """What is left of a number / other rounded down: PyTorch has no derivative for it."""
    refuse_zero(input, other, "remainder_cpu")
    return _remainder(input, other)


@op(**_remainder_of(r"\operatorname{fmod}\left(⟨0⟩, ⟨1⟩\right)", "trunc_quotient(input, other)", "fmod", 1, PAIRS))
def fmod_tensor(input: Operand, other: Operand):
    """What is left of input / other rounded towards 0; has the sign of the input."""
    refuse_zero(input, other, "fmod_cpu")
    return np.fmod(input, other)


@op(**_remainder_of(r"\operatorname{fmod}\left(⟨0⟩, ⟨1⟩\right)", "", "fmod", 0, ((V, 0.8), (V, -0.7))))
def fmod_scalar(input: Operand, other: Operand):
    """What is left of input / number rounded towards 0; has the sign of the input."""
    refuse_zero(input, other, "fmod_cpu")
    return np.fmod(input, other)


@op(
    latex=r"\left\lfloor ⟨0⟩ \oslash ⟨1⟩ \right\rfloor",
    promote="common",
    torch=None,
    inplace=False,
    samples=((V, DIVISORS),),
    gradients={"input": "zeros_like_array(g)", "other": "zeros_like_array(g)"},
    grad_fn="DivBackward2",
)
def _floor_quotient(input: Operand, other: Operand):
    """The quotient rounded down, without a gradient."""
    return floor_quotient_of(input, other)


@op(
    latex=r"\operatorname{trunc}\left(⟨0⟩ \oslash ⟨1⟩\right)",
    promote="common",
    torch=None,
    inplace=False,
    samples=((V, DIVISORS),),
    gradients={"input": "zeros_like_array(g)", "other": "zeros_like_array(g)"},
    grad_fn="DivBackward2",
)
def _trunc_quotient(input: Operand, other: Operand):
    """The quotient rounded towards 0, without a gradient."""
    return np.trunc(np.true_divide(input, other))


# -- of three operands -------------------------------------------------------------------------------------------------

TRIPLES = ((V, W, UNIT), (V, COLUMN, W), (COLUMN, V, W, {"value": 2}), (V, W, UNIT, {"value": -0.5}))


@op(
    gradients={"input": "g", "tensor1": "g * conj(tensor2 * value)", "tensor2": "g * conj(tensor1 * value)"},
    latex=r"⟨0⟩+⟨3⟩\,⟨1⟩ \odot ⟨2⟩",
    symbol="+××",
    promote="common",
    samples=TRIPLES,
    edges=((Z, Y, Z), (WHOLE, WHOLE, WHOLE), (Z, Y, Z, {"value": 2j})),
)
def addcmul(input: Operand, tensor1: Operand, tensor2: Operand, *, value=1):
    """input + value * tensor1 * tensor2, broadcast."""
    if value == 1:
        return input + tensor1 * tensor2
    return input + _in_kind(value, input, tensor1, tensor2) * tensor1 * tensor2


def _in_kind(value: Any, *operands: Any) -> Any:
    """A factor, cut to a whole number where all operands are integers."""
    return int(value) if all(getattr(o, "dtype", np.dtype(float)).kind in "iu" for o in operands) else value


@op(
    gradients={
        "input": "g",
        "tensor1": "g * conj(value / tensor2)",
        "tensor2": "-g * conj(value * tensor1 / (tensor2 * tensor2))",
    },
    latex=r"⟨0⟩+⟨3⟩\,⟨1⟩ \oslash ⟨2⟩",
    symbol="+÷",
    promote="common",
    samples=TRIPLES,
    edges=((Z, Y, Z),),
    errors=((WHOLE, WHOLE, WHOLE, errors.ADDCDIV_INTEGERS.message),),
)
def addcdiv(input: Operand, tensor1: Operand, tensor2: Operand, *, value=1):
    """input + value * tensor1 / tensor2, broadcast."""
    if np.result_type(input, tensor1, tensor2).kind not in "fc":
        raise errors.ADDCDIV_INTEGERS()
    return input + value * (tensor1 / tensor2)


@op(
    gradients={"input": "g * (1 - conj(weight))", "end": "g * conj(weight)"},
    latex=r"⟨0⟩+⟨2⟩\,(⟨1⟩-⟨0⟩)",
    symbol="lerp",
    elementwise=True,
    functions=(),
    methods=(),
    torch="lerp",
    grad_fn="LerpBackward0",
    samples=((V, W, 0.25), (V, COLUMN, 0.75), (V, W, 2)),
    edges=((Z, Y, 0.5),),
    errors=((V, WHOLE, 0.5, "expected dtype float for `end` but got dtype long int"),),
)
def lerp_scalar(input: Array, end: Array, weight):
    """From ``input`` to ``end``: input + weight * (end - input)."""
    return _lerp(input, end, weight)


@op(
    gradients={"input": "g * (1 - conj(weight))", "end": "g * conj(weight)", "weight": "g * conj(end - input)"},
    latex=r"⟨0⟩+⟨2⟩ \odot (⟨1⟩-⟨0⟩)",
    symbol="lerp",
    elementwise=True,
    functions=(),
    methods=(),
    torch="lerp",
    grad_fn="LerpBackward1",
    samples=((V, W, UNIT), (V, COLUMN, UNIT)),
    edges=((Z, Y, Z),),
)
def lerp_tensor(input: Array, end: Array, weight: Array):
    """From ``input`` to ``end``, with a weight for each element."""
    return _lerp(input, end, weight)


_NAMES = {"float32": "float", "float64": "double", "int64": "long int", "int32": "int", "bool": "bool"}


def _lerp(start: np.ndarray, end: np.ndarray, weight: Any) -> Any:
    for name, other in (("end", end), ("weight", weight)):
        if isinstance(other, np.ndarray) and other.dtype != start.dtype:
            kinds = [_NAMES.get(str(a.dtype), str(a.dtype)) for a in (start, other)]
            raise errors.LERP_DTYPE(expected=kinds[0], argument=name, actual=kinds[1])
    if start.dtype.kind not in "fc":
        kernel = "tensor" if isinstance(weight, np.ndarray) else "scalar"
        raise errors.NOT_IMPLEMENTED_DTYPE(name=f"lerp_kernel_{kernel}", dtype="Long")
    near = np.abs(weight) < 0.5  # from the nearer end, so that both ends are met exactly
    return np.where(near, start + weight * (end - start), end - (end - start) * (1 - weight)).astype(start.dtype)


# -- of integers -------------------------------------------------------------------------------------------------------

WHOLE_PAIRS = ((WHOLE, [[4, 6, 9], [6, -10, 7]]), (WHOLE, [[6], [0]]))


@op(
    refuses={"b": "gcd_cpu"},
    latex=r"\gcd\left(⟨0⟩, ⟨1⟩\right)",
    promote="common",
    inplace=True,
    edges=WHOLE_PAIRS,
    errors=((V, W, "\"gcd_cpu\" not implemented for 'Float'"),),
)
def gcd(input: Operand, other: Operand):
    """The greatest common divisor."""
    refuse_floats("gcd", input, other)
    return np.gcd(input, other)


@op(
    refuses={"b": "lcm_cpu"},
    latex=r"\operatorname{lcm}\left(⟨0⟩, ⟨1⟩\right)",
    promote="common",
    inplace=True,
    edges=WHOLE_PAIRS,
    errors=((V, W, "\"lcm_cpu\" not implemented for 'Float'"),),
)
def lcm(input: Operand, other: Operand):
    """The least common multiple."""
    refuse_floats("lcm", input, other)
    return np.lcm(input, other)


def _shift(name: str, latex: str, *methods: str) -> dict[str, Any]:
    full = f"bitwise_{name}_shift"
    return {
        "latex": latex,
        "promote": "common",
        "inplace": True,
        "functions": (full,),
        "methods": (full, *methods),
        "edges": ((WHOLE, 2), (WHOLE, [[1, 0, 70], [3, -1, 2]]), (np.array([1, 200], "uint8"), 3)),
        "errors": ((V, W, f"\"{name[0]}shift_cpu\" not implemented for 'Float'"),),
    }


@op(refuses={"b": "lshift_cpu"}, **_shift("left", r"⟨0⟩ \ll ⟨1⟩", "__lshift__"))
def bitwise_left_shift(input: Operand, other: Operand):
    """input << other: times a power of two."""
    refuse_floats("lshift", input, other)
    a, places = np.asarray(input), np.asarray(other)
    lost = (places < 0) | (places >= 8 * a.itemsize)
    return np.where(lost, ZERO[a.dtype], np.left_shift(a, np.where(lost, 0, places)))


@op(refuses={"b": "rshift_cpu"}, **_shift("right", r"⟨0⟩ \gg ⟨1⟩", "__rshift__"))
def bitwise_right_shift(input: Operand, other: Operand):
    """input >> other: divided by a power of two and rounded down."""
    refuse_floats("rshift", input, other)
    a, places = np.asarray(input), np.asarray(other)
    most = 8 * a.itemsize - 1
    return np.right_shift(a, np.where((places < 0) | (places > most), most, places))
