"""What stands in a picture, drawn by itself: the cards of tensors, the pills of functions, the boxes of what is folded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from gradflow.engine.picture.arrays import BUCKET, CARD, Arrays, planned
from gradflow.engine.picture.arrays import LEAST as SHORTEST
from gradflow.engine.picture.contents import Contents, shortened, title_of
from gradflow.engine.picture.formulas.mathematics import Run, width_of
from gradflow.engine.picture.formulas.rules import FORMULA, Formulas
from gradflow.engine.picture.groups import Group
from gradflow.engine.picture.letters import width
from gradflow.engine.picture.marks import HALO, formula, line, rectangle, stroke
from gradflow.engine.trace import NodeRecord, TensorRecord

NAME, NUMBER, WORD = 14.0, 13.0, 12.0
"""Sizes of text."""
PAD: Final = 12.0
_LINE: Final = 21.0
_ABOVE: Final = 5.0
"""The room over and under arrays in a formula."""
MOST_FILLED: Final = 2
LEAST: Final = {"tensor": 2 * PAD + NAME + 11 + SHORTEST, "function": 34.0, "group": 36.0}
"""How tall cards, pills and boxes are at the least."""


class Drawn(NamedTuple):
    """An element: its marks, relative to its corner."""

    width: float
    height: float
    marks: list[str]


class Elements:
    """Draws the elements of a picture."""

    def __init__(self, contents: Contents, formulas: Formulas | None) -> None:
        self.contents, self.palette, self.formulas = contents, contents.palette, formulas
        self.arrays = Arrays(contents.palette, contents.value_scale, contents.gradient_scale)

    # -- tensors --------------------------------------------------------------------------------------------------

    def tensor(self, tensor: TensorRecord, maker: NodeRecord | None = None, module: str = "") -> Drawn:
        """A tensor. maker, module: the function that stands with it, and the title of a module that needs no frame, where
        tensors are rows."""
        return self.card(tensor)

    def card(self, tensor: TensorRecord) -> Drawn:
        """Name and shape, the value, under it the gradient or the bucket."""
        contents = self.contents
        value, bucket = contents.values[tensor.id], contents.has_bucket(tensor)
        gradient = contents.flowed(tensor)
        plan = planned(CARD, value, [] if gradient is None else [gradient])
        head, wide = self._head(tensor)
        edge = BUCKET if bucket else 0.0
        inner = max(plan.width + 2 * edge, wide, width(".grad None", WORD) if bucket else 0.0)
        marks, y = list(head(inner)), PAD + NAME + 11
        left = PAD + (inner - plan.width) / 2
        marks += self.arrays.plate(plan, value, left, y)
        y += plan.height
        if bucket or gradient is not None:
            y += 20
            marks.append(line(PAD, y, ".grad" if bucket else "gradient", WORD, self.palette.backward))
            if gradient is None:
                marks.append(line(PAD + width(".grad ", WORD), y, "None", WORD, self.palette.faint))
            y += 8 + edge
            if bucket:
                marks += self.arrays.bucket(plan, gradient, left, y)
            elif gradient is not None:
                marks += self.arrays.beads(plan, gradient, left, y)
            y += plan.height + edge
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

    # -- functions ------------------------------------------------------------------------------------------------

    def pill(self, node: NodeRecord) -> Drawn:
        """The operation, its grad_fn, and what it computes backward where there is room."""
        p = self.palette
        words = [(node.symbol, True, p.ink), (node.op, False, p.ink), (node.grad_fn or "no gradient", False, p.faint)]
        if node.symbol == node.op:
            del words[1]
        widths = [width(text, NUMBER, bold=bold) for text, bold, _ in words]
        lines = self.lines_of(node)
        head = sum(widths) + 10 * (len(words) - 1)
        filled = list(self.formulas.filled(node))[:MOST_FILLED] if self.formulas is not None else []
        inner = max([head, *(width_of(runs, FORMULA) for runs in lines), *(each.width(FORMULA) for each in filled)])
        x, marks = 18 + (inner - head) / 2, []
        for (text, bold, colour), wide in zip(words, widths, strict=True):
            marks.append(line(x, 22, text, NUMBER, colour, bold=bold))
            x += wide + 10
        for k, runs in enumerate(lines):
            at = 18 + (inner - width_of(runs, FORMULA)) / 2
            marks.append(formula(at, 22 + _LINE * (k + 1), runs, FORMULA, p.backward))
        y = 34 + _LINE * len(lines)
        for each in filled:
            y += each.height + 2 * _ABOVE
            at = 18 + (inner - each.width(FORMULA)) / 2
            marks += each.marks(self.arrays, at, y - each.height / 2 - _ABOVE, FORMULA, p.backward)
        drawn = Drawn(inner + 36, y + (_ABOVE if filled else 0), marks)
        return drawn._replace(marks=[*self._edge(drawn, 17, p.line, p.card, node), *marks])

    def lines_of(self, node: NodeRecord | None) -> list[list[Run]]:
        """The formulas of a function that have room."""
        if self.formulas is None or node is None:
            return []
        return self.formulas.that_fit(node, is_chosen=node.id == self.contents.state.ran)

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
