"""Exponentials and logarithms, element by element."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradflow.engine.numerics.scalars import ONE
from gradflow.engine.ops.pointwise.elementwise import (
    BINARY,
    INF,
    NAN,
    POSITIVE,
    V,
    W,
    Z,
    exact,
    in_single,
    named,
    rounded,
    unary,
)
from gradflow.engine.registry import Gradient, Operand, helper, op
from gradflow.engine.tensor import Tensor, dtypes

PLANE = ((V,), (Z,))
ABOVE = ((POSITIVE,), (Z,))
PAIRS = BINARY[:3]


@op(**unary("g * conj(out)", r"e^{⟨0⟩}", "exp", PLANE))
def exp(input: Operand):
    """e to the power of each element."""
    return exact(np.exp, input)


@op(**unary("g * conj(out) * 0.6931471805599453", r"2^{⟨0⟩}", "exp2", PLANE))
def exp2(input: Operand):
    """2 to the power of each element."""
    return rounded(lambda x: np.power(2, x) if x.dtype.kind == "c" else np.exp2(x), np.asarray(input))


@op(**unary("g * (conj(out) + 1)", r"e^{⟨0⟩}-1", "expm1", PLANE))
def expm1(input: Operand):
    """exp(input) - 1, exact for small elements."""
    return rounded(np.expm1, input)


@op(**unary("g / conj(input)", r"\ln ⟨0⟩", "ln", ABOVE))
def log(input: Operand):
    """Natural logarithm; NaN for negative elements."""
    return exact(np.log, input)


@op(**unary("g / (conj(input) * 0.6931471805599453)", r"\log_{2} ⟨0⟩", "log2", ABOVE))
def log2(input: Operand):
    """Logarithm to the base 2."""
    return exact(np.log2, input)


@op(**unary("g / (conj(input) * 2.3025850929940456)", r"\log_{10} ⟨0⟩", "log10", ABOVE))
def log10(input: Operand):
    """Logarithm to the base 10."""
    return exact(np.log10, input)


@op(**unary("g / conj(input + 1)", r"\ln\left(1+⟨0⟩\right)", "log1p", ABOVE, grad_fn="Log1PBackward0"))
def log1p(input: Operand):
    """log(1 + input), exact for small elements."""
    return rounded(np.log1p, input)


@op(
    refuses={"bil": "logaddexp_cpu"},
    gradients={"input": "g / conj(1 + exp(other - input))", "other": "g / conj(1 + exp(input - other))"},
    latex=r"\ln\left(e^{⟨0⟩}+e^{⟨1⟩}\right)",
    symbol="logaddexp",
    promote="common",
    inplace=False,
    samples=PAIRS,
    edges=(([INF, -INF, NAN, 1.0], [INF, -INF, 1.0, -INF]),),
)
def logaddexp(input: Operand, other: Operand):
    """log(exp(input) + exp(other)) without overflow."""
    if dtypes.result_type(input, other).kind == "c":
        return complex_logaddexp(*_alike(input, other))
    return rounded(np.logaddexp, input, other)


def complex_logaddexp(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """log(exp(x) + exp(y)) of complex numbers: the one with the larger real part, and what the other adds to it."""
    x, y = np.broadcast_arrays(x, y)
    with np.errstate(all="ignore"):
        first = x.real >= y.real
        large, small = np.where(first, x, y), np.where(x.real < y.real, x, y)
        found = large + np.log1p(np.exp(small - large))
        same = ~np.isfinite(large.real) & (large.real == small.real)
        ends = np.where(small.real < 0, small, np.log(np.exp(large) + np.exp(small)))
    found = np.where(same, ends, found)
    missing = np.isnan(x) | np.isnan(y)
    return np.where(missing, complex(math.nan, math.nan), found).astype(x.dtype)


@op(
    refuses={"bilc": "logaddexp2_cpu"},
    gradients={
        "other": ("g / (1 + exp2(input - other))", "g / (pow_base(2, input - other) + 1)"),
        "input": ("g / (1 + exp2(other - input))", "g / (pow_base(2, other - input) + 1)"),
    },
    latex=r"\log_{2}\left(2^{⟨0⟩}+2^{⟨1⟩}\right)",
    symbol="logaddexp2",
    promote="common",
    inplace=False,
    samples=PAIRS,
    edges=(([INF, -INF, NAN, 1.0], [INF, -INF, 1.0, -INF]),),
)
def logaddexp2(input: Operand, other: Operand):
    """log2(2 ** input + 2 ** other) without overflow."""
    return rounded(np.logaddexp2, input, other)


def _times_log(name: str, inner: str, slope: str, number: int) -> dict[str, Any]:
    """The declaration of a product that is 0 where its first factor is, whatever the logarithm."""
    own = {0: ("input", "other"), 1: ("other",), 2: ("input",)}[number]
    gradients: dict[str, Gradient] = {
        "input": (
            f"{name}(masked_zero(g, input, {inner}), other)",
            f"masked_fill({name}(g, other), vanishes(input, {inner}), 0.0)",
        ),
        "other": f"g * input / {slope}",
    }
    first, second = (0.5 if number == 1 else V), (1.5 if number == 2 else POSITIVE)
    edges = (([0.0, 0.0, 0.0, NAN, 1.0], [0.0, -1.0, NAN, 1.0, 0.0]),)
    return {
        "gradients": {key: gradients[key] for key in own},
        "promote": "float",
        "samples": ((first, second),),
        "edges": edges if number == 0 else (),
        "symbol": name,
        "inplace": number != 1 and name == "xlogy",
    }


def _with_number(name: str, inner: str, slope: str, number: int, title: str) -> dict[str, Any]:
    """The declaration of such a product with a number: PyTorch's grad_fn of it has one edge."""
    path = name if name == "xlogy" else f"special.{name}"
    return _times_log(name, inner, slope, number) | {
        "refuses": {"c": f"{name}_cpu"},
        "grad_fn": f"{title}Backward{number}",
        "functions": (),
        "methods": (),
        "torch": path,
    }


