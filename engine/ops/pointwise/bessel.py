"""Bessel functions, Airy's function and orthogonal polynomials: PyTorch has no derivative of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradflow.engine.numerics import bessel, orthogonal_polynomials, special
from gradflow.engine.ops.pointwise.elementwise import SPECIAL, WHOLE, V, named, of_one_kind, rounded
from gradflow.engine.registry import Operand, op

FAR = [-40.0, -0.025, -1e-5, 1e-9, 0.3, 26.0, 700.0]
"""Where PyTorch, too, has all digits: between 1 and 20 it has nine."""


def _declare(name: str, symbol: str, function: Callable[..., Any], doc: str, far: Any = FAR) -> None:
    def body(input: Operand):
        return rounded(function, np.asarray(input))

    body.__doc__ = doc
    op(
        name=name,
        latex=named(symbol),
        symbol=symbol,
        promote="float",
        functions=(f"special.{name}",),
        methods=(),
        refuses={"ce": f"{name}_cpu"},
        torch=f"special.{name}",
        edges=((far,), (np.asarray(V, "float32"),), (SPECIAL,), ([True, False],), ([],)),
    )(body)


def _modified(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x: np.exp(np.abs(x)) * function(x)


def _second(order: int, scaled: bool) -> Callable[..., Any]:
    return lambda x: bessel.k(x, order, scaled)


_declare("bessel_j0", "J_0", bessel.j0, "The Bessel function of the first kind of order 0.")
_declare("bessel_j1", "J_1", bessel.j1, "The Bessel function of the first kind of order 1.")
_declare("bessel_y0", "Y_0", bessel.y0, "The Bessel function of the second kind of order 0.")
_declare("bessel_y1", "Y_1", bessel.y1, "The Bessel function of the second kind of order 1.")
_declare(
    "modified_bessel_i0", "I_0", _modified(special.i0e), "The modified Bessel function of the first kind of order 0."
)
_declare(
    "modified_bessel_i1", "I_1", _modified(special.i1e), "The modified Bessel function of the first kind of order 1."
)
_declare("modified_bessel_k0", "K_0", _second(0, False), "The modified Bessel function of the second kind of order 0.")
_declare("modified_bessel_k1", "K_1", _second(1, False), "The modified Bessel function of the second kind of order 1.")
_declare("scaled_modified_bessel_k0", "e^xK_0", _second(0, True), "exp(input) · K₀(input).")
_declare("scaled_modified_bessel_k1", "e^xK_1", _second(1, True), "exp(input) · K₁(input).")
_declare("spherical_bessel_j0", "j_0", bessel.spherical_j0, "sin(input) / input; 1 at 0.")
_declare("airy_ai", "Ai", bessel.airy_ai, "Airy's function of the first kind.", FAR[1:-2])


# -- polynomials -------------------------------------------------------------------------------------------------------

_DEGREES = [[0.0, 1.0, 2.0], [3.0, 7.0, -1.0]]
_POLYNOMIALS: dict[str, tuple[str, Callable[..., Any], str]] = {
    "chebyshev_polynomial_t": ("T", orthogonal_polynomials.chebyshev_t, "The Chebyshev polynomial of the first kind"),
    "chebyshev_polynomial_u": ("U", orthogonal_polynomials.chebyshev_u, "The Chebyshev polynomial of the second kind"),
    "chebyshev_polynomial_v": ("V", orthogonal_polynomials.chebyshev_v, "The Chebyshev polynomial of the third kind"),
    "chebyshev_polynomial_w": ("W", orthogonal_polynomials.chebyshev_w, "The Chebyshev polynomial of the fourth kind"),
    "hermite_polynomial_h": ("H", orthogonal_polynomials.hermite_h, "The physicists' Hermite polynomial"),
    "hermite_polynomial_he": ("He", orthogonal_polynomials.hermite_he, "The probabilists' Hermite polynomial"),
    "laguerre_polynomial_l": ("L", orthogonal_polynomials.laguerre_l, "The Laguerre polynomial"),
    "legendre_polynomial_p": ("P", orthogonal_polynomials.legendre_p, "The Legendre polynomial"),
}
_POLYNOMIALS |= {
    f"shifted_{name}": (f"{symbol}^*", orthogonal_polynomials.shifted(function), f"{doc} at 2 · input - 1")
    for name, (symbol, function, doc) in _POLYNOMIALS.items()
    if name.startswith("chebyshev")
}


def _declare_polynomial(name: str, symbol: str, function: Callable[..., Any], doc: str) -> None:
    def body(input: Operand, n: Operand):
        return function(*of_one_kind(input, n))

    body.__doc__ = f"{doc}, of degree n."
    op(
        name=name,
        latex=rf"{symbol}_{{⟨1⟩}}\left(⟨0⟩\right)",
        symbol=symbol,
        promote="float",
        functions=(f"special.{name}",),
        refuses={"ce": f"{name}_cpu"},
        methods=(),
        torch=f"special.{name}",
        edges=((V, _DEGREES), (V, 3), (2.0, _DEGREES), (WHOLE, 2), (1.0, [5.0, 6.0])),
    )(body)


for _name, (_symbol, _function, _doc) in _POLYNOMIALS.items():
    _declare_polynomial(_name, _symbol, _function, _doc)
NAMES = ("bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "modified_bessel_i0", "modified_bessel_i1",
    "modified_bessel_k0", "modified_bessel_k1", "scaled_modified_bessel_k0", "scaled_modified_bessel_k1",
    "spherical_bessel_j0", "airy_ai", *_POLYNOMIALS)  # fmt: skip
"""What stands under ``torch.special``."""
