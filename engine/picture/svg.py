"""A trace as an SVG: laid out and drawn here, by no other program."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gradflow.engine.picture.contents import Contents, Wire, contents_of
from gradflow.engine.picture.elements import HATCH, WORD, Drawn, Elements
from gradflow.engine.picture.layers import Point
from gradflow.engine.picture.letters import width
from gradflow.engine.picture.marks import arrow, curve, line, rectangle, stroke, told
from gradflow.engine.picture.nested import Item, Placement, placed
from gradflow.engine.picture.rules import formulas_of
from gradflow.engine.picture.view import WHOLE, View
from gradflow.engine.state import no_garbage_collection
from gradflow.engine.trace import TensorRecord, Trace

FONT: Final = "Inter,Helvetica,Arial,sans-serif"
MARGIN: Final = 20.0
_FURTHER: Final = (8.0, 4.0)
"""How far the edges of further turns stand out behind that of the turn that is drawn."""


def to_svg(trace: Trace, view: View = WHOLE, most: int | None = None) -> str:
    """The picture, inputs on top. Text from the program is escaped. most, and what is raised, are those of `contents_of`."""
    with no_garbage_collection():
        return _Picture(contents_of(trace, view, most)).svg()


class _Picture:
    def __init__(self, contents: Contents) -> None:
        self.contents, self.palette = contents, contents.palette
        elements = Elements(contents, formulas_of(contents))
        self.wires = contents.wires()
        self.drawn: dict[str, Drawn] = {}
        self.names: dict[str, str] = {}
        self.around: dict[str, str | None] = {}
        users = _users(self.wires)
        # The cards last: they show the letters that the formulas have.
        for node in contents.nodes:
            self._add(node.id, elements.pill(node), node.grad_fn or node.op, contents.frame(node.place))
        for number, group in enumerate(contents.folding.folded):
            self._add(f"g{number}", elements.box(group), group.title, contents.frame(group.place))
        for tensor in contents.tensors:
            self._add(tensor.id, elements.card(tensor), f"tensor {tensor.label}", self._home(tensor, users))
        self.layout = self._laid_out(users)

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

    def _laid_out(self, users: dict[str, list[str]]) -> Placement:
        chains = {frame: self._chain(frame) for frame in set(self.around.values())}
        items = [Item(name, one.width, one.height, chains[self.around[name]]) for name, one in self.drawn.items()]
        titles = {
            frame: width(self.contents.title(self.contents.places[frame]), WORD)
            for chain in chains.values()
            for frame in chain
        }
        return placed(items, [(wire.source, wire.target) for wire in self.wires], titles)

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
            text = contents.title(contents.places[name])
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