@op(
    refuses={"c": "xlogy_cpu"},
    **_times_log("xlogy", "other", "other", 0),
    latex=r"⟨0⟩ \odot \ln ⟨1⟩",
    functions=(),
    methods=(),
    torch="xlogy",
)
def xlogy(input: Operand, other: Operand):
    """input * log(other), and 0 where the input is 0 (NaN where other is)."""
    return _xlogy(*_alike(input, other))


@op(**_with_number("xlogy", "other", "other", 1, "Xlogy"), latex=r"⟨0⟩ \odot \ln ⟨1⟩")
def xlogy_base(input: Operand, other: Operand):
    """`xlogy` whose first factor is a number."""
    return _xlogy(*_alike(input, other))


@op(**_with_number("xlogy", "other", "other", 2, "Xlogy"), latex=r"⟨0⟩ \odot \ln ⟨1⟩")
def xlogy_scalar(input: Operand, other: Operand):
    """`xlogy` of a number."""
    return _xlogy(*_alike(input, other))


def _alike(input: Any, other: Any) -> tuple[np.ndarray, np.ndarray]:
    """Both in the dtype of the result: a number has none of its own."""
    dtype = dtypes.result_type(input, other)
    return np.asarray(input, dtype), np.asarray(other, dtype)


def _xlogy(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(y), y, np.where(x == 0, 0, x * rounded(np.log, y)))


@op(
    refuses={"c": "xlog1py_cpu"},
    **_times_log("xlog1py", "other + 1", "(other + 1)", 0),
    latex=r"⟨0⟩ \odot \ln\left(1+⟨1⟩\right)",
    functions=(),
    methods=(),
    grad_fn="SpecialXlog1PyBackward0",
    torch="special.xlog1py",
)
def xlog1py(input: Operand, other: Operand):
    """input * log(1 + other), and 0 where the input is 0 (NaN where other is)."""
    return _xlog1py(*_alike(input, other))


@op(
    **_with_number("xlog1py", "other + 1", "(other + 1)", 1, "SpecialXlog1Py"), latex=r"⟨0⟩ \odot \ln\left(1+⟨1⟩\right)"
)
def xlog1py_base(input: Operand, other: Operand):
    """`xlog1py` whose first factor is a number."""
    return _xlog1py(*_alike(input, other))


@op(
    **_with_number("xlog1py", "other + 1", "(other + 1)", 2, "SpecialXlog1Py"), latex=r"⟨0⟩ \odot \ln\left(1+⟨1⟩\right)"
)
def xlog1py_scalar(input: Operand, other: Operand):
    """`xlog1py` of a number."""
    return _xlog1py(*_alike(input, other))


def _xlog1py(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(y), y, np.where(x == 0, 0, x * rounded(np.log1p, y)))


@op(
    gradients={"input": "where((factor == 0) * (argument <= 0), 0.0, g)"},
    latex="⟨0⟩",
    functions=(),
    methods=(),
    promote="common",
    inplace=False,
    torch=None,
    grad_fn="MaskedFillBackward0",
    samples=((V, [0.0, 1.0, 2.0], W),),
)
def masked_zero(input: Operand, factor: Operand, argument: Operand):
    """The input, 0 where a factor of 0 hides a logarithm that does not exist."""
    return np.where((factor == 0) & (argument <= 0), np.asarray(input).dtype.type(0), input)


@helper()
def vanishes(factor, argument):
    """Where a factor of 0 hides a logarithm that does not exist."""
    factor, argument = (each._a if isinstance(each, Tensor) else each for each in (factor, argument))
    return Tensor(np.asarray((factor == 0) & (argument <= 0)))


@op(**unary("sigmoid_backward(g, out)", r"\sigma\left(⟨0⟩\right)", "σ", PLANE))
def sigmoid(input: Operand):
    """1 / (1 + exp(-input))."""
    if input.dtype == np.float16:
        return sigmoid(input.astype(np.float32)).astype(np.float16)
    one = np.asarray(input).dtype.type(1)
    return one / (one + rounded(np.exp, -input))


@op(
    refuses={"c": "logit_cpu"},
    gradients={"input": "where(inside_unit(input, eps), g / (input * (1 - input)), outside_unit(eps))"},
    latex=named("logit"),
    symbol="logit",
    promote="float",
    samples=(([0.5, 0.25, 0.9],), ([0.5, 0.1, 0.9, 0.3], 0.2)),
    edges=(([0.0, 1.0, -0.5, 1.5, NAN],), ([0.0, 1.0, -0.5, 1.5, 0.25], 0.25), ([True, False],)),
)
def logit(input: Operand, eps=None):
    """log(input / (1 - input)); the input clamped to [eps, 1 - eps]."""
    kept = np.asarray(input if eps is None else np.clip(input, eps, 1 - eps))
    if kept.dtype == np.float16:
        return in_single(logit, kept)
    return rounded(np.log, kept / (ONE[kept.dtype] - kept))


@op(latex=r"[⟦1:⟨1⟩¦0⟧ \le ⟨0⟩ \le 1⟦1:-⟨1⟩⟧]", functions=(), methods=(), torch=None)
def inside_unit(input: Operand, eps):
    """Where logit neither clamps nor leaves its domain."""
    low = 0.0 if eps is None else eps
    return (input >= low) & (input <= 1 - low)


@op(latex="0", functions=(), methods=(), torch=None)
def outside_unit(eps):
    """The gradient of logit where the input lies outside: NaN without clamping."""
    return np.float32(math.nan if eps is None else 0.0)
