"""Special functions: the error function's family, the gamma function's, Bessel functions, entropy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics import special
from gradflow.engine.numerics.scalars import HALF
from gradflow.engine.ops.pointwise.elementwise import POSITIVE, UNIT, V, named, refuse_whole, rounded, unary
from gradflow.engine.registry import REGISTRY, Gradient, Operand, helper, op
from gradflow.engine.tensor import Tensor, dtypes

PROBABILITIES = ((UNIT,), ([0.3, 0.75, 0.01],))
TWO_OVER_ROOT_PI = "1.1283791670955126"
FAR = [-30.0, -8.5, -3.25, -0.1, 0.05, 3.5, 8.25, 40.0]
BESIDE_POLES = [-0.5, -3.75, 1.0, 2.0, 0.1, 30.0]


def _special(gradient: Gradient, name: str, samples: Any = ((V,),), **more: Any) -> dict[str, Any]:
    """The declaration of a function that PyTorch has under ``torch.special`` alone."""
    title = "".join(part[:1].upper() + part[1:] for part in name.split("_"))
    own = {
        "functions": (f"special.{name}",),
        "methods": (),
        "inplace": False,
        "torch": f"special.{name}",
        "grad_fn": f"Special{title}Backward0",
    }
    return unary(gradient, named(name.replace("_", r"\_")), name, samples, **own | more)


def _of_doubles(function: Any, input: Any) -> Any:
    return rounded(function, np.asarray(input))


# -- the error function ------------------------------------------------------------------------------------------------


@op(
    refuses={"c": "erf_vml_cpu"},
    **unary(
        (f"{TWO_OVER_ROOT_PI} * exp(-(input * input)) * g", f"{TWO_OVER_ROOT_PI} * exp(-pow_scalar(input, 2)) * g"),
        named("erf"),
        "erf",
        edges=((FAR,),),
    ),
)
def erf(input: Operand):
    """The error function 2/√π ∫ exp(-t²) dt from 0 to the input."""
    return _of_doubles(special.erf, input)


@op(
    refuses={"c": "erfc_vml_cpu"},
    **unary(
        (f"-{TWO_OVER_ROOT_PI} * exp(-(input * input)) * g", f"-{TWO_OVER_ROOT_PI} * exp(-pow_scalar(input, 2)) * g"),
        named("erfc"),
        "erfc",
        edges=((FAR,),),
    ),
)
def erfc(input: Operand):
    """1 - erf(input), exact where it is small."""
    return _of_doubles(special.erfc, input)


@op(
    refuses={"c": "erfinv_vml_cpu"},
    **unary(
        (
            "0.886226925452758 * exp(erfinv(input) * erfinv(input)) * g",
            "0.886226925452758 * exp(pow_scalar(erfinv(input), 2)) * g",
        ),
        r"\operatorname{erf}^{-1}\left(⟨0⟩\right)",
        "erf⁻¹",
        PROBABILITIES,
        edges=(([0.999, -0.99999, 1e-6, 1.5],),),
    ),
)
def erfinv(input: Operand):
    """The inverse of erf, on (-1, 1)."""
    return _of_doubles(special.erfinv, input)


@op(
    refuses={"ce": "erfcx_cpu"},
    **_special(f"g * (2.0 * input * out - {TWO_OVER_ROOT_PI})", "erfcx", edges=(([-3.0, 0.1, 30.0],),)),
)
def erfcx(input: Operand):
    """exp(input²) · erfc(input)."""
    return _of_doubles(special.erfcx, input)


@op(
    refuses={"ce": "log_ndtr_cpu"},
    **_special(
        (
            "g / 2.5066282746310002 * exp(-(out + input * input / 2))",
            "g / 2.5066282746310002 * exp(-(out + pow_scalar(input, 2) / 2))",
        ),
        "log_ndtr",
        edges=((FAR[3:],),),
    ),
)
def log_ndtr(input: Operand):
    """The logarithm of the standard normal distribution function."""
    return _of_doubles(special.log_ndtr, input)


@op(
    refuses={"ce": "ndtri_cpu"},
    **_special(
        ("g * 2.5066282746310002 * exp(out * out / 2)", "g * 2.5066282746310002 * exp(pow_scalar(out, 2) / 2)"),
        "ndtri",
        (([0.3, 0.75, 0.4],),),
        edges=(([0.0, 0.5, 1.0, -0.5, 1.5, 1e-6, 0.01, 0.99],),),
    ),
)
def ndtri(input: Operand):
    """The inverse of the standard normal distribution function."""
    return _of_doubles(special.ndtri, input)


# -- the gamma function ------------------------------------------------------------------------------------------------


@op(
    refuses={"c": "lgamma_vml_cpu"},
    **unary(
        "g * digamma(input)", r"\ln\left|\Gamma\left(⟨0⟩\right)\right|", "lnΓ", edges=((BESIDE_POLES,), ([0, -1, -2],))
    ),
)
def lgamma(input: Operand):
    """The logarithm of the size of the gamma function."""
    return _of_doubles(special.lgamma, input)


@op(
    refuses={"c": "digamma"},
    **unary("g * polygamma(input, 1)", r"\psi\left(⟨0⟩\right)", "ψ", edges=((BESIDE_POLES,), ([0, -1, -2],))),
)
def digamma(input: Operand):
    """The derivative of lgamma."""
    return _of_doubles(special.digamma, input)


_POLYGAMMA = {0: "digamma", 1: "trigamma"}
"""What PyTorch's kernels are called."""


