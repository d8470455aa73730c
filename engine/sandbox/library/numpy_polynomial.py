"""``np.poly1d`` and ``np.polynomial``, whose coefficients and values are numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy import polynomial
from numpy.polynomial._polybase import ABCPolyBase

from gradflow.engine import errors
from gradflow.engine.sandbox.array_elements import checked, checked_array, checked_members
from gradflow.engine.sandbox.gate import Module, allow

_OPEN: Final = "c coef coeffs deriv integ o order r roots variable"
_OPERATORS: Final = "add div mul neg pos pow radd rdiv rmul rsub rtruediv sub truediv"


class poly1d(np.poly1d):
    """A polynomial of one variable."""

    def __init__(self, c_or_r: Any, r: bool = False, variable: str | None = None) -> None:
        given = c_or_r if isinstance(c_or_r, np.poly1d) else checked_array(c_or_r)
        super().__init__(given, r, variable)
        checked(self.coeffs)

    def __call__(self, val: Any) -> Any:
        return _own(super().__call__(val if isinstance(val, np.poly1d) else checked_array(val)))

    def deriv(self, m: Any = 1) -> Any:
        """The derivative of order ``m``."""
        return _own(super().deriv(m))

    def integ(self, m: Any = 1, k: Any = 0) -> Any:
        """The integral of order ``m``, with the constants ``k``."""
        return _own(super().integ(m, k))


def _own(result: Any) -> Any:
    """What NumPy's own class gives, as this class."""
    if isinstance(result, tuple):
        return tuple(map(_own, result))
    return poly1d(result) if isinstance(result, np.poly1d) else checked(result)


def _operator(name: str) -> Callable[..., Any]:
    real = getattr(np.poly1d, name)

    def operate(self: poly1d, *others: Any) -> Any:
        return _own(real(self, *others))

    return operate


_SERIES: Final = {
    "Polynomial": "polynomial", "Chebyshev": "chebyshev", "Legendre": "legendre", "Laguerre": "laguerre",
    "Hermite": "hermite", "HermiteE": "hermite_e",
}  # fmt: skip
_SHOWN: Final = (
    "basis basis_name coef convert copy cutdeg degree deriv domain fit fromroots has_samecoef has_samedomain has_sametype has_samewindow"
    " identity integ linspace mapparms roots symbol trim truncate window"
)
_OF_SERIES: Final = "add radd sub rsub mul rmul truediv floordiv rfloordiv mod rmod divmod rdivmod eq ne"
_MOST_POWER: Final = 100


class Series:
    """What the classes of ``np.polynomial`` have in common here: what NumPy computes with is made of numbers first."""

    domain: np.ndarray
    window: np.ndarray

    def __init__(self, coef: Any, domain: Any = None, window: Any = None, symbol: Any = "x") -> None:
        super().__init__(checked_array(coef), _given(domain), _given(window), symbol=str.__str__(symbol))  # type: ignore[call-arg]  # NumPy's class is the next
        self.domain, self.window = self.domain.copy(), self.window.copy()  # else those of its class, for all runs

    def __call__(self, arg: Any) -> Any:
        return checked(super().__call__(_operand(arg)))  # type: ignore[misc]  # NumPy's class is the next

    def __pow__(self, other: Any) -> Any:
        return super().__pow__(min(int(other), _MOST_POWER))  # type: ignore[misc]  # NumPy refuses more, too

    def integ(self, m: Any = 1, k: Any = (), lbnd: Any = None) -> Any:
        """The integral of order ``m``, with the constants ``k``, from ``lbnd`` on."""
        constants = [float(one) for one in np.atleast_1d(checked_array(k))]
        return super().integ(int(m), constants, None if lbnd is None else float(lbnd))  # type: ignore[misc]  # as above

    def linspace(self, n: Any = 100, domain: Any = None) -> Any:
        """Places in its domain, and its values there."""
        return checked(super().linspace(int(n), _given(domain)))  # type: ignore[misc]  # as above

    def convert(self, domain: Any = None, kind: Any = None, window: Any = None) -> Any:
        """The same function in another basis, over another domain."""
        if kind is not None and kind not in _OWN_SERIES:
            raise errors.CALL_REFUSED(name="convert() to another class than those of np.polynomial")
        return super().convert(_given(domain), kind or type(self), _given(window))  # type: ignore[misc]  # as above

    @classmethod
    def fit(
        cls, x: Any, y: Any, deg: Any, domain: Any = None, rcond: Any = None, full: bool = False, w: Any = None
    ) -> Any:
        """The least squares fit to points."""
        limit = None if rcond is None else float(rcond)
        points = checked_array(x), checked_array(y), _degrees(deg)
        return super().fit(*points, _given(domain), limit, bool(full), _given(w))  # type: ignore[misc]  # as above

    @classmethod
    def fromroots(cls, roots: Any, domain: Any = (), window: Any = None, symbol: Any = "x") -> Any:
        """The series that is 0 at these places."""
        places: Any = [] if isinstance(domain, list | tuple) and not domain else _given(domain)
        named = str.__str__(symbol)
        return super().fromroots(checked_array(roots), places, _given(window), named)  # type: ignore[misc]  # as above


def _given(value: Any) -> np.ndarray | None:
    return None if value is None else checked_array(value)


def _degrees(given: Any) -> Any:
    return [int(each) for each in given] if isinstance(given, list | tuple) else int(given)


def _operand(value: Any) -> Any:
    return value if type(value) in _OWN_SERIES else checked_array(value)


def _operator_of_series(real: Callable[..., Any]) -> Callable[..., Any]:
    def operate(self: Any, other: Any) -> Any:
        return checked(real(self, _operand(other)))

    return operate


def _own_series(name: str) -> type[Any]:
    real = getattr(polynomial, name)
    operators = {f"__{each}__": _operator_of_series(getattr(real, f"__{each}__")) for each in _OF_SERIES.split()}
    return type(name, (Series, real), {**operators, "__hash__": None, "__module__": real.__module__})


_OWN_SERIES: Final[list[type[Any]]] = [_own_series(name) for name in _SERIES]


def polynomial_modules() -> dict[str, Module]:
    """``numpy.polynomial`` and its modules, by full name."""
    own = dict(zip(_SERIES, _OWN_SERIES, strict=True))
    inner = {}
    for title, name in _SERIES.items():
        real = getattr(polynomial, name)
        functions = {each: getattr(real, each) for each in real.__all__ if each != title}
        inner[f"numpy.polynomial.{name}"] = Module(
            f"numpy.polynomial.{name}", {**checked_members(functions), title: own[title]}
        )
    named = {name.rpartition(".")[2]: module for name, module in inner.items()}
    return {"numpy.polynomial": Module("numpy.polynomial", {**named, **own}), **inner}


def _register() -> None:
    for cls in (ABCPolyBase, Series):
        allow(cls, _SHOWN.split())
    for cls in _OWN_SERIES:
        allow(cls.__mro__[2], _SHOWN.split())
        allow(cls, _SHOWN.split(), shown_as=cls, copyable=True)
    for name in _OPERATORS.split():
        if hasattr(np.poly1d, f"__{name}__"):
            setattr(poly1d, f"__{name}__", _operator(f"__{name}__"))
    poly1d.__module__ = "numpy"
    allow(np.poly1d)
    allow(poly1d, _OPEN.split(), shown_as=poly1d)


_register()
