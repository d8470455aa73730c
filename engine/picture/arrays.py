"""An array in a picture: its numbers on their colours where they can be read, else its colours alone, as on the page."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Final, NamedTuple

from gradflow.engine.picture.cells import Scale, heat, is_number, matrix, mixed, size_of, text_of
from gradflow.engine.picture.letters import width
from gradflow.engine.picture.marks import cell, line, rectangle, stroke
from gradflow.engine.picture.palette import Palette
from gradflow.engine.trace import Number, Value

BEADS: Final = 4.0
"""The room between the cells of a gradient."""
BUCKET: Final = 9.0
"""From the outer line of a bucket to what is in it."""
HATCH: Final = "url(#hatch)"
_ELLIPSIS: Final = 24.0
_MORE: Final = 18.0
"""Room of what says that there are more columns, more rows."""
LEAST: Final = 14.0
"""The least side of colours alone, less than that of any numbers."""
_STEPS: Final = 32
"""Colours between zero and the largest, of what is drawn in colours alone."""


class Room(NamedTuple):
    """``numbers``: rows and columns that are drawn with numbers. ``corner``: those of an array that is not known whole. ``cell``:
    the least width of a cell, and its height. ``side``: the longest side of colours alone, ``least`` and ``largest`` that of their cells."""

    numbers: tuple[int, int]
    corner: tuple[int, int]
    font: float
    cell: tuple[float, float]
    side: float
    least: float
    largest: float


CARD: Final = Room((8, 8), (4, 4), 13.0, (38.0, 28.0), 200.0, 4.0, 12.0)
ROW: Final = Room((3, 4), (0, 0), 12.0, (30.0, 22.0), 58.0, 2.0, 9.0)
IN_FORMULA: Final = Room((4, 4), (0, 0), 11.5, (22.0, 19.0), 40.0, 2.0, 9.0)


class Plan(NamedTuple):
    """How an array is drawn: ``shown`` rows and columns with their numbers, or, where that is None, ``cells`` of colour."""

    room: Room
    shown: tuple[int, int] | None
    more: tuple[bool, bool]
    cells: tuple[int, int]
    cell: tuple[float, float]
    width: float
    height: float


def planned(room: Room, value: Value, others: Sequence[Value] = ()) -> Plan:
    """others: what is drawn in cells of the same size, or in the same place."""
    data, (rows, columns) = matrix(value)
    most = room.corner if value.summary is not None else room.numbers
    fits = rows <= most[0] and columns <= most[1]
    if not (fits or (value.summary is not None and most[0])):
        return _coloured(room, max(rows, 1), max(columns, 1))
    shown = min(rows, most[0]), min(columns, most[1])
    more = (columns > shown[1] or value.summary is not None, rows > shown[0] or value.summary is not None)
    texts = [text_of(number) for each in (value, *others) for row in corner(each, shown) for number in row]
    widest = max((width(text, room.font) for text in texts), default=0.0)
    across = max(room.cell[0], widest + 10 + BEADS)
    wide = max(shown[1] * across, room.cell[0] if data else width("empty", 12.0))
    high = max(shown[0], 1) * room.cell[1]
    total = wide + (_ELLIPSIS if more[0] else 0.0), high + (_MORE if more[1] else 0.0)
    return Plan(room, shown, more, shown, (across, room.cell[1]), *total)


def _coloured(room: Room, rows: int, columns: int) -> Plan:
    side = max(room.least, min(room.largest, room.side / max(rows, columns)))
    wide, high = (max(min(count * side, room.side), LEAST) for count in (columns, rows))
    cells = min(rows, max(1, int(high // room.least))), min(columns, max(1, int(wide // room.least)))
    return Plan(room, None, (False, False), cells, (wide / cells[1], high / cells[0]), wide, high)


def corner(value: Value, shown: tuple[int, int]) -> list[list[Number]]:
    """The first numbers of a value."""
    data, (rows, columns) = matrix(value)
    return [data[i * columns : (i + 1) * columns][: shown[1]] for i in range(min(rows, shown[0]))]


class Arrays:
    """Draws arrays in the colours of a theme."""

    def __init__(self, palette: Palette, values: Scale, gradients: Scale) -> None:
        self.palette, self.values, self.gradients = palette, values, gradients

    def plate(self, plan: Plan, value: Value, left: float, top: float) -> list[str]:
        """A value: cells that touch."""
        return self._drawn(plan, value, left, top, self.values, 0.0)

    def beads(self, plan: Plan, value: Value, left: float, top: float) -> list[str]:
        """A gradient: cells with gaps."""
        return self._drawn(plan, value, left, top, self.gradients, BEADS)

    def bucket(self, plan: Plan, value: Value | None, left: float, top: float) -> list[str]:
        """What a leaf keeps, in a double line; of None the places are dashed."""
        p = self.palette
        colour, x, y = p.wire if value is None else p.flow, left - BUCKET, top - BUCKET
        w, h = plan.width + 2 * BUCKET, plan.height + 2 * BUCKET
        marks = [
            rectangle(x + 0.5, y + 0.5, w - 1, h - 1, 11, "none", stroke(colour)),
            rectangle(x + 3.5, y + 3.5, w - 7, h - 7, 8, "none", stroke(colour)),
        ]
        if value is not None:
            return marks + self.beads(plan, value, left, top)
        if plan.shown is None:
            return [*marks, rectangle(left, top, plan.width, plan.height, 3, "none", stroke(p.wire, 1, "3 3"))]
        across, down = plan.cell
        for i in range(plan.shown[0]):
            for j in range(plan.shown[1]):
                at = left + j * across + BEADS / 2, top + i * down + BEADS / 2
                marks.append(rectangle(*at, across - BEADS, down - BEADS, 7, "none", stroke(p.wire, 1, "3 3")))
        return marks

    def _drawn(self, plan: Plan, value: Value, left: float, top: float, scale: Scale, gap: float) -> list[str]:
        if plan.shown is None:
            return self._colours(plan, value, left, top, scale, gap)
        p, marks, (across, down), rows = self.palette, [], plan.cell, corner(value, plan.shown)
        radius = min(7.0, down / 4)
        for i, row in enumerate(rows):
            for j, number in enumerate(row):
                x, y = left + j * across, top + i * down
                fill = HATCH if is_odd(number) else heat(number, scale)
                if gap:
                    box = (x + gap / 2, y + gap / 2, across - gap, down - gap, min(8.0, radius + 1))
                    is_outside = is_number(value) and abs(size_of(number)) > scale.top
                    edge = stroke(p.flow, 1.5) if is_outside else ""
                    marks.append(rectangle(*box, p.card if is_outside else fill, edge))
                else:
                    first, last = (i == 0, i == len(rows) - 1), (j == 0, j == len(row) - 1)
                    corners = (first[0] and last[0], first[0] and last[1], first[1] and last[1], first[1] and last[0])
                    marks.append(cell(x, y, across, down, corners, fill, radius))
                font = plan.room.font
                base = y + down / 2 + 0.35 * font
                marks.append(line(x + across / 2, base, text_of(number), font, scale.ink, anchor="middle"))
        return marks + self._left_out(plan, rows, left, top)

    def _left_out(self, plan: Plan, rows: list[list[Number]], left: float, top: float) -> list[str]:
        faint, marks, (across, down), font = self.palette.faint, [], plan.cell, plan.room.font
        if not rows or not rows[0]:
            return [line(left, top + down * 0.65, "empty", 12.0, faint)]
        wide = len(rows[0]) * across
        if plan.more[0]:
            ys = [top + (i + 0.65) * down for i in range(len(rows))]
            marks += [line(left + wide + _ELLIPSIS / 2, y, "…", font, faint, anchor="middle") for y in ys]
        if plan.more[1]:
            marks.append(line(left + wide / 2, top + len(rows) * down + 12, "⋮", font, faint, anchor="middle"))
        return marks

    def _colours(self, plan: Plan, value: Value, left: float, top: float, scale: Scale, gap: float) -> list[str]:
        """One path for each colour, of which there are few."""
        (rows, columns), (across, down) = plan.cells, plan.cell
        space = min(gap / 4, 0.2 * min(across, down)) if gap else 0.0
        paths: dict[str, str] = defaultdict(str)
        for k, number in enumerate(_blocks(value, rows, columns)):
            x, y = left + k % columns * across + space / 2, top + k // columns * down + space / 2
            w, h = across - space, down - space
            paths[_colour(number, scale)] += f"M{x:.5g} {y:.5g}h{w:.4g}v{h:.4g}h{-w:.4g}z"
        return [f'<path d="{data}" fill="{colour}"/>' for colour, data in paths.items()]


def _blocks(value: Value, rows: int, columns: int) -> list[float | None]:
    """The numbers, or the means of blocks of them; None for what has no place on a scale."""
    data, (own_rows, own_columns) = matrix(value)
    sums, counts = [0.0] * (rows * columns), [0] * (rows * columns)
    for k, number in enumerate(data[: own_rows * own_columns]):
        i, j = divmod(k, own_columns)
        at = i * rows // own_rows * columns + j * columns // own_columns
        counts[at] += 1
        sums[at] += math.nan if is_odd(number) else size_of(number)
    return [
        total / count if count and math.isfinite(total) else None for total, count in zip(sums, counts, strict=True)
    ]


def _colour(number: float | None, scale: Scale) -> str:
    if number is None:
        return HATCH
    negative, zero, positive = scale.colours
    t = min(math.sqrt(abs(number) / scale.top), 1.0) if scale.top else 0.0
    return mixed(zero, positive if number > 0 else negative, round(t * _STEPS) / _STEPS)


def is_odd(number: Number) -> bool:
    """Not a number, or infinite: it has no place on a scale."""
    if isinstance(number, str):
        return number in ("NaN", "Infinity", "-Infinity")
    return isinstance(number, float) and not math.isfinite(number)
