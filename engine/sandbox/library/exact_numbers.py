"""Numbers that are exact, and names that nobody else has: ``decimal``, ``fractions``, ``uuid``, ``secrets``."""

from __future__ import annotations

import decimal
import fractions
import secrets
import uuid
from typing import Any, Final

from gradflow.engine.sandbox.gate import allow

_DECIMAL: Final = (
    "adjusted as_integer_ratio as_tuple compare copy_abs copy_sign exp fma is_finite is_infinite is_nan is_signed"
    " is_zero ln log10 max min normalize quantize real imag remainder_near same_quantum scaleb sqrt to_eng_string"
    " to_integral_exact to_integral_value from_float"
)
_CONTEXT: Final = ("prec", "rounding")
_ROUNDINGS: Final = "CEILING DOWN FLOOR HALF_DOWN HALF_EVEN HALF_UP UP 05UP"
_SIGNALS: Final = "DecimalException DivisionByZero InvalidOperation Inexact Overflow Rounded Underflow"
_FRACTION: Final = ("as_integer_ratio", "denominator", "from_decimal", "from_float", "limit_denominator", "numerator")
_UUID: Final = "bytes fields hex int node time urn variant version"
_SECRETS: Final = "choice compare_digest randbelow randbits token_bytes token_hex token_urlsafe"
_CLOCK_BITS: Final = 14
_NODE_BITS: Final = 48


def _uuid1(node: Any = None, clock_seq: Any = None) -> uuid.UUID:
    """``uuid.uuid1`` of a drawn node: it does not look for the address of the machine."""
    own = secrets.randbits(_NODE_BITS) if node is None else node
    return uuid.uuid1(own, secrets.randbits(_CLOCK_BITS) if clock_seq is None else clock_seq)


def members() -> dict[str, dict[str, object]]:
    """The modules by name, with a fresh context for decimal numbers."""
    decimal.setcontext(decimal.DefaultContext.copy())
    return {
        "decimal": {
            "Decimal": decimal.Decimal,
            **{name: getattr(decimal, name) for name in ("getcontext", "localcontext", *_SIGNALS.split())},
            **{f"ROUND_{name}": f"ROUND_{name}" for name in _ROUNDINGS.split()},
        },
        "fractions": {"Fraction": fractions.Fraction},
        "uuid": {
            "UUID": uuid.UUID,
            "uuid1": _uuid1,
            **{name: getattr(uuid, name) for name in ("uuid3", "uuid4", "uuid5")},
            **{f"NAMESPACE_{name}": getattr(uuid, f"NAMESPACE_{name}") for name in ("DNS", "URL", "OID", "X500")},
        },
        "secrets": {name: getattr(secrets, name) for name in _SECRETS.split()},
    }


def _register() -> None:
    allow(decimal.Decimal, _DECIMAL.split(), shown_as=decimal.Decimal)
    allow(decimal.Context, _CONTEXT, writable=_CONTEXT)
    allow(type(decimal.localcontext()))
    allow(decimal.DecimalTuple, ("digits", "exponent", "sign"))
    allow(fractions.Fraction, _FRACTION, shown_as=fractions.Fraction)
    allow(uuid.UUID, _UUID.split(), shown_as=uuid.UUID)


_register()