@op(
    **unary(
        "g * polygamma(input, n + 1)",
        r"\psi^{(⟨1⟩)}\left(⟨0⟩\right)",
        "ψ⁽ⁿ⁾",
        ((POSITIVE, 1), ([0.5, 1.25, 2.0], 2), ([0.5, 1.25, 2.0], 3)),
        functions=(),
        torch="polygamma",
        adapt=lambda polygamma, input, *n: polygamma(*n, input),
        errors=((V, -1, errors.POLYGAMMA_ORDER.message),),
    )
    | {"edges": ((POSITIVE, 0), (V, 1), (V, 2), ([0.0, -1.0, 30.0], 2), ([2, 3], 1))}
)
def polygamma(input: Operand, n):
    """The n-th derivative of digamma."""
    if n < 0:
        raise errors.POLYGAMMA_ORDER()
    if np.asarray(input).dtype.kind == "c":
        raise errors.NOT_IMPLEMENTED_DTYPE(
            name=_POLYGAMMA.get(n, "polygamma"), dtype=dtypes.of(np.asarray(input)).legacy
        )
    if n == 1:  # PyTorch, too, computes this one in the precision of its input
        return special.trigamma(np.asarray(input))
    return _of_doubles(lambda x: special.polygamma(n, x), input)


@op(
    gradients={"input": "g * polygamma(input, n + 1)"},
    latex=r"\psi^{(⟨1⟩)}\left(⟨0⟩\right)",
    symbol="ψ⁽ⁿ⁾",
    promote="float",
    functions=(),
    methods=(),
    torch="Tensor.polygamma_",
    grad_fn="PolygammaBackward1",
    samples=((POSITIVE, 1), ([0.5, 1.25, 2.0], 2)),
)
def polygamma_written(input: Operand, n):
    """The n-th derivative of digamma, in place."""
    return polygamma(input, n)


@op(
    refuses={"c": "arange_cpu"},
    gradients={"input": ("g * mvlgamma_slope(input, p, 0)", "g * mvlgamma_pieces(input, p)")},
    latex=r"\ln \Gamma_{⟨1⟩}\left(⟨0⟩\right)",
    symbol="lnΓₚ",
    promote="float",
    samples=(([1.5, 2.25, 3.0], 2), ([2.5, 4.0], 4)),
    edges=(([1.5, 0.75], 1),),
    check_write=refuse_whole("mvlgamma: result type {own} can't be cast to the desired output type Float"),
)
def mvlgamma(input: Operand, p):
    """The logarithm of the multivariate gamma function of dimension p."""
    if np.asarray(input).dtype == np.bool_:
        raise errors.MVLGAMMA_BOOL()
    if p < 1:
        raise errors.MVLGAMMA_ORDER()
    constant = p * (p - 1) / 4 * math.log(math.pi)
    return _of_doubles(lambda x: constant + sum(special.lgamma(x - i / 2) for i in range(p)), input)


@helper()
def mvlgamma_pieces(input, p):
    """The derivative of `mvlgamma` as PyTorch records it: digamma of p numbers for each."""
    shifts = Tensor(np.arange(-p / 2 + 0.5, 0.5, 0.5).astype(input._a.dtype))
    arguments = shifts + REGISTRY["unsqueeze"].call(input, -1)
    return REGISTRY["sum_dim"].call(REGISTRY["digamma"].call(arguments), [-1])


@op(
    gradients={"input": "g * mvlgamma_slope(input, p, order + 1)"},
    latex=r"\psi_{⟨1⟩}\left(⟨0⟩\right)",
    symbol="ψₚ",
    promote="float",
    functions=(),
    methods=(),
    inplace=False,
    torch=None,
    samples=(([1.5, 2.25], 2, 0),),
)
def mvlgamma_slope(input: Operand, p, order):
    """The derivative of `mvlgamma`, differentiated ``order`` more times."""
    return _of_doubles(lambda x: sum(special.polygamma(order, x - i / 2) for i in range(p)), input)


