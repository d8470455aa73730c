"""When two outcomes agree. Needs neither PyTorch nor the engine: what is recorded and what is run are compared alike.

Texts agree when they are the same. Some numbers, however, PyTorch itself gives otherwise on another processor, in the
last digits that its kernels round to; a record says which, as `varies`: for each such text the range of the numbers that
were seen to differ, by their place among the numbers of the text. Such a text agrees when its words are the same and each
number has the same value within its rounding. Gradients are always compared by value.
"""

from __future__ import annotations

import cmath
import re
from collections.abc import Iterator
from typing import Any

RELATIVE, ABSOLUTE = 1e-5, 1e-7
"""The rounding of single precision, to which most programs compute: of a number, and where numbers cancel."""
RELATIVE_DOUBLE = 1e-9
BEYOND = 4.0
"""By how many times its width a range of recorded values is exceeded on a processor on which nothing was recorded."""
TEXTS = ("stdout", "error", "warnings")

Ranges = dict[str, list[float]]

_NUMBER = re.compile(r"(?:[-+]|(?<![\w.]))\d+(?:\.\d*)?(?:e[-+]?\d+)?(?=j?(?![\w.]))")


def disagreements(actual: dict[str, Any], expected: dict[str, Any]) -> Iterator[str]:
    """What an outcome has otherwise than the recorded one."""
    varies = expected.get("varies", {})
    for field in TEXTS:
        if actual[field] == expected[field]:
            continue
        if field not in varies:
            yield f"{field}: {actual[field]!r}, expected {expected[field]!r}"
        else:
            yield from text_disagreements(as_text(actual[field]), as_text(expected[field]), varies[field])
    if actual["grads"].keys() != expected["grads"].keys():
        yield f"gradients of {list(actual['grads'])}, expected of {list(expected['grads'])}"
        return
    for name, grad in expected["grads"].items():
        yield from gradient_disagreements(name, actual["grads"][name], grad)


def as_text(field: list[str] | str | None) -> str:
    """One of the `TEXTS` of an outcome, in one piece."""
    return "\n".join(field) if isinstance(field, list) else field or ""


def text_disagreements(actual: str, expected: str, ranges: Ranges) -> Iterator[str]:
    """Where the words of two texts differ, and which numbers differ by more than they are rounded."""
    if words(actual) != words(expected):
        yield f"words: {words(actual)!r}, expected {words(expected)!r}"
        return
    for place, (ours, theirs) in enumerate(zip(numbers(actual), numbers(expected), strict=True)):
        if not _is_near(ours, theirs, ranges.get(str(place))):
            yield f"number {place}: {ours}, expected {theirs}"


def words(text: str) -> str:
    """What stands between the numbers of a text; how it is broken into lines and aligned follows from the numbers."""
    return re.sub(r"(?<=[\[(#]) | (?=#)", "", " ".join(_NUMBER.sub("#", text).split()))


def numbers(text: str) -> list[str]:
    """The numbers of a text as they are written, signs included."""
    return _NUMBER.findall(text)


def widened(ranges: Ranges, text: str, others: list[str]) -> Ranges:
    """The ranges of the numbers of a text together with those of the same text from elsewhere."""
    columns = zip(*(numbers(each) for each in [text, *others]), strict=True)
    seen = {str(place): {*map(_value, column), *ranges.get(str(place), ())} for place, column in enumerate(columns)}
    return {place: [min(values), max(values)] for place, values in seen.items() if len(values) > 1}


def _is_near(ours: str, theirs: str, span: list[float] | None) -> bool:
    if ours == theirs:
        return True
    whole = _is_integer(theirs)
    if _is_integer(ours) != whole or (whole and span is None):
        return False
    value, low, high = float(ours), *(span or [float(theirs)] * 2)
    rounding = max(_unit(ours), _unit(theirs), RELATIVE * max(abs(low), abs(high)), ABSOLUTE)
    slack = BEYOND * (high - low) + (0 if whole else rounding)
    return low - slack <= value <= high + slack


def _value(number: str) -> float:
    return int(number) if _is_integer(number) else float(number)


def _is_integer(number: str) -> bool:
    return re.fullmatch(r"[-+]?\d+", number) is not None


def _unit(number: str) -> float:
    """One in the last place of a number as it is written. A tensor of whole numbers is written without decimals: none."""
    digits, _, exponent = number.partition("e")
    decimals = len(digits.partition(".")[2])
    return 10.0 ** (int(exponent or 0) - decimals) if decimals else 0.0


def gradient_disagreements(name: str, actual: dict[str, Any] | None, expected: dict[str, Any] | None) -> Iterator[str]:
    """Where the values of a gradient differ by more than they are rounded; shapes and dtypes are the same."""
    if expected is None or actual is None:
        if actual is not expected:
            yield f"gradient of {name}: {actual}, expected {expected}"
        return
    if (actual["shape"], actual["dtype"]) != (expected["shape"], expected["dtype"]):
        yield f"gradient of {name}: {actual['dtype']} {actual['shape']}, expected {expected['dtype']} {expected['shape']}"
        return
    relative = RELATIVE if expected["dtype"] == "float32" else RELATIVE_DOUBLE
    for place, (ours, theirs) in enumerate(zip(_values(actual), _values(expected), strict=True)):
        if not _is_close(ours, theirs, relative):
            yield f"gradient of {name}, value {place}: {ours}, expected {theirs}"


def _values(gradient: dict[str, Any]) -> list[complex]:
    data = gradient["data"]
    return [complex(value) if isinstance(value, str) and "j" in value else float(value) for value in data]


def _is_close(ours: complex, theirs: complex, relative: float) -> bool:
    if ours == theirs or (cmath.isnan(ours) and cmath.isnan(theirs)):
        return True
    return cmath.isfinite(theirs) and abs(ours - theirs) <= max(relative * abs(theirs), ABSOLUTE)
