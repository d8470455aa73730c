"""What comes with a program, as the engine takes it."""

from __future__ import annotations

from typing import Any, Final

MAX_BYTES: Final = 4_000_000
"""The budget of a trace that is answered, where the request names none."""

_SPECIAL: Final = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


def with_numbers(arguments: dict[str, Any]) -> dict[str, Any]:
    """The fields of a `TraceRequest` with NaN and infinities, which JSON knows as strings alone, as numbers."""
    inputs = {name: _leaf(given) for name, given in (arguments.get("inputs") or {}).items()}
    gradients = {k: _numbers(value) for k, value in (arguments.get("gradients") or {}).items()}
    return {
        **arguments,
        "inputs": inputs or None,
        "gradients": gradients or None,
        "gradient": _numbers(arguments.get("gradient")),
    }


def _leaf(given: Any) -> Any:
    return (
        {**given, "data": _numbers(given["data"])} if isinstance(given, dict) and "data" in given else _numbers(given)
    )


def _numbers(array: Any) -> Any:
    if isinstance(array, list):
        return [_numbers(part) for part in array]
    return _SPECIAL.get(array, array) if isinstance(array, str) else array
