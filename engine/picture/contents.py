"""What a picture has in it: the part of a trace that is alive, as it folds, and what its pass has done so far.

Both kinds of pictures are made of this: Graphviz's language (`dot`) and SVG (`svg`).
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import Final

from gradflow.engine.picture.cells import Scale, gradient_end, scale_end
from gradflow.engine.picture.folding import MOST, Folding, folded
from gradflow.engine.picture.groups import Group
from gradflow.engine.picture.palette import PALETTES, Palette
from gradflow.engine.picture.pass_state import PassState, state_of
from gradflow.engine.picture.turns import Alive, in_turn
from gradflow.engine.picture.view import WHOLE, View
from gradflow.engine.run import InvalidRequest
from gradflow.engine.trace import Edge, Place, TensorRecord, Trace, Value

MAX_ROWS: Final = 8
MAX_COLUMNS: Final = 8
"""Rows and columns of a leaf; other tensors show fewer."""
FEWER: Final = 5
_FRAMED: Final = ("module", "call", "turn")


class NothingToDraw(InvalidRequest):
    """The program left nothing to draw; the message says why."""

    def __init__(self, trace: Trace) -> None:
        error = trace.error
        told = "the program makes no tensor"
        if error is not None:
            told = f"{error.type}: {error.message}" if error.message else error.type
        super().__init__(f"There is nothing to draw: {told}", "source")


def contents_of(trace: Trace, view: View = WHOLE, most: int | None = None, unfolded: int = MOST) -> Contents:
    """What is drawn. What is too much to be taken in at once folds, as on the page. most: how many tensors, functions and
    folded groups the picture may have. unfolded: with more than these it folds.

    Raises `NothingToDraw` for a trace without a tensor, and InvalidRequest where there is no such turn or step, or too much to
    draw.
    """
    if not trace.tensors:
        raise NothingToDraw(trace)
    try:
        alive = in_turn(trace, view.turn)
    except ValueError as error:
        raise InvalidRequest(str(error), "turn") from None
    try:
        state = state_of(alive.backward, view.step, trace.nodes)
    except ValueError as error:
        raise InvalidRequest(str(error), "step") from None
    folding = folded(trace, alive, unfolded)
    if most is not None and len(folding) > most:
        raise InvalidRequest(
            f"The picture has {len(folding)} tensors and functions; at most {most} are drawn.", "source"
        )
    return Contents(trace, alive, folding, state, PALETTES[view.theme])


@dataclass
class Wire:
    """A drawn connection; where an end is folded it stands for several. ``share``: the largest norm that took it,
    which its width tells. ``constant``: no gradient can go along it."""

    source: str
    target: str
    edges: list[Edge]
    flows: bool = False
    share: float = 0.0
    constant: bool = False
    width: float = 1.5


class Contents:
    """The tensors, functions and boxes of a picture, the frames around them, and its wires."""

    def __init__(self, trace: Trace, alive: Alive, folding: Folding, state: PassState, palette: Palette) -> None:
        self.trace, self.palette, self.alive, self.folding, self.state = trace, palette, alive, folding, state
        self._nodes = {node.id: node for node in folding.nodes}
        self.tensors, self.nodes = folding.tensors, folding.nodes
        self.places = {place.id: place for place in trace.places}
        counted = Counter(place.parent for place in trace.places if place.kind == "turn")
        loops = [place for place in trace.places if place.kind == "loop"]
        self.turns: dict[str | None, int] = {loop.id: loop.turns or counted[loop.id] for loop in loops}
        self.edges = [e for e in trace.edges if e.source in alive.ids and e.target in alive.ids]
        self.constants = {t.id for t in trace.tensors if not t.requires_grad}
        self.makers = {t.id: t.node for t in trace.tensors}
        self.gradients, self.buckets, self.shares = state.gradients, state.buckets, state.shares
        self.read = {
            tensor: version for node in trace.nodes if node.id in alive.ids for tensor, version in node.read.items()
        }
        self.values = {tensor.id: self.value(tensor) for tensor in self.tensors}
        shown = [self.gradients[each] for each in self.values if each in self.gradients]
        received = [value for value in self.buckets.values() if value is not None]
        self.value_scale = Scale(palette.value, scale_end(self.values.values()), palette.ink)
        self.gradient_scale = Scale(palette.gradient, gradient_end(shown, received), palette.ink)

    def value(self, tensor: TensorRecord) -> Value:
        """The value that the functions of the picture read."""
        if self.alive.turn is None or not tensor.versions:
            return tensor.value
        wanted = self.read.get(tensor.id, 0)
        return next((each.value for each in tensor.versions if each.version == wanted), tensor.value)

    def most(self, tensor: TensorRecord) -> tuple[int, int]:
        """How many rows and columns of a tensor are drawn."""
        return (MAX_ROWS, MAX_COLUMNS) if self.has_bucket(tensor) else (FEWER, FEWER)

    def has_bucket(self, tensor: TensorRecord) -> bool:
        """Whether gradients are kept there."""
        return tensor.is_leaf and tensor.requires_grad

    def kept(self, tensor: TensorRecord) -> Value | None:
        """What is in the bucket of a leaf."""
        return self.buckets.get(tensor.id, tensor.grad if self.alive.turn is None else None)

    def flowed(self, tensor: TensorRecord) -> Value | None:
        """The gradient that is drawn with a tensor: what its bucket holds, else what has arrived."""
        return self.kept(tensor) if self.has_bucket(tensor) else self.gradients.get(tensor.id)

    def frame(self, place: str | None) -> str | None:
        """The innermost module, call or turn that a place is in."""
        while place is not None and self.places[place].kind not in _FRAMED:
            place = self.places[place].parent
        return place

    def place_of(self, element: str) -> str | None:
        """Where a function or a box stands."""
        if element.startswith("g"):
            return self.folding.folded[int(element[1:])].place
        return self._nodes[element].place

    def frames_around(self, place: str) -> list[str]:
        """From the inside out."""
        found = []
        above = self.frame(self.places[place].parent)
        while above is not None:
            found.append(above)
            above = self.frame(self.places[above].parent)
        return found

    def title(self, place: Place) -> str:
        """What stands at a frame."""
        if place.kind == "call":
            return f"{place.title}()"
        if place.kind == "module" or place.turn is None:
            return place.title
        told = f"turn {place.turn + 1} of {self.turns[place.parent]}"
        return f"{told}   {place.variable}" if place.variable else told

    def wires(self) -> list[Wire]:
        """The connections, those that a fold brings together as one."""
        wires: dict[tuple[str, ...], Wire] = {}
        for edge in self.edges:
            source, target = self.element(edge.source), self.element(edge.target)
            own = target.startswith("g") and self.element(self.makers.get(edge.source) or "") == target
            if source == target or own:  # what a folded group has made and reads itself leaves it once
                continue
            bundled = source.startswith("g") or target.startswith("g")
            wire = wires.setdefault(
                (source, target) if bundled else (source, target, edge.id), Wire(source, target, [])
            )
            wire.edges.append(edge)
            wire.flows |= edge.id in self.shares or (edge.input is None and edge.tensor in self.gradients)
            wire.share = max(wire.share, self.shares.get(edge.id, 0.0))
        widest = max((wire.share for wire in wires.values()), default=0.0)
        for wire in wires.values():
            wire.constant = all(edge.tensor in self.constants for edge in wire.edges)
            if wire.flows and widest and math.isfinite(wire.share):
                wire.width = 1.5 + 4.5 * math.sqrt(wire.share / widest)
        return list(wires.values())

    def element(self, name: str) -> str:
        """What is drawn for a function or a tensor."""
        box = self.folding.inside.get(name)
        return name if box is None else f"g{box}"


def title_of(group: Group) -> str:
    """What stands in a box."""
    match group.kind:
        case "module":
            return group.caption
        case "call":
            return f"{group.title}()"
        case "turn" | "line":
            return f"{group.kind} {group.title}"
        case "paragraph":
            return f"lines {group.title}" if group.title[:1].isdigit() else group.title
        case "pass":
            return "backward pass"


def shortened(text: str) -> str:
    """In one line, and not long."""
    flat = " ".join(text.split())
    return flat if len(flat) <= 32 else flat[:31] + "…"
