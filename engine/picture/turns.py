"""What of a run is alive in one turn of the loops that are drawn turn by turn: the page draws the same."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Final

from gradflow.engine.trace import NodeRecord, Pass, Place, Trace
from gradflow.engine.visibility import asked_for, begins_history

FEW: Final = 24
"""A loop that does not train and has no more functions than these is drawn with all of its turns."""
LINKS: Final = 4
"""Turns that read each other are drawn whole up to so many."""
LAYERS: Final = 12
"""A loop whose turns each bring leaves of their own is drawn whole up to so many turns."""
TRAINING: Final = ("pass", "zero", "step")
"""What kinds of events make a loop one that trains."""


@dataclass(frozen=True)
class Alive:
    """What a picture of one turn shows: ids of tensors and functions, the pass that ran then, and the turn; None where no loop
    is drawn turn by turn. ``stacked`` has the ids of all loops that are drawn so."""

    ids: frozenset[str]
    backward: Pass | None
    turn: Place | None
    stacked: frozenset[str]


def in_turn(trace: Trace, number: int | None = None) -> Alive:
    """What is alive in a turn of the outermost loops that train or are long, counted from 1; by default in the last turn.

    Of loops within, it is the last turn. A tensor that a function of the turn uses is alive, wherever it was made. Beside such
    loops what was computed without gradients is left out. Raises ValueError where no loop has that turn.
    """
    turns = _Turns(trace)
    kept = turns.chosen(number)
    drawn = set(trace.shown)
    visible = [node for node in trace.nodes if node.id in drawn]
    nodes = [
        node
        for node in visible
        if turns.is_in(node.place, kept) and not (kept and node.kind == "constant" and node.pass_id is None)
    ]
    tensors = _alive(trace, visible, nodes) & {t.id for t in trace.tensors if turns.is_in(t.place, kept)}
    tensors = (tensors | {each for node in nodes for each in node.inputs}) & drawn
    passes = {one.id: one for one in trace.passes}
    ran = [passes[e["pass"]] for e in trace.events if e["kind"] == "pass" and turns.is_in(e["place"], kept)]
    outer = next((turns.places[turn] for loop, turn in kept.items() if turns.outer(loop) is None), None)
    last = ran[-1] if ran else trace.passes[-1] if trace.passes and outer is None else None
    return Alive(frozenset(tensors | {node.id for node in nodes}), last, outer, frozenset(turns.of))


def _alive(trace: Trace, visible: list[NodeRecord], nodes: list[NodeRecord]) -> set[str]:
    """The tensors that are not out of sight because only functions out of sight read them."""
    asked = set(asked_for(trace.passes, trace.error.tensor if trace.error is not None else None))
    read = {each for node in visible for each in node.inputs}
    used = {each for node in nodes for each in (*node.inputs, *node.outputs)}
    return {t.id for t in trace.tensors if begins_history(t) or t.id in asked or t.id in used or t.id not in read}


class _Turns:
    """The turns of the loops of a run; those that are drawn one at a time are in ``of``."""

    def __init__(self, trace: Trace) -> None:
        self.places = {place.id: place for place in trace.places}
        self._around: dict[str | None, list[Place]] = {None: []}
        every: dict[str, list[Place]] = defaultdict(list)
        for place in trace.places:
            if place.kind == "turn" and place.parent is not None:
                every[place.parent].append(place)
        trains = {turn.parent for e in trace.events if e["kind"] in TRAINING for turn in self.around(e["place"])}
        functions = Counter(turn.parent for node in trace.nodes for turn in self.around(node.place))
        layered, chained = self._layered(trace), self._chained(trace, every)
        self.of: dict[str, list[Place]] = {}
        for loop, turns in every.items():
            layers = len(turns) <= LAYERS and loop in layered
            few = functions[loop] <= FEW and not (loop in chained and len(turns) > LINKS)
            if len(turns) > 1 and (loop in trains or not (layers or few)):
                self.of[loop] = turns

    def around(self, place: str | None) -> list[Place]:
        """The turns that a place is in, the innermost first."""
        known = self._around.get(place)
        if known is None:
            here = self.places.get(place or "")
            known = [] if here is None else self.around(here.parent)
            if here is not None and here.kind == "turn":
                known = [here, *known]
            self._around[place] = known
        return known

    def _layered(self, trace: Trace) -> set[str | None]:
        """The loops each turn of which uses leaves that no other uses."""
        leaves = {tensor.id for tensor in trace.tensors if begins_history(tensor)}
        used: dict[str | None, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        for node in trace.nodes:
            own = leaves.intersection(node.inputs)
            for turn in self.around(node.place) if own else ():
                used[turn.parent][turn.id] |= own
        return {loop for loop, turns in used.items() if len(turns) > 1 and _have_own(turns)}

    def _chained(self, trace: Trace, every: Mapping[str, list[Place]]) -> set[str]:
        """The loops most turns of which hand something on to the next."""
        made = {t.id: self.around(t.place) for t in trace.tensors if t.requires_grad and not t.is_leaf}
        carry: dict[str | None, set[str]] = defaultdict(set)
        for node in trace.nodes:
            readers = {turn.parent: turn.turn or 0 for turn in self.around(node.place)}
            for each in node.inputs if readers else ():
                for turn in made.get(each, ()):
                    if readers.get(turn.parent) == (turn.turn or 0) + 1:
                        carry[turn.parent].add(turn.id)
        return {loop for loop, turns in every.items() if len(carry[loop]) >= max(2, (len(turns) - 1) / 2)}

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

    def is_in(self, place: str | None, kept: Mapping[str, str]) -> bool:
        """Whether a place is in the turns that are drawn."""
        return all(turn.parent not in self.of or kept.get(turn.parent or "") == turn.id for turn in self.around(place))


def _have_own(turns: Mapping[str, Set[str]]) -> bool:
    times = Counter(each for own in turns.values() for each in own)
    return all(any(times[each] == 1 for each in own) for own in turns.values())