# -- modified Bessel functions -----------------------------------------------------------------------------------------


@op(refuses={"c": "i0_vml_cpu"}, **unary("g * i1(input)", named("I_0"), "I₀", edges=((FAR,),)))
def i0(input: Operand):
    """The modified Bessel function of the first kind of order 0."""
    return _of_doubles(lambda x: np.exp(np.abs(x)) * special.i0e(x), input)


@op(
    refuses={"c": "i0e_cpu"},
    **_special("g * (i1e(input) - sgn(input) * out)", "i0e", grad_fn="SpecialI0EBackward0", edges=((FAR,),)),
)
def i0e(input: Operand):
    """exp(-|input|) · i0(input)."""
    return _of_doubles(special.i0e, input)


@op(
    refuses={"c": "i1_cpu"},
    **_special(("g * i1_slope(input)", "g * bessel_pieces(input, out, False)"), "i1", edges=((FAR,),)),
)
def i1(input: Operand):
    """The modified Bessel function of the first kind of order 1."""
    return _of_doubles(lambda x: np.exp(np.abs(x)) * special.i1e(x), input)


@op(
    refuses={"c": "i1e_cpu"},
    **_special(
        ("g * i1e_slope(input)", "g * bessel_pieces(input, out, True)"),
        "i1e",
        grad_fn="SpecialI1EBackward0",
        edges=((FAR,),),
    ),
)
def i1e(input: Operand):
    """exp(-|input|) · i1(input)."""
    return _of_doubles(special.i1e, input)


def _refuse_short(array: Any, name: str) -> None:
    """PyTorch has no derivative of `i1` and `i1e` for floats of 16 bits."""
    if array.dtype.itemsize < 4:
        raise errors.NOT_IMPLEMENTED_DTYPE(name=f"{name}_backward", dtype=dtypes.of(array).legacy)


@helper()
def bessel_pieces(input, out, scaled):
    """The slope of `i1` or `i1e` as PyTorch records it: away from 0 by a quotient."""
    _refuse_short(input._a, "i1e" if scaled else "i1")
    where, eps = REGISTRY["where"].call, np.finfo(input._a.dtype).eps
    away = Tensor(np.asarray(~at_origin(input._a)))
    safe = where(away, input, Tensor(np.array(eps, input._a.dtype)))
    factor = REGISTRY["reciprocal"].call(safe)
    if scaled:
        factor = REGISTRY["sgn"].call(safe) + factor
    less = out * factor
    slope = REGISTRY["i0e" if scaled else "i0"].call(safe) - less
    return where(away, slope, Tensor(HALF[slope._a.dtype]))


def _slope(gradient: str, name: str) -> dict[str, Any]:
    return {
        "gradients": {"input": gradient},
        "latex": named(name),
        "promote": "float",
        "functions": (),
        "methods": (),
        "inplace": False,
        "torch": None,
        "samples": ((V,),),
    }


@op(
    **_slope(
        "g * where(at_origin(input), 0.0, i1(input) - i1_slope(input) / input + i1(input) / (input * input))", "I_1'"
    )
)
def i1_slope(input: Operand):
    """The derivative of `i1`: i0 - i1 / input, and 0.5 at 0."""
    _refuse_short(np.asarray(input), "i1")
    slope = i0(input) - i1(input) / input
    return np.where(at_origin(input), HALF[slope.dtype], slope)


@op(
    **_slope(
        "g * where(at_origin(input), 0.0, i1e(input) - sgn(input) * i0e(input)"
        " - i1e_slope(input) * (sgn(input) + 1 / input) + i1e(input) / (input * input))",
        "I_{1e}'",
    )
)
def i1e_slope(input: Operand):
    """The derivative of `i1e`, 0.5 at 0."""
    _refuse_short(np.asarray(input), "i1e")
    slope = i0e(input) - i1e(input) * (np.sign(input) + 1 / input)
    return np.where(at_origin(input), HALF[slope.dtype], slope)


@op(latex=r"\left[⟨0⟩ = 0\right]", functions=(), methods=(), torch=None)
def at_origin(input: Operand):
    """Where the input is 0, or so near to it that a quotient by it says nothing; also NaN."""
    return ~(np.abs(input) > np.finfo(np.asarray(input).dtype).eps)


# -- entropy -----------------------------------------------------------------------------------------------------------


@op(refuses={"c": "entr_cpu"}, **_special("g * (-(1 + log(input)))", "entr", ((POSITIVE,),)))
def entr(input: Operand):
    """-input · log(input); 0 at 0, -∞ for negative elements."""
    x = np.asarray(input)
    value = np.where(x == 0, 0, -x * rounded(np.log, np.abs(x)))
    return np.where(np.isnan(x), x, np.where(x < 0, -np.inf, value)).astype(x.dtype)
