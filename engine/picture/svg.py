"""A trace as an SVG: laid out and drawn here, by no other program."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from typing import Final

from gradflow.engine.collector import CollectorOff
from gradflow.engine.picture.arrays import HATCH
from gradflow.engine.picture.contents import Contents, Wire, contents_of
from gradflow.engine.picture.elements import LEAST, WORD, Drawn, Elements
from gradflow.engine.picture.formulas.rules import formulas_of
from gradflow.engine.picture.layers import Point
from gradflow.engine.picture.letters import width
from gradflow.engine.picture.marks import arrow, curve, line, rectangle, stroke, told
from gradflow.engine.picture.nested import GAP, Item, Placement, placed
from gradflow.engine.picture.rows import Rows
from gradflow.engine.picture.view import WHOLE, View
from gradflow.engine.trace import NodeRecord, TensorRecord, Trace

FONT: Final = "Inter,Helvetica,Arial,sans-serif"
MARGIN: Final = 20.0
MOST_CARDS: Final = 40
LARGEST: Final = (1700.0, 2000.0)
"""A picture of cards has no more elements, and is no larger: else it has rows."""
TALLEST: Final = 2600.0
FOLDS: Final = (40, 24)
"""What is taller even in rows folds until it has no more elements than these."""
GAP_OF_ROWS: Final = 28.0
_FURTHER: Final = (8.0, 4.0)
"""How far the edges of further turns stand out behind that of the turn that is drawn."""


def to_svg(trace: Trace, view: View = WHOLE, most: int | None = None) -> str:
    """The picture, inputs on top. Text from the program is escaped. most, and what is raised, are those of `contents_of`."""
    with CollectorOff():
        contents = contents_of(trace, view, most)
        picture = _picture(contents)
        for unfolded in FOLDS:
            if picture.layout.height <= TALLEST:
                break
            further = contents_of(trace, view, most, unfolded)
            if len(further.folding) < len(contents.folding):
                contents, picture = further, _picture(further)
        return picture.svg()


def _picture(contents: Contents) -> _Picture:
    """Of cards, where they fit."""
    if len(contents.folding) <= MOST_CARDS and _least_height(contents) <= LARGEST[1]:
        picture = _Picture(contents)
        if picture.layout.width <= LARGEST[0] and picture.layout.height <= LARGEST[1]:
            return picture
    return _Picture(contents, in_rows=True)


def _least_height(contents: Contents) -> float:
    """How tall a picture of cards is at the least: what follows from another stands under it. 0 where that is not so, for frames or
    circles among what is folded."""
    places = {each.place for each in contents.nodes} | {each.place for each in contents.tensors}
    if any(contents.frame(place) for place in places | {group.place for group in contents.folding.folded}):
        return 0.0
    least = {node.id: LEAST["function"] for node in contents.nodes}
    least |= {f"g{number}": LEAST["group"] for number in range(len(contents.folding.folded))}
    least |= {tensor.id: LEAST["tensor"] for tensor in contents.tensors}
    above: dict[str, set[str]] = {name: set() for name in least}
    for wire in contents.wires():
        above[wire.target].add(wire.source)
    ends: dict[str, float] = {}
    with contextlib.suppress(CycleError):
        for name in TopologicalSorter(above).static_order():
            ends[name] = least[name] + max((ends[each] + GAP for each in above[name]), default=0.0)
    return max(ends.values(), default=0.0)


class _Picture:
    def __init__(self, contents: Contents, *, in_rows: bool = False) -> None:
        self.contents, self.palette, self.gap = contents, contents.palette, GAP_OF_ROWS if in_rows else GAP
        self.drawn: dict[str, Drawn] = {}
        self.names: dict[str, str] = {}
        self.around: dict[str, str | None] = {}
        makers = _makers(contents) if in_rows else {}
        wires = contents.wires()
        users = _users(wires)
        self.wires = _joined(wires, {node.id: tensor for tensor, node in makers.items()})
        self._draw((Rows if in_rows else Elements)(contents, formulas_of(contents)), makers, users)
        self.layout = self._laid_out()

    def _draw(self, elements: Elements, makers: dict[str, NodeRecord], users: dict[str, list[str]]) -> None:
        """The cards last: they show the letters that the formulas have."""
        contents, joined = self.contents, {node.id for node in makers.values()}
        for node in contents.nodes:
            if node.id in joined:
                elements.lines_of(node)  # the letters of its formulas: it stands in the row of its tensor
            else:
                self._add(node.id, elements.pill(node), node.grad_fn or node.op, contents.frame(node.place))
        for number, group in enumerate(contents.folding.folded):
            self._add(f"g{number}", elements.box(group), group.title, contents.frame(group.place))
        homes = {tensor.id: self._home(tensor, users) for tensor in contents.tensors}
        alone = self._alone([*self.around.values(), *homes.values()]) if isinstance(elements, Rows) else set()
        for tensor in contents.tensors:
            home, title = homes[tensor.id], ""
            if home is not None and home in alone:
                title = contents.title(contents.places[home])
                home = contents.frame(contents.places[home].parent)
            drawn = elements.tensor(tensor, makers.get(tensor.id), title)
            self._add(tensor.id, drawn, f"tensor {tensor.label}", home)

    def _alone(self, homes: list[str | None]) -> set[str]:
        """The modules that hold one element and no other frame: they need no frame of their own."""
        count = Counter(home for home in homes if home is not None)
        outer = {above for home in count for above in self.contents.frames_around(home)}
        taken = {home for home in self.around.values() if home is not None}
        return {
            home
            for home, elements in count.items()
            if elements == 1 and home not in outer | taken and self.contents.places[home].kind == "module"
        }

    def _add(self, name: str, drawn: Drawn, title: str, frame: str | None) -> None:
        self.drawn[name], self.names[name], self.around[name] = drawn, title, frame

    def _home(self, tensor: TensorRecord, users: dict[str, list[str]]) -> str | None:
        """The frame of a tensor. A leaf is at home in the module that alone uses it."""
        contents = self.contents
        if tensor.node is not None:
            return contents.frame(tensor.place)
        if not contents.has_bucket(tensor):
            return None
        homes = {contents.frame(contents.place_of(user)) for user in users.get(tensor.id, ())}
        home = homes.pop() if len(homes) == 1 else None
        return home if home is not None and contents.places[home].kind == "module" else None

    def _chain(self, frame: str | None) -> tuple[str, ...]:
        return () if frame is None else (*reversed(self.contents.frames_around(frame)), frame)

    def _laid_out(self) -> Placement:
        chains = {frame: self._chain(frame) for frame in set(self.around.values())}
        items = [Item(name, one.width, one.height, chains[self.around[name]]) for name, one in self.drawn.items()]
        titles = {
            frame: width(self.contents.title(self.contents.places[frame]), WORD)
            for chain in chains.values()
            for frame in chain
        }
        return placed(items, [(wire.source, wire.target) for wire in self.wires], titles, self.gap)

    def svg(self) -> str:
        """The file."""
        w, h = self.layout.width + 2 * MARGIN, self.layout.height + 2 * MARGIN
        body = "\n".join([*self._frames(), *self._wires(), *self._titles(), *self._elements()])
        hatch = _hatch(self.palette.sunk, self.palette.line) if HATCH in body else ""
        return (
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            f'<svg width="{w:.0f}" height="{h:.0f}" viewBox="{-MARGIN:g} {-MARGIN:g} {w:.6g} {h:.6g}"'
            f' xmlns="http://www.w3.org/2000/svg" font-family="{FONT}">\n{hatch}'
            f"{rectangle(-MARGIN, -MARGIN, w, h, 0, self.palette.paper)}\n{body}\n</svg>\n"
        )

    def _frames(self) -> Iterator[str]:
        """Modules, calls, and the turn, behind which the edges of others are seen."""
        p, contents = self.palette, self.contents
        for name, (x, y, w, h) in self.layout.frames.items():
            place = contents.places[name]
            if place.kind == "turn" and place.parent in contents.alive.stacked:
                for far in _FURTHER:
                    yield rectangle(x + far, y + far, w, h, 18, p.paper, stroke(p.line))
            yield rectangle(x, y, w, h, 18 if place.kind == "turn" else 14, p.paper, stroke(p.line))

    def _titles(self) -> Iterator[str]:
        """Over the wires, which they interrupt."""
        p, contents = self.palette, self.contents
        for name, (x, y, _, _) in self.layout.frames.items():
            text = contents.title(contents.places[name]).replace("   ", "\u2003")
            yield rectangle(x + 10, y + 6, width(text, WORD) + 8, 18, 5, p.paper)
            yield line(x + 14, y + 19, text, WORD, p.faint)

    def _wires(self) -> Iterator[str]:
        """Those that the gradient took over the others."""
        ways = sorted(zip(self.wires, self.layout.ways, strict=True), key=lambda pair: pair[0].flows)
        for wire, points in ways:
            yield self._gradient(wire, points) if wire.flows else self._forward(wire, points)

    def _gradient(self, wire: Wire, points: list[Point]) -> str:
        """Backward, as wide as the gradient is large."""
        colour, length = self.palette.flow, 8 + 1.4 * wire.width
        (x, y), *rest = points
        data = curve([(x, y + length - 1), *(point for point in rest if point[1] > y + length)])
        return f'<path d="{data}" fill="none"{stroke(colour, wire.width)}/>' + arrow(
            (x, y), length, 7 + 1.8 * wire.width, colour
        )

    def _forward(self, wire: Wire, points: list[Point]) -> str:
        colour = self.palette.wire
        *rest, (x, y) = points
        dashes = "4 4" if wire.constant else ""
        data = curve([*(point for point in rest if point[1] < y - 7), (x, y - 6)])
        return f'<path d="{data}" fill="none"{stroke(colour, 1.5, dashes)}/>' + arrow((x, y), -7, 8, colour)

    def _elements(self) -> Iterator[str]:
        for name, drawn in self.drawn.items():
            x, y = self.layout.places[name]
            yield f'<g id="{name}" transform="translate({x:.6g} {y:.6g})"><title>{told(self.names[name])}</title>'
            yield from drawn.marks
            yield "</g>"


def _makers(contents: Contents) -> dict[str, NodeRecord]:
    """The functions that stand in one row with what they made, by the id of that tensor."""
    drawn = {tensor.id: tensor for tensor in contents.tensors}
    makers = {}
    for node in contents.nodes:
        made = [each for each in node.outputs if each in drawn]
        if len(made) == 1 and drawn[made[0]].node == node.id and not contents.has_bucket(drawn[made[0]]):
            makers[made[0]] = node
    return makers


def _joined(wires: list[Wire], rows: dict[str, str]) -> list[Wire]:
    """The wires between rows. rows: by the id of a function that of its tensor."""
    for wire in wires:
        wire.source, wire.target = rows.get(wire.source, wire.source), rows.get(wire.target, wire.target)
    return [wire for wire in wires if wire.source != wire.target]


def _users(wires: list[Wire]) -> dict[str, list[str]]:
    users: dict[str, list[str]] = {}
    for wire in wires:
        users.setdefault(wire.source, []).append(wire.target)
    return users


def _hatch(ground: str, colour: str) -> str:
    """For numbers that no scale has."""
    return (
        '<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
        f'<rect width="6" height="6" fill="{ground}"/><path d="M0 0V6"{stroke(colour, 2)}/></pattern></defs>\n'
    )
