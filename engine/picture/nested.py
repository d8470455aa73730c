"""Frames within frames, each laid out by itself and then placed as one box. Links enter a frame at its top and leave it at its foot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Final, NamedTuple

from gradflow.engine.picture.layers import Box, Layers, Link, Point, Stands

SPACE: Final = 26.0
GAP: Final = 42.0
SIDE: Final = 14.0
TITLE: Final = 24.0
_PORT: Final = 10.0
_CHAIN, _OTHER = 8.0, 1.0
"""How straight links between functions want to be, and those from what begins."""


class Item(NamedTuple):
    """What is placed, and the frames around it, the outermost first."""

    name: str
    width: float
    height: float
    frames: tuple[str, ...]


@dataclass
class Placement:
    """``frames`` by name: left, top, width, height. ``ways``: for each link its points, from its source down."""

    width: float = 0.0
    height: float = 0.0
    places: dict[str, Point] = field(default_factory=dict)
    frames: dict[str, tuple[float, float, float, float]] = field(default_factory=dict)
    ways: list[list[Point]] = field(default_factory=list)


@dataclass
class _Level:
    """One frame, or the whole picture. ``links`` by number; ``doors``: where links pass its edge, from its left side."""

    name: str
    boxes: dict[str, Box] = field(default_factory=dict)
    inner: dict[str, _Level] = field(default_factory=dict)
    wanted: list[tuple[int, str, str]] = field(default_factory=list)
    links: list[tuple[int, int, Link]] = field(default_factory=list)
    doors: dict[tuple[int, bool], float] = field(default_factory=dict)
    layers: Layers | None = None


def placed(
    items: Sequence[Item], wires: Sequence[tuple[str, str]], titles: Mapping[str, float], gap: float = GAP
) -> Placement:
    """Places for all. titles: how wide that of each frame is. gap: between what stands one under the other."""
    return _Nested(items, wires, titles, gap).placement


class _Nested:
    def __init__(
        self, items: Sequence[Item], wires: Sequence[tuple[str, str]], titles: Mapping[str, float], gap: float
    ) -> None:
        self.titles, self.gap = titles, gap
        self.frames = {item.name: item.frames for item in items}
        self.levels: dict[tuple[str, ...], _Level] = {(): _Level("")}
        for item in items:
            self._level(item.frames).boxes[item.name] = Box(item.name, item.width, item.height)
        self.made = {target for _, target in wires}
        self.pieces: list[dict[int, list[Point]]] = [{} for _ in wires]
        for number, (source, target) in enumerate(wires):
            self._connect(number, source, target)
        root = self.levels[()]
        self._lay_out(root, 0)
        self.placement = Placement()
        self._spread(root, 0.0, 0.0)
        layers = _of(root)
        self.placement.width, self.placement.height = layers.width, layers.height
        self.placement.ways = [
            [point for _, piece in sorted(pieces.items()) for point in piece] for pieces in self.pieces
        ]
        for level in self.levels.values():
            _of(level).let_go()

    def _level(self, frames: tuple[str, ...]) -> _Level:
        known = self.levels.get(frames)
        if known is None:
            known = self.levels[frames] = _Level(frames[-1])
            self._level(frames[:-1]).inner[frames[-1]] = known
        return known

    def _connect(self, number: int, source: str, target: str) -> None:
        """A link is one of the innermost frame around both ends, and one in each frame that it leaves or enters."""
        one, other = self.frames[source], self.frames[target]
        shared = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))))
        at = self.levels[one[:shared]]
        at.wanted.append((number, (*one, source)[shared], (*other, target)[shared]))
        for depth in range(shared + 1, len(one) + 1):
            self.levels[one[:depth]].wanted.append((number, (*one, source)[depth], ""))
        for depth in range(shared + 1, len(other) + 1):
            self.levels[other[:depth]].wanted.append((number, "", (*other, target)[depth]))

    def _lay_out(self, level: _Level, depth: int) -> None:
        for name, inner in level.inner.items():
            self._lay_out(inner, depth + 1)
            level.boxes[name] = self._framed(inner)
        boxes, links = [], []
        for number, source, target in level.wanted:
            start, end = self._end(level, source, number, "first"), self._end(level, target, number, "last")
            boxes += [box for box, name in ((start, source), (end, target)) if not name]
            link = Link(start, end, _CHAIN if source in self.made or source in level.inner else _OTHER)
            link.leaves, link.enters = self._door(level, source, number, leaves=True), self._door(level, target, number)
            links.append(link)
            level.links.append((number, 0 if source and target else depth if target else -depth, link))
        level.layers = Layers([*level.boxes.values(), *boxes], links, SPACE, self.gap)

    def _end(self, level: _Level, name: str, number: int, stands: Stands) -> Box:
        return level.boxes[name] if name else Box(f"{number}", _PORT, 0.0, stands)

    def _door(self, level: _Level, name: str, number: int, *, leaves: bool = False) -> float | None:
        return level.inner[name].doors[number, leaves] if name in level.inner else None

    def _framed(self, level: _Level) -> Box:
        """The frame around a level that is laid out."""
        layers = _of(level)
        for number, side, link in level.links:
            if side:
                port = link.source if side > 0 else link.target
                level.doors[number, side < 0] = SIDE + port.x + _PORT / 2
        width = max(layers.width, self.titles.get(level.name, 0.0)) + 2 * SIDE
        return Box(level.name, width, layers.height + TITLE + 2 * SIDE)

    def _spread(self, level: _Level, x: float, y: float) -> None:
        """Writes down where the boxes of a level stand in the picture, and the ways of its links."""
        for name, box in level.boxes.items():
            inner = level.inner.get(name)
            if inner is None:
                self.placement.places[name] = (x + box.x, y + box.y)
                continue
            self.placement.frames[name] = (x + box.x, y + box.y, box.width, box.height)
            self._spread(inner, x + box.x + SIDE, y + box.y + TITLE + SIDE)
        layers = _of(level)
        for number, side, link in level.links:
            self.pieces[number][side] = [(x + at, y + down) for at, down in layers.way(link)]
            if side:
                self._to_edge(number, side, y, layers.height)

    def _to_edge(self, number: int, side: int, y: float, height: float) -> None:
        """From the edge of the frame to what is in it, or back."""
        piece = self.pieces[number][side]
        if side > 0:
            piece.insert(0, (piece[0][0], y - TITLE - SIDE))
        else:
            piece.append((piece[-1][0], y + height + SIDE))


def _of(level: _Level) -> Layers:
    assert level.layers is not None
    return level.layers
