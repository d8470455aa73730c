"""What of a run is written into a trace that has to stay within a budget: its turns, and its values in what detail."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from gradflow.engine.recording.budget.turns import FEWEST_TURNS, Turn
from gradflow.engine.recording.chronology import EventEntry
from gradflow.engine.recording.entries import NodeEntry, PassEntry, TensorEntry
from gradflow.engine.recording.recorder import Recorder
from gradflow.engine.recording.values import Detail


@dataclass
class Selection:
    """What is written: all, or the turns that are kept with the tensors that these refer to."""

    detail: Detail
    nodes: list[NodeEntry]
    passes: list[tuple[int, PassEntry]]
    entries: list[TensorEntry]
    events: list[EventEntry]
    whole: bool = True
    left_out: list[Turn] = field(default_factory=list)
    training: int = 0
    """So many turns of training, where what is smaller leaves all backward passes out."""

    @cached_property
    def _nodes(self) -> set[int]:
        return {node.number for node in self.nodes}

    @cached_property
    def _entries(self) -> set[int]:
        return {entry.number for entry in self.entries}

    @cached_property
    def _events(self) -> set[int]:
        return {id(event) for event in self.events}

    @cached_property
    def _read(self) -> set[tuple[int, int]]:
        return {(each.number, each.index) for each in _read_in(self.nodes, [p for _, p in self.passes])}

    def has_node(self, node: NodeEntry) -> bool:
        """Whether a function is written."""
        return self.whole or node.number in self._nodes

    def has(self, entry: TensorEntry) -> bool:
        """Whether a tensor is written."""
        return self.whole or entry.number in self._entries

    def has_event(self, event: EventEntry) -> bool:
        """Whether an event is written."""
        return self.whole or id(event) in self._events

    def has_of_each(self, groups: Iterable[frozenset[int]]) -> bool:
        """Whether one backward pass at least of each of these is written."""
        own = {number for number, _ in self.passes}
        return all(not own.isdisjoint(group) for group in groups)

    def has_version(self, entry: TensorEntry) -> bool:
        """Whether a value of a tensor is written: the first, the last, and those that something written made or read."""
        ends = entry is entry.first or entry is entry.last
        return ends or self.whole or (entry.number, entry.index) in self._read or id(entry.event) in self._events


def everything(recorder: Recorder, detail: Detail) -> Selection:
    """All of a run."""
    return Selection(
        detail, recorder.nodes, list(enumerate(recorder.passes)), recorder.entries, recorder.chronology.entries
    )


def chosen(
    recorder: Recorder, turns: Sequence[Turn], most: int, detail: Detail, asked: Iterable[TensorEntry]
) -> Selection:
    """The first turn, the last and every k-th, about ``most``, with the tensors ``asked`` for. Turns of training come before
    others: what was made ready for it, and what was done with it."""
    kept = _kept(turns, most) if most else set()
    nodes = [recorder.nodes[n] for k in sorted(kept) for n in turns[k].nodes]
    passes = [(p, recorder.passes[p]) for p in _with_those_around(recorder, [p for k in kept for p in turns[k].passes])]
    left_out = [turn for k, turn in enumerate(turns) if k not in kept]
    events = list(_around(recorder.chronology.entries, [turns[k] for k in kept], {p for p, _ in passes}))
    named = [entry for event in events for entry in event.tensors()]
    entries = _referred(nodes, [entry for _, entry in passes], [*asked, *named])
    return Selection(detail, nodes, passes, entries, events, False, left_out)


def _kept(turns: Sequence[Turn], most: int) -> set[int]:
    trained = [k for k, turn in enumerate(turns) if turn.passes]
    if trained and most == 1:
        return {_first_as_large_as_most(turns, trained)}
    ends = {trained[0], trained[-1]} if trained and most < FEWEST_TURNS else {0, len(turns) - 1}
    if trained and most == 2:
        return ends
    among = trained if len(trained) >= FEWEST_TURNS else range(len(turns))
    step = max(1, -(-(len(among) - 1) // max(most - 1, 1)))
    return {*among[::step], among[-1], *ends}


def _first_as_large_as_most(turns: Sequence[Turn], trained: Sequence[int]) -> int:
    """Not a pass that only tries something out before the training."""
    middle = sorted(len(turns[k].nodes) for k in trained)[len(trained) // 2]
    return next(k for k in trained if 2 * len(turns[k].nodes) >= middle)


def _with_those_around(recorder: Recorder, kept: Sequence[int]) -> list[int]:
    """The passes without those that ran within a pass that is not among them."""
    events = recorder.chronology.entries
    around = {each.told["index"]: each.during[0] for each in events if each.kind == "pass" and each.during is not None}
    found = set(kept)
    while alone := {p for p in found if p in around and around[p] not in found}:
        found -= alone
    return sorted(found)


def _around(events: Iterable[EventEntry], turns: Iterable[Turn], passes: set[int]) -> Iterator[EventEntry]:
    """The events in some turns, with what came directly before and after each, and the passes that are written with what
    happened while they ran."""
    counts = {n for turn in turns for n in range(turn.nodes.start, turn.nodes.stop + 1)}
    for event in events:
        ran = event.told["index"] if event.kind == "pass" else None if event.during is None else event.during[0]
        if event.nodes in counts if ran is None else ran in passes:
            yield event


def _read_in(nodes: Iterable[NodeEntry], passes: Iterable[PassEntry]) -> Iterator[TensorEntry]:
    """The values that functions and steps computed with."""
    for node in nodes:
        yield from node.inputs
    for one in passes:
        for step in one.steps:
            yield from (step.reads or {}).values()


def _referred(
    nodes: Iterable[NodeEntry], passes: Iterable[PassEntry], asked: Iterable[TensorEntry]
) -> list[TensorEntry]:
    """The tensors that functions and passes cannot do without, and what they are views of."""
    found: dict[int, TensorEntry] = {}
    pending = [*asked, *(e for node in nodes for e in (*node.inputs, *node.outputs))]
    pending += [e for entry in passes for e in _of_pass(entry)]
    while pending:
        entry = pending.pop().first
        if entry.number not in found:
            found[entry.number] = entry
            pending += [entry.view_of] if entry.view_of is not None else []
    return [found[number] for number in sorted(found)]


def _of_pass(entry: PassEntry) -> Iterator[TensorEntry]:
    for output, _, argument in entry.roots:
        yield output
        if argument is not None:
            yield argument
    for accumulation in entry.accumulations:
        yield accumulation[0]
