"""Which part of a trace belongs to a picture of it.

`shown` is the `Trace.shown` that the page and the server's pictures follow; `in_turn` is what of it is alive in one turn of
the loops that train, or that are long.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from gradflow.engine.trace import NodeRecord, Pass, Place, TensorRecord, Trace

FEW: Final = 24
"""A loop that does not train and has no more functions than these is drawn with all of its turns."""


def shown(
    tensors: Sequence[TensorRecord], nodes: Sequence[NodeRecord], passes: Sequence[Pass], failed_at: str | None = None
) -> list[str]:
    """The ids of what leads to a differentiated output, or to a tensor that could be one.

    failed_at: the tensor that the error of the run is about. A program that differentiates nothing is shown whole. A
    creation such as ``zeros(2)`` is drawn as its tensor alone.
    """
    roots = [root.tensor for each in passes for root in each.roots]
    if failed_at is not None:
        roots.append(failed_at)
    kept = {t.id for t in tensors} if not roots else _ancestors(tensors, nodes, [*roots, *_lone_ends(tensors, nodes)])
    makers = {t.node for t in tensors if t.id in kept and _begins(t)} if roots else set()
    drawn = [n for n in nodes if not _is_creation(n) and n.id not in makers and not kept.isdisjoint(n.outputs)]
    return [*(t.id for t in tensors if t.id in kept), *(n.id for n in drawn)]


def _is_creation(node: NodeRecord) -> bool:
    return node.kind == "constant" and not node.inputs


def _begins(tensor: TensorRecord) -> bool:
    """A leaf that requires a gradient begins a history of its own: what made its value is of no interest."""
    return tensor.is_leaf and tensor.requires_grad


def _lone_ends(tensors: Sequence[TensorRecord], nodes: Sequence[NodeRecord]) -> Iterable[str]:
    """Tensors that end a branch of the graph and could be differentiated. Unnamed views are by-products of indexing."""
    consumed = {t for n in nodes if n.kind != "constant" for t in n.inputs}
    last = {t.names[0] if t.names else "": t for t in tensors}
    for t in tensors:
        name = t.names[0] if t.names else ""
        outdated = t.is_leaf and last[name].version > t.version  # a parameter before it was initialised
        candidate = t.requires_grad and not t.pass_id and t.id not in consumed
        if candidate and not outdated and (t.names or t.view_of is None):
            yield t.id


def _ancestors(tensors: Sequence[TensorRecord], nodes: Sequence[NodeRecord], start: Iterable[str]) -> set[str]:
    tensor_of, node_of = {t.id: t for t in tensors}, {n.id: n for n in nodes}
    seen: set[str] = set()
    pending = list(start)
    while pending:
        each = pending.pop()
        if each in seen or each not in tensor_of:
            continue
        seen.add(each)
        made_by = tensor_of[each].node
        if made_by is not None and not _begins(tensor_of[each]):
            pending.extend(node_of[made_by].inputs)
    return seen


@dataclass(frozen=True)
class Alive:
    """What a picture of one turn shows: ids of tensors and functions, the pass that ran then, and the turn; None where no loop
    is drawn turn by turn. ``turns`` is the number of turns of that loop."""

    ids: frozenset[str]
    backward: Pass | None
    turn: Place | None
    turns: int


def in_turn(trace: Trace, number: int | None = None) -> Alive:
    """What is alive in a turn of the outermost loops that train or are long, counted from 1; by default in the last turn.

    Of loops within, it is the last turn. A tensor that a function of the turn uses is alive, wherever it was made, and so is
    every leaf that takes gradients. Functions without a gradient are left out where there is a pass. Raises ValueError where no loop has that turn.
    """
    turns = _Turns(trace)
    kept = turns.chosen(number)
    drawn = set(trace.shown)
    differentiated = bool(trace.passes)
    nodes = [
        node
        for node in trace.nodes
        if node.id in drawn and turns.is_in(node.place, kept) and not (differentiated and node.kind == "constant")
    ]
    used = {each for node in nodes for each in (*node.inputs, *node.outputs)}
    tensors = {
        tensor.id
        for tensor in trace.tensors
        if tensor.id in drawn
        and (tensor.id in used or _begins(tensor) or (tensor.node is None and turns.is_in(tensor.place, kept)))
    }
    passes = {one.id: one for one in trace.passes}
    ran = [passes[e["pass"]] for e in trace.events if e["kind"] == "pass" and turns.is_in(e["place"], kept)]
    outer = next((turns.places[turn] for loop, turn in kept.items() if turns.outer(loop) is None), None)
    count = len(turns.of[outer.parent]) if outer is not None and outer.parent is not None else 0
    last = ran[-1] if ran else trace.passes[-1] if trace.passes and outer is None else None
    return Alive(frozenset(tensors | {node.id for node in nodes}), last, outer, count)


class _Turns:
    """The turns of the loops of a run that are drawn one at a time."""

    def __init__(self, trace: Trace) -> None:
        self.places = {place.id: place for place in trace.places}
        functions: dict[str, int] = defaultdict(int)
        trains: set[str] = set()
        for node in trace.nodes:
            for turn in self.around(node.place):
                functions[turn.parent or ""] += 1
        for event in trace.events:
            if event["kind"] in ("zero", "step") or (event["kind"] == "write" and event["by"] != "in_place"):
                trains |= {turn.parent or "" for turn in self.around(event["place"])}
        every: dict[str, list[Place]] = defaultdict(list)
        for place in trace.places:
            if place.kind == "turn" and place.parent is not None:
                every[place.parent].append(place)
        self.of = {
            loop: found for loop, found in every.items() if len(found) > 1 and (loop in trains or functions[loop] > FEW)
        }

    def around(self, place: str | None) -> list[Place]:
        """The turns that a place is in, the innermost first."""
        found = []
        while place is not None and (here := self.places.get(place)) is not None:
            if here.kind == "turn":
                found.append(here)
            place = here.parent
        return found

    def outer(self, loop: str) -> Place | None:
        """The turn of a loop drawn turn by turn that a loop is in."""
        return next((turn for turn in self.around(loop) if turn.parent in self.of), None)

    def chosen(self, number: int | None) -> dict[str, str]:
        """By loop the turn that is drawn."""
        kept: dict[str, str] = {}
        for loop, turns in self.of.items():
            turn = turns[-1]
            if number is not None and self.outer(loop) is None:
                found = [each for each in turns if each.turn == number - 1]
                if not found:
                    continue
                turn = found[0]
            kept[loop] = turn.id
        if number is not None and not any(self.outer(loop) is None for loop in kept):
            raise ValueError(f"no loop of the program has a turn {number} that is drawn by itself")
        return kept

    def is_in(self, place: str | None, kept: dict[str, str]) -> bool:
        """Whether a place is in the turns that are drawn."""
        return all(turn.parent not in self.of or kept.get(turn.parent) == turn.id for turn in self.around(place))
