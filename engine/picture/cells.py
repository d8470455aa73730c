"""The numbers of a value on their colours, as Graphviz writes tables.

Reference: https://graphviz.org/doc/info/shapes.html#html
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from html import escape
from typing import Final, NamedTuple

from gradflow.engine.trace import Number, Value

_MANY: Final = 12
_PROPORTION: Final = 16
"""Times the largest number of the middle value."""


class Scale(NamedTuple):
    """The colours of a negative number, of zero and of a positive one, ``top`` where colours end, and the ink of the text."""

    colours: tuple[str, str, str]
    top: float
    ink: str


def cells(value: Value, scale: Scale, gap: int, most: tuple[int, int]) -> str:
    """The numbers on their colours, in no more than ``most`` rows and columns; ``gap`` in points is between them."""
    data, (rows, columns) = matrix(value)
    body = ""
    for i in range(min(rows, most[0])):
        line = data[i * columns : (i + 1) * columns][: most[1]]
        told = "".join(
            f'<TD BGCOLOR="{heat(v, scale)}"><FONT COLOR="{scale.ink}">{escape(text_of(v))}</FONT></TD>' for v in line
        )
        body += f"<TR>{told}{'<TD>…</TD>' if columns > most[1] or value.summary else ''}</TR>"
    if rows > most[0] or value.summary is not None:
        body += "<TR><TD>…</TD></TR>"
    if not body:
        body = "<TR><TD>empty</TD></TR>"
    return f'<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="{gap}" CELLPADDING="4">{body}</TABLE>'


def matrix(value: Value) -> tuple[list[Number], tuple[int, int]]:
    """The numbers to show, and their rows and columns: leading dimensions are rows one after the other."""
    if value.summary is not None:
        shape, data = value.summary.corner.shape, value.summary.corner.data
    else:
        shape, data = value.shape, value.data or []
    columns = shape[-1] if shape else 1
    return data, (len(data) // columns if columns else 0, columns)


def _float(number: Number) -> float:
    return float(number) if not isinstance(number, complex) else abs(number)


def size_of(number: Number) -> float:
    """A number as one of a scale; 0 for a complex number, which has no place there."""
    try:
        return _float(number)
    except ValueError:
        return 0.0


def largest(values: Iterable[Value]) -> float:
    """The largest absolute value among finite numbers that are shown; 0 where there is none."""
    found = 0.0
    for value in values:
        for number in matrix(value)[0]:
            try:
                size = abs(_float(number))
            except ValueError:  # a complex number as text
                continue
            if math.isfinite(size):
                found = max(found, size)
    return found


def scale_end(values: Iterable[Value]) -> float:
    """The magnitude that has the full colour. Where there are many values, one that is out of proportion (a mask of -1e9)
    has the full colour and no say: all others would be left without one."""
    sizes = sorted(filter(None, (largest([value]) for value in values)))
    if len(sizes) < _MANY:
        return sizes[-1] if sizes else 0.0
    limit = _PROPORTION * sizes[len(sizes) // 2]
    return next(size for size in reversed(sizes) if size <= limit)


def gradient_end(moving: Iterable[Value], received: Iterable[Value]) -> float:
    """The magnitude that has the full colour among gradients: ``moving`` ones, and those ``received`` by leaves.

    A loss starts from 1, and so do the losses that it is a sum of. One number that is no leaf's has a say only where there
    are no arrays.
    """
    moving = list(moving)
    arrays = [value for value in moving if not is_number(value)]
    return max(largest(received), largest(arrays) or largest(moving))


def is_number(value: Value) -> bool:
    """Whether there is one element."""
    return math.prod(value.shape) == 1


def norm(value: Value) -> float:
    """The Euclidean norm; 0 of complex numbers."""
    numbers = [value.summary.norm] if value.summary is not None else value.data or []
    try:
        return math.sqrt(sum(_float(number) ** 2 for number in numbers if number is not None))
    except ValueError:  # complex numbers as text
        return 0.0


def heat(number: Number, scale: Scale) -> str:
    """The colour of a number; that of zero for what has no size."""
    negative, zero, positive = scale.colours
    try:
        size = _float(number)
    except ValueError:
        return zero
    if not math.isfinite(size) or not scale.top:
        return zero
    return mixed(zero, positive if size > 0 else negative, min(math.sqrt(abs(size) / scale.top), 1.0))


def mixed(a: str, b: str, t: float) -> str:
    """A colour between two."""
    parts = [round(int(a[i : i + 2], 16) * (1 - t) + int(b[i : i + 2], 16) * t) for i in (1, 3, 5)]
    return "#" + "".join(f"{part:02X}" for part in parts)


def text_of(number: Number) -> str:
    """A number as it is printed."""
    if isinstance(number, str):
        return {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}.get(number, number)
    if isinstance(number, bool):
        return str(number)
    return f"{number:.4g}"
