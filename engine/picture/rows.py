"""What stands in a picture that is too large for cards: a tensor is a row, with the function that made it, as on the page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from gradflow.engine.picture.arrays import BUCKET, ROW, Plan, planned
from gradflow.engine.picture.cells import norm
from gradflow.engine.picture.contents import shortened
from gradflow.engine.picture.elements import NUMBER, Drawn, Elements
from gradflow.engine.picture.formulas.mathematics import Run, width_of
from gradflow.engine.picture.formulas.rules import FORMULA
from gradflow.engine.picture.letters import width
from gradflow.engine.picture.marks import formula, line, rectangle, stroke
from gradflow.engine.trace import NodeRecord, TensorRecord, Value

NOTE: Final = 11.5
"""The size of what stands under a name."""
_SIDE, _TOP, _GAP = 10.0, 8.0, 10.0
_LINE, _FORMULA = 15.0, 19.0
_PILL: Final = 26.0


class _Word(NamedTuple):
    """A line of the words of a row. ``letter``: set beside it."""

    text: str
    size: float
    colour: str
    bold: bool = False
    letter: tuple[Run, ...] = ()

    @property
    def width(self) -> float:
        beside = 6 + width_of(list(self.letter), NUMBER) if self.letter else 0.0
        return width(self.text, self.size, bold=self.bold) + beside


class _Part(NamedTuple):
    """A part of a row, and what draws it."""

    width: float
    height: float
    kind: str
    plan: Plan | None = None
    value: Value | None = None


class Rows(Elements):
    """Draws the elements of a large picture."""

    def tensor(self, tensor: TensorRecord, maker: NodeRecord | None = None, module: str = "") -> Drawn:
        """The function, name and shape, the value, the gradient or the bucket; the formulas of the function under them."""
        node = maker
        words, lines = list(self._words(tensor, node)), self.lines_of(node)
        if module:
            words.insert(0, _Word(module, NOTE, self.palette.faint))
        parts = [*self._function(node), _Part(max(word.width for word in words), _LINE * len(words), "words")]
        parts += self._arrays(tensor)
        inner = sum(part.width + _GAP for part in parts) - _GAP
        tall = max(part.height for part in parts)
        whole = max([inner, *(width_of(runs, FORMULA) for runs in lines)])
        drawn = Drawn(whole + 2 * _SIDE, tall + _FORMULA * len(lines) + 2 * _TOP, [])
        marks, x = [self._ground(drawn, 10, tensor.requires_grad)], _SIDE
        if node is not None and node.id == self.contents.state.ran:
            marks = self._edge(drawn, 10, self.palette.line, self.palette.card, node)
        for part in parts:
            marks += self._part(part, node, words, x, _TOP + (tall - part.height) / 2)
            x += part.width + _GAP
        for k, runs in enumerate(lines):
            marks.append(formula(_SIDE, _TOP + tall + _FORMULA * (k + 1) - 4, runs, FORMULA, self.palette.backward))
        return drawn._replace(marks=marks)

    def _words(self, tensor: TensorRecord, node: NodeRecord | None) -> Iterator[_Word]:
        p, contents = self.palette, self.contents
        name = tensor.label if tensor.names else shortened(tensor.label) if node is None else ""
        letter = self.formulas.letter_beside(tensor, name) if self.formulas is not None else []
        if name or letter:
            yield _Word(name, NUMBER, p.ink, bold=True, letter=tuple(letter))
        yield _Word("×".join(map(str, tensor.shape)) or "scalar", NOTE, p.faint)
        if contents.has_bucket(tensor):
            kept = contents.kept(tensor)
            yield _Word(".grad None" if kept is None else f".grad {norm(kept):.4g}", NOTE, p.backward)

    def _function(self, node: NodeRecord | None) -> Iterator[_Part]:
        if node is not None:
            yield _Part(sum(width(text, NUMBER, bold=bold) + 7 for text, bold in _called(node)) + 13, _PILL, "pill")

    def _arrays(self, tensor: TensorRecord) -> Iterator[_Part]:
        contents = self.contents
        value, bucket = contents.values[tensor.id], contents.has_bucket(tensor)
        gradient = contents.flowed(tensor)
        plan = planned(ROW, value, [] if gradient is None else [gradient])
        yield _Part(plan.width, plan.height, "value", plan, value)
        if bucket:
            yield _Part(plan.width + 2 * BUCKET, plan.height + 2 * BUCKET, "bucket", plan, gradient)
        elif gradient is not None:
            yield _Part(plan.width, plan.height, "gradient", plan, gradient)

    def _part(self, part: _Part, node: NodeRecord | None, words: list[_Word], x: float, y: float) -> list[str]:
        if part.kind == "words":
            return [mark for k, word in enumerate(words) for mark in self._word(word, x, y + _LINE * k + 11.5)]
        if part.plan is None:
            return [] if node is None else self._pill(node, part, x, y)
        if part.kind == "bucket":
            return self.arrays.bucket(part.plan, part.value, x + BUCKET, y + BUCKET)
        assert part.value is not None
        draw = self.arrays.plate if part.kind == "value" else self.arrays.beads
        return draw(part.plan, part.value, x, y)

    def _word(self, word: _Word, x: float, y: float) -> Iterator[str]:
        if word.text:
            yield line(x, y, word.text, word.size, word.colour, bold=word.bold)
        if word.letter:
            beside = width(word.text, word.size, bold=word.bold) + 6 if word.text else 0.0
            yield formula(x + beside, y, word.letter, NUMBER, self.palette.faint)

    def _pill(self, node: NodeRecord, part: _Part, x: float, y: float) -> list[str]:
        p = self.palette
        marks, at = [rectangle(x, y, part.width, part.height, part.height / 2, p.paper, stroke(p.line))], x + 10
        for text, bold in _called(node):
            marks.append(line(at, y + 17.5, text, NUMBER, p.ink, bold=bold))
            at += width(text, NUMBER, bold=bold) + 7
        return marks


def _called(node: NodeRecord) -> list[tuple[str, bool]]:
    """Sign and name of a function, whether they are bold."""
    return [(node.symbol, True)] if node.symbol == node.op else [(node.symbol, True), (node.op, False)]
