"""What stands in a picture, drawn by itself: the cards of tensors, the pills of functions, the boxes of what is folded."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final, NamedTuple

from gradflow.engine.picture.cells import Scale, heat, matrix, text_of
from gradflow.engine.picture.contents import Contents, shortened, title_of
from gradflow.engine.picture.groups import Group
from gradflow.engine.picture.letters import width
from gradflow.engine.picture.marks import HALO, cell, formula, line, rectangle, stroke
from gradflow.engine.picture.mathematics import width_of
from gradflow.engine.picture.rules import FORMULA, Formulas
from gradflow.engine.trace import NodeRecord, Number, TensorRecord, Value

NAME, NUMBER, WORD = 14.0, 13.0, 12.0
"""Sizes of text."""
PAD: Final = 12.0
CELL: Final = 28.0
_NARROWEST: Final = 38.0
_ELLIPSIS: Final = 24.0
BEADS: Final = 4.0
"""The room between the cells of a gradient."""
BUCKET: Final = 9.0
"""From the outer line of a bucket to what is in it."""
_LINE: Final = 21.0
HATCH: Final = "url(#hatch)"


class Drawn(NamedTuple):
    """An element: its marks, relative to its corner."""

    width: float
    height: float
    marks: list[str]


class Grid(NamedTuple):
    """The part of a value that is shown. ``more``: whether columns, rows are left out."""

    rows: list[list[Number]]
    more: tuple[bool, bool]

    def texts(self) -> list[str]:
        """All its numbers."""
        return [text_of(number) for row in self.rows for number in row]


def grid(value: Value, most: tuple[int, int]) -> Grid:
    """The corner of a value."""
    data, (rows, columns) = matrix(value)
    shown = [data[i * columns : (i + 1) * columns][: most[1]] for i in range(min(rows, most[0]))]
    left_out = value.summary is not None
    return Grid(shown, (columns > most[1] or left_out, rows > most[0] or left_out))


class Elements:
    """Draws the elements of a picture."""

    def __init__(self, contents: Contents, formulas: Formulas | None) -> None:
        self.contents, self.palette, self.formulas = contents, contents.palette, formulas

    # -- tensors --------------------------------------------------------------------------------------------------

    def card(self, tensor: TensorRecord) -> Drawn:
        """Name and shape, the value, under it the gradient or the bucket."""
        contents, most = self.contents, self.contents.most(tensor)
        value, bucket = grid(contents.values[tensor.id], most), contents.has_bucket(tensor)
        flowed = contents.kept(tensor) if bucket else contents.gradients.get(tensor.id)
        gradient = None if flowed is None else grid(flowed, most)
        column = max([_NARROWEST, *(width(text, NUMBER) + 14 for text in value.texts())])
        column = max([column, *(width(text, NUMBER) + 10 + BEADS for text in (gradient.texts() if gradient else ()))])
        head, wide = self._head(tensor)
        plate = _width(value, column)
        edge = BUCKET if bucket else 0.0
        inner = max(plate + 2 * edge, wide, width(".grad None", WORD) if bucket else 0.0)
        marks, y = list(head(inner)), PAD + NAME + 11
        left = PAD + (inner - plate) / 2
        marks += self.plate(value, left, y, column)
        y += _height(value)
        if bucket or gradient is not None:
            caption, kept = ".grad" if bucket else "gradient", gradient
            y += 20
            marks.append(line(PAD, y, caption, WORD, self.palette.backward))
            if kept is None:
                marks.append(line(PAD + width(".grad ", WORD), y, "None", WORD, self.palette.faint))
            y += 8
            marks += self.beads(kept or value, left, y + edge, column, is_bucket=bucket, is_empty=kept is None)
            y += _height(kept or value) + 2 * edge
        drawn = Drawn(inner + 2 * PAD, y + PAD, marks)
        return drawn._replace(marks=[self._ground(drawn, 14, tensor.requires_grad), *marks])

    def _ground(self, drawn: Drawn, radius: float, is_solid: bool) -> str:
        colour = stroke(self.palette.line if is_solid else self.palette.wire, 1, "" if is_solid else "4 4")
        return rectangle(0, 0, drawn.width, drawn.height, radius, self.palette.card, colour)

    def _head(self, tensor: TensorRecord) -> tuple[Callable[[float], list[str]], float]:
        """What draws it in a width, and the least width."""
        p = self.palette
        name = tensor.label if tensor.names else shortened(tensor.label)
        shape = "×".join(map(str, tensor.shape)) or "scalar"
        letter = self.formulas.letter_beside(tensor, name) if self.formulas is not None else []
        ends = width(name, NAME, bold=True) + (8 + width_of(letter, FORMULA) if letter else 0.0)

        def marks(inner: float) -> list[str]:
            y = PAD + NAME - 3
            found = [line(PAD, y, name, NAME, p.ink, bold=True)]
            if letter:
                found.append(formula(PAD + width(name, NAME, bold=True) + 8, y, letter, FORMULA, p.faint))
            return [*found, line(PAD + inner, y, shape, WORD, p.faint, anchor="end")]

        return marks, ends + 14 + width(shape, WORD)

    def plate(self, value: Grid, left: float, top: float, column: float) -> list[str]:
        """A value: cells that touch."""
        return self._cells(value, left, top, column, self.contents.value_scale, 0.0)

    def beads(
        self, value: Grid, left: float, top: float, column: float, *, is_bucket: bool, is_empty: bool
    ) -> list[str]:
        """A gradient: cells with gaps, within a double line where it is kept. Of None the places are dashed."""
        p = self.palette
        marks = []
        if is_bucket:
            colour = p.wire if is_empty else p.flow
            w, h = _width(value, column) + 2 * BUCKET, _height(value) + 2 * BUCKET
            x, y = left - BUCKET, top - BUCKET
            marks.append(rectangle(x + 0.5, y + 0.5, w - 1, h - 1, 11, "none", stroke(colour)))
            marks.append(rectangle(x + 3.5, y + 3.5, w - 7, h - 7, 8, "none", stroke(colour)))
        if not is_empty:
            return marks + self._cells(value, left, top, column, self.contents.gradient_scale, BEADS)
        for i, row in enumerate(value.rows):
            for j in range(len(row)):
                at = left + j * column + BEADS / 2, top + i * CELL + BEADS / 2
                marks.append(rectangle(*at, column - BEADS, CELL - BEADS, 7, "none", stroke(p.wire, 1, "3 3")))
        return marks

    def _cells(self, value: Grid, left: float, top: float, column: float, scale: Scale, gap: float) -> list[str]:
        marks, count = [], len(value.rows)
        for i, row in enumerate(value.rows):
            for j, number in enumerate(row):
                x, y = left + j * column + gap / 2, top + i * CELL + gap / 2
                fill = HATCH if _is_odd(number) else heat(number, scale)
                if gap:
                    marks.append(rectangle(x, y, column - gap, CELL - gap, 8, fill))
                else:
                    first, last = (i == 0, i == count - 1), (j == 0, j == len(row) - 1)
                    corners = (first[0] and last[0], first[0] and last[1], first[1] and last[1], first[1] and last[0])
                    marks.append(cell(x, y, column, CELL, corners, fill, 7))
                centre = left + (j + 0.5) * column
                marks.append(line(centre, top + i * CELL + 18.5, text_of(number), NUMBER, scale.ink, anchor="middle"))
        return marks + self._left_out(value, left, top, column)

    def _left_out(self, value: Grid, left: float, top: float, column: float) -> list[str]:
        columns, rows = value.more
        faint, marks = self.palette.faint, []
        wide = left + len(value.rows[0]) * column if value.rows else left
        if columns:
            ys = [top + i * CELL + 18 for i in range(len(value.rows))]
            marks += [line(wide + _ELLIPSIS / 2, y, "…", NUMBER, faint, anchor="middle") for y in ys]
        if rows:
            marks.append(
                line((left + wide) / 2, top + len(value.rows) * CELL + 12, "⋮", NUMBER, faint, anchor="middle")
            )
        if not value.rows or not value.rows[0]:
            marks.append(line(left, top + 18, "empty", WORD, faint))
        return marks

    # -- functions ------------------------------------------------------------------------------------------------

    def pill(self, node: NodeRecord) -> Drawn:
        """The operation, its grad_fn, and what it computes backward where there is room."""
        p = self.palette
        words = [(node.symbol, True, p.ink), (node.op, False, p.ink), (node.grad_fn or "no gradient", False, p.faint)]
        if node.symbol == node.op:
            del words[1]
        widths = [width(text, NUMBER, bold=bold) for text, bold, _ in words]
        lines = (
            self.formulas.that_fit(node, is_chosen=node.id == self.contents.state.ran)
            if self.formulas is not None
            else []
        )
        head = sum(widths) + 10 * (len(words) - 1)
        inner = max([head, *(width_of(runs, FORMULA) for runs in lines)])
        x, marks = 18 + (inner - head) / 2, []
        for (text, bold, colour), wide in zip(words, widths, strict=True):
            marks.append(line(x, 22, text, NUMBER, colour, bold=bold))
            x += wide + 10
        for k, runs in enumerate(lines):
            at = 18 + (inner - width_of(runs, FORMULA)) / 2
            marks.append(formula(at, 22 + _LINE * (k + 1), runs, FORMULA, p.backward))
        drawn = Drawn(inner + 36, 34 + _LINE * len(lines), marks)
        return drawn._replace(marks=[*self._edge(drawn, 17, p.line, p.card, node), *marks])

    def _edge(self, drawn: Drawn, radius: float, colour: str, ground: str, *nodes: NodeRecord) -> list[str]:
        """The function that has just run stands out."""
        w, h, flow = drawn.width, drawn.height, self.palette.flow
        if any(node.id == self.contents.state.ran for node in nodes):
            halo = rectangle(-3, -3, w + 6, h + 6, radius + 3, "none", f'{stroke(flow, 5)} stroke-opacity="{HALO}"')
            return [halo, rectangle(0, 0, w, h, radius, ground, stroke(flow, 1.5))]
        return [rectangle(0, 0, w, h, radius, ground, stroke(colour))]

    def box(self, group: Group) -> Drawn:
        """A folded group: what it is, how many functions are in it."""
        p, title = self.palette, shortened(title_of(group))
        count = f"{len(group.nodes)} function{'s' if len(group.nodes) > 1 else ''}"
        name = width(title, NUMBER, bold=True)
        marks = [line(14, 23, title, NUMBER, p.ink, bold=True), line(24 + name, 23, count, WORD, p.faint)]
        drawn = Drawn(38 + name + width(count, WORD), 36, marks)
        return drawn._replace(marks=[*self._edge(drawn, 8, p.faint, p.paper, *group.nodes), *marks])


def _width(value: Grid, column: float) -> float:
    columns = len(value.rows[0]) if value.rows else 0
    return max(columns * column, _NARROWEST) + (_ELLIPSIS if value.more[0] else 0.0)


def _height(value: Grid) -> float:
    return max(len(value.rows), 1) * CELL + (18.0 if value.more[1] else 0.0)


def _is_odd(number: Number) -> bool:
    """Not a number, or infinite: it has no place on a scale."""
    if isinstance(number, str):
        return number in ("NaN", "Infinity", "-Infinity")
    return isinstance(number, float) and not math.isfinite(number)
