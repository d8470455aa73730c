"""``torch.special``: which operation or function each of its names is, and those that have a name only there."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from typing import Any

from gradflow.engine.namespace.functions import elementwise
from gradflow.engine.ops.pointwise import bessel
from gradflow.engine.registry import REGISTRY
from gradflow.engine.tensor import Tensor


def _numbered(name: str) -> Callable[..., Any]:
    """A function of two operands that is another one in PyTorch where one of them is a number."""

    def function(input: Any, other: Any) -> Any:
        own = name if isinstance(other, Tensor) or not isinstance(input, Tensor) else f"{name}_scalar"
        own = own if isinstance(input, Tensor) or not isinstance(other, Tensor) else f"{name}_base"
        return REGISTRY[own].call(input, other)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = REGISTRY[name].doc
    return function


xlogy, xlog1py, zeta = _numbered("xlogy"), _numbered("xlog1py"), _numbered("zeta")


def xlogy_(input: Tensor, other: Any) -> Any:
    """`xlogy` in place."""
    call = REGISTRY["xlogy" if isinstance(other, Tensor) else "xlogy_scalar"].call_inplace
    assert call is not None
    return call(input, other)


def ndtr(input: Tensor) -> Any:
    """The standard normal distribution function."""
    call = {name: REGISTRY[name].call for name in ("mul", "mul_scalar", "erf", "add_scalar")}
    times = call[
        "mul_scalar" if input._a.dtype.kind in "fV" else "mul"
    ]  # of which the second makes floats of whole numbers
    return call["mul_scalar"](call["add_scalar"](call["erf"](times(input, math.sqrt(0.5))), 1.0), 0.5)


def round(input: Tensor, *, decimals: int = 0) -> Any:
    """Rounded to a number of decimals; under ``torch.special`` none are such a number too."""
    return elementwise.round(input, decimals=decimals)


FUNCTIONS: dict[str, Callable[..., Any]] = {"xlogy": xlogy, "xlogy_": xlogy_}
"""Under ``torch`` and on Tensor."""

SPECIAL = {
    "gammainc": "igamma",
    "gammaincc": "igammac",
    "softmax": "softmax",
    "log_softmax": "log_softmax",
    "logsumexp": "logsumexp",
    "zeta": "zeta",
    **{name: name for name in bessel.NAMES},
    "expit": "sigmoid",
    "psi": "digamma",
    "gammaln": "lgamma",
    "multigammaln": "mvlgamma",
    "entr": "entr",
    **{
        name: name
        for name in (
            "digamma",
            "erf",
            "erfc",
            "erfinv",
            "erfcx",
            "exp2",
            "expm1",
            "i0",
            "i0e",
            "i1",
            "i1e",
            "log1p",
            "log_ndtr",
            "logit",
            "ndtri",
            "polygamma",
            "round",
            "sinc",
            "xlog1py",
            "xlogy",
        )
    },
}
"""Under ``torch.special``: the name there, and the operation or function that it is."""


def special(functions: dict[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
    """The functions of ``torch.special``; those that are functions of ``torch`` too are taken from there."""
    table = {name: functions[own] if own in functions else REGISTRY[own].call for name, own in SPECIAL.items()}
    return table | {"zeta": zeta, "xlog1py": xlog1py, "round": round, "ndtr": ndtr}


def special_titles(functions: Collection[str]) -> dict[str, str]:
    """Under which name those functions of ``torch.special`` write results that are functions of ``torch`` too."""
    return {name: own for name, own in SPECIAL.items() if own in functions}
