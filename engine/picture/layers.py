"""A layered layout: longest paths, barycentres, and places as near to the wanted ones as room allows. Linear but for the sorting.

The page places its frames in the same way (``frontend/src/lib/picture/layout/layers.ts``).
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, Literal

SWEEPS: Final = 4
LANE: Final = 14.0
"""The width of a lane, in which a long link passes a layer."""
MOST_LANES: Final = 20_000
"""With more than these, long links pass behind boxes."""
_APART: Final = {True: 34.0, False: 76.0}
"""How far the links stand apart that leave a box, and those that enter it, where it is wide enough."""
_SLOPE, _STEEPEST = 0.05, 70.0

Stands = Literal["free", "first", "last"]
Point = tuple[float, float]


@dataclass(eq=False, slots=True)
class Box:
    """What stands in a layer: an element, a frame with all that is in it, the end of a link that goes out of a frame, or a lane."""

    name: str
    width: float
    height: float
    stands: Stands = "free"
    is_lane: bool = False
    x: float = 0.0
    y: float = 0.0
    depth: int = 0
    into: list[Link] = field(default_factory=list)
    out_of: list[Link] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class Link:
    """``leaves`` and ``enters``: how far from the left side of its boxes; None for a place along their side that suits.
    ``weight``: how much it wants to be straight."""

    source: Box
    target: Box
    weight: float = 1.0
    leaves: float | None = None
    enters: float | None = None
    lanes: list[Box] = field(default_factory=list)
    is_back: bool = False

    def start(self) -> float:
        """Where it leaves, while places are still sought."""
        return self.source.x + (self.source.width / 2 if self.leaves is None else self.leaves)

    def end(self) -> float:
        """Where it enters."""
        return self.target.x + (self.target.width / 2 if self.enters is None else self.enters)


class Layers:
    """Boxes placed on layers; the links between them lead down, but for those of a circle."""

    def __init__(self, boxes: Sequence[Box], links: Sequence[Link], space: float, gap: float) -> None:
        self.boxes, self.space, self.gap = boxes, space, gap
        self.links = [link for link in links if link.source is not link.target]
        for link in self.links:
            link.source.out_of.append(link)
            link.target.into.append(link)
        self.layers: list[list[Box]] = []
        self.tops: list[float] = []
        self.bottoms: list[float] = []
        order = self._sorted()
        self._rank(order)
        self._arrange()
        self._order()
        self._align()
        self._stack()
        self._spread_ends()

    # -- layers ---------------------------------------------------------------------------------------------------

    def _sorted(self) -> list[Box]:
        """Sources before targets. Links that close a circle are turned off. The way is from the ends up, operands in their
        order, so that what is needed first stands left."""
        found: list[Box] = []
        state: dict[int, int] = {}
        for end in sorted(self.boxes, key=lambda box: bool(box.out_of)):
            if id(end) in state:
                continue
            state[id(end)] = 1
            path = [(end, iter(end.into))]
            while path:
                box, left = path[-1]
                link = next(left, None)
                if link is None:
                    path.pop()
                    state[id(box)] = 2
                    found.append(box)
                elif state.get(id(link.source)) == 1:
                    link.is_back = True
                elif id(link.source) not in state:
                    state[id(link.source)] = 1
                    path.append((link.source, iter(link.source.into)))
        for box in self.boxes:
            box.into = [link for link in box.into if not link.is_back]
            box.out_of = [link for link in box.out_of if not link.is_back]
        return found

    def _rank(self, order: Sequence[Box]) -> None:
        """A box is one layer under the deepest before it; what hangs on one box alone, as near to it as can be."""
        hangs: dict[int, bool] = {}
        first = any(box.stands == "first" for box in order)
        for box in order:
            least = 1 if first and box.stands != "first" else 0
            box.depth = max((link.source.depth + 1 for link in box.into), default=least)
            box.depth = max(box.depth, least)
            hangs[id(box)] = box.stands == "free" and all(
                hangs[id(link.source)] and len(link.source.out_of) == 1 for link in box.into
            )
        for box in reversed(order):
            if hangs[id(box)] and box.out_of:
                box.depth = min(link.target.depth for link in box.out_of) - 1
        deepest = max((box.depth for box in order if box.stands != "last"), default=-1)
        for box in order:
            if box.stands == "last":
                box.depth = deepest + 1
        self.layers = [[] for _ in range(deepest + 2)]
        for box in order:
            self.layers[box.depth].append(box)
        if not self.layers[-1]:
            self.layers.pop()

    def _arrange(self) -> None:
        """Long links get a lane in each layer that they cross."""
        forward = [link for link in self.links if not link.is_back]
        if sum(link.target.depth - link.source.depth - 1 for link in forward) > MOST_LANES:
            return
        for link in forward:
            if link.target.depth - link.source.depth > 1:
                self._lay_lanes(link)

    def _lay_lanes(self, link: Link) -> None:
        before, leaves = link.source, link.leaves
        pieces = []
        for depth in range(link.source.depth + 1, link.target.depth):
            lane = Box("", LANE, 0.0, is_lane=True, depth=depth)
            self.layers[depth].append(lane)
            link.lanes.append(lane)
            pieces.append(Link(before, lane, 4.0 if before.is_lane else 1.0, leaves))
            before, leaves = lane, None
        pieces.append(Link(before, link.target, 1.0, None, link.enters))
        link.source.out_of[link.source.out_of.index(link)] = pieces[0]
        link.target.into[link.target.into.index(link)] = pieces[-1]
        for one, other in pairwise(pieces):
            one.target.into.append(one)
            other.source.out_of.append(other)

    # -- order ----------------------------------------------------------------------------------------------------

    def _order(self) -> None:
        """Each layer in the order of what its boxes are connected to: the best of a few sweeps."""
        best, kept = self._crossings(), [list(layer) for layer in self.layers]
        for sweep in range(SWEEPS if best else 0):
            down = sweep % 2 == 0
            for layer in self.layers if down else reversed(self.layers):
                self._sort(layer, is_down=down)
            crossings = self._crossings()
            if crossings < best:
                best, kept = crossings, [list(layer) for layer in self.layers]
            if not best:
                break
        self.layers = kept

    def _sort(self, layer: list[Box], *, is_down: bool) -> None:
        ranks = {id(box): k for around in self._beside(layer) for k, box in enumerate(around)}

        def weight(k: int, box: Box) -> float:
            links = box.into if is_down else box.out_of
            ends = [ranks[id(link.source if is_down else link.target)] + _part(link, is_down=is_down) for link in links]
            return sum(ends) / len(ends) if ends else -1.0 if not is_down else float(k)

        weights = {id(box): weight(k, box) for k, box in enumerate(layer)}
        layer.sort(key=lambda box: weights[id(box)])

    def _beside(self, layer: Sequence[Box]) -> Iterable[list[Box]]:
        depth = layer[0].depth if layer else 0
        return [self.layers[k] for k in (depth - 1, depth + 1) if 0 <= k < len(self.layers)]

    def _crossings(self) -> int:
        """How many links cross, between neighbouring layers."""
        total = 0
        for above, below in pairwise(self.layers):
            ranks = {id(box): k for k, box in enumerate(below)}
            seen: list[float] = []
            for box in above:
                ends = [
                    ranks[id(link.target)] + _part(link, is_down=False)
                    for link in box.out_of
                    if id(link.target) in ranks
                ]
                total += sum(len(seen) - bisect_left(seen, end + 1e-9) for end in ends)
                for end in ends:
                    insort(seen, end)
        return total

    # -- places ---------------------------------------------------------------------------------------------------

    def _align(self) -> None:
        for layer in self.layers:
            self._settle(layer, lambda box: None)
        for _ in range(SWEEPS):
            for layer in self.layers:
                self._settle(layer, _wanted_from_above)
            for layer in reversed(self.layers):
                self._settle(layer, _wanted_from_below)
        for layer in self.layers:
            self._settle(layer, lambda box: _wanted_from_above(box) or _wanted_from_below(box))
        for layer in reversed(self.layers):  # what nothing leads to follows what it leads to
            self._settle(layer, lambda box: _wanted_from_below(box) if not box.into else (box.x, 8.0))
        every = [box for layer in self.layers for box in layer]
        left = min((box.x for box in every), default=0.0)
        for box in every:
            box.x -= left
        self.width = max((box.x + box.width for box in every), default=0.0)

    def _settle(self, layer: Sequence[Box], wanted: Callable[[Box], tuple[float, float] | None]) -> None:
        """Moves the boxes of a layer as near to the places that they want as order and distance allow (pool adjacent violators)."""
        if len(layer) == 1:
            layer[0].x = (wanted(layer[0]) or (layer[0].x, 0.0))[0]
            return
        pools: list[tuple[float, float, int]] = []
        offsets: list[float] = []
        offset, before = 0.0, None
        for box in layer:
            if before is not None:
                offset += LANE if before.is_lane or box.is_lane else self.space
            offsets.append(offset)
            x, weight = wanted(box) or (box.x, 0.1)
            pools.append((x - offset, weight, 1))
            offset += box.width
            before = box
            while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
                (x2, w2, n2), (x1, w1, n1) = pools.pop(), pools.pop()
                pools.append(((x1 * w1 + x2 * w2) / (w1 + w2), w1 + w2, n1 + n2))
        k = 0
        for x, _, count in pools:
            for _ in range(count):
                layer[k].x = x + offsets[k]
                k += 1

    def _stack(self) -> None:
        """Layers one under the other. What begins stands at the foot of its layer, near to what uses it, what ends at the head."""
        y = 0.0
        for layer in self.layers:
            tallest = max((box.height for box in layer), default=0.0)
            for box in layer:
                spare = tallest - box.height
                box.y = y + (spare if not box.into else 0.0 if not box.out_of else spare / 2)
            self.tops.append(y)
            self.bottoms.append(y + tallest)
            y += tallest + (self.gap if tallest else self.gap / 2) + self._slope(layer)
        self.height = self.bottoms[-1] if self.bottoms else 0.0

    def _slope(self, layer: Sequence[Box]) -> float:
        """More room under a layer where links go far to the side, so that they can be told apart."""
        far = [abs(link.start() - link.end()) for box in layer for link in box.out_of]
        return min(_STEEPEST, max(max(far, default=0.0) - self.space * 8, 0.0) * _SLOPE)

    def _spread_ends(self) -> None:
        """Links that leave or enter a box stand side by side, in the order of where they lead."""
        for box in self.boxes:
            for links, is_out in ((box.out_of, True), (box.into, False)):
                free = [link for link in links if (link.leaves if is_out else link.enters) is None]
                free.sort(key=lambda link: link.end() if is_out else link.start())
                apart = min(_APART[is_out], box.width * 0.7 / max(1, len(free)))
                for k, link in enumerate(free):
                    at = box.width / 2 + (k - (len(free) - 1) / 2) * apart
                    if is_out:
                        link.leaves = at
                    else:
                        link.enters = at
        for link in self.links:
            if link.lanes:
                link.leaves, link.enters = _own(link.lanes[0].into).leaves, _own(link.lanes[-1].out_of).enters

    def let_go(self) -> None:
        """Boxes and links hold each other: without this, only the collector would free them."""
        for box in (*self.boxes, *(box for layer in self.layers for box in layer)):
            box.into, box.out_of = [], []

    def way(self, link: Link) -> list[Point]:
        """The points through which a link goes, from its source down to its target."""
        source, target = link.source, link.target
        start, end = (link.start(), source.y + source.height), (link.end(), target.y)
        if link.is_back:
            return [start, end]
        points = [start, (start[0], self.bottoms[source.depth])]
        for lane in link.lanes:
            x = lane.x + LANE / 2
            points += [(x, self.tops[lane.depth]), (x, self.bottoms[lane.depth])]
        return [*points, (end[0], self.tops[target.depth]), end]


def _own(links: Sequence[Link]) -> Link:
    return links[0]


def _part(link: Link, *, is_down: bool) -> float:
    """Where along the box at its other end a link begins or ends, from 0 to 1, less than from one box to the next."""
    if is_down:
        return 0.9 * link.leaves / link.source.width if link.leaves is not None and link.source.width else 0.45
    if link.enters is not None and link.target.width:
        return 0.9 * link.enters / link.target.width
    return 0.45


def _wanted_from_above(box: Box) -> tuple[float, float] | None:
    return _mean([(link.start() - (link.end() - box.x), link.weight) for link in box.into])


def _wanted_from_below(box: Box) -> tuple[float, float] | None:
    return _mean([(link.end() - (link.start() - box.x), link.weight) for link in box.out_of])


def _mean(wishes: Sequence[tuple[float, float]]) -> tuple[float, float] | None:
    """The mean of the places that weigh most, and their weight."""
    if len(wishes) < 2:
        return wishes[0] if wishes else None
    most = max(weight for _, weight in wishes)
    places = [x for x, weight in wishes if weight == most]
    return sum(places) / len(places), most
