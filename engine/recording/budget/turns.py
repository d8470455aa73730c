"""A run cut into turns, which a trace tells whole or leaves out.

The program's own loops are cut first, from the outermost inwards, so that what is told is whole turns of training. In a
program without any, turns end where backward passes end, or begin wherever the place that ran most often runs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from gradflow.engine.recording.entries import CodePosition, NodeEntry
from gradflow.engine.recording.places import PlaceEntry
from gradflow.engine.recording.recorder import Recorder

FEWEST_TURNS = 8
"""What runs less often is no loop."""
DEEPEST = 6
"""Loops in one another that are cut."""

Key = tuple[int, ...]
"""The turns around something, from the outermost inwards, by the numbers of their places."""


class Turn(NamedTuple):
    """A stretch of the run: its functions, and the passes in it by their number."""

    nodes: range
    passes: range


class Cuts:
    """The ways to cut a run into turns without gaps, into ever smaller ones; at the end into turns of one function each."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._cut: dict[int, list[Turn]] = {}

    def of_loops(self) -> Iterator[list[Turn]]:
        """Turns of the program's own loops, then what ends with its passes: such turns are alike."""
        stretches, recorder = self._stretches, self._recorder
        for depth in range(1, 1 + min(DEEPEST, max((len(key) for key, _ in stretches), default=0))):
            if depth not in self._cut:
                self._cut[depth] = _of_loops(stretches, depth)
            yield self._cut[depth]
        if len(recorder.passes) >= FEWEST_TURNS:
            yield _of_passes(recorder)

    def __iter__(self) -> Iterator[list[Turn]]:
        recorder = self._recorder
        yield from self.of_loops()
        count, passes = len(recorder.nodes), range(len(recorder.passes))
        yield _without_passes([0, *_repeated(recorder.nodes), count], passes)
        yield _without_passes(range(count + 1), passes)

    def of_long_loops(self) -> Iterator[list[Turn]]:
        """Those of them that train, the inner ones only where they run often in each turn around them."""
        around = 0
        for turns in self.of_loops():
            trained = sum(bool(turn.passes) for turn in turns)
            if trained >= FEWEST_TURNS * around:
                around = trained
                yield turns

    def repeated_passes(self) -> list[frozenset[int]]:
        """The backward passes that one statement ran often, by their numbers: those of each loop that trains."""
        at: dict[CodePosition | None, list[int]] = {}
        for number, entry in enumerate(self._recorder.passes):
            at.setdefault(entry.place, []).append(number)
        return [frozenset(numbers) for numbers in at.values() if len(numbers) >= FEWEST_TURNS]

    @cached_property
    def _stretches(self) -> list[tuple[Key, Turn]]:
        return _stretches(self._recorder, _Keys())


class _Keys:
    """The turns that places lie in, each place looked at once."""

    def __init__(self) -> None:
        self._known: dict[int, Key] = {}

    def of(self, place: PlaceEntry | None) -> Key:
        key: Key | None = ()
        waiting = []
        while place is not None and (key := self._known.get(place.number)) is None:
            waiting.append(place)
            place = place.parent
        key = key or ()
        for each in reversed(waiting):
            key = self._known[each.number] = (*key, each.number) if each.kind == "turn" else key
        return key


def _stretches(recorder: Recorder, keys: _Keys) -> list[tuple[Key, Turn]]:
    """The run cut wherever the turns change that it is in; a pass lies behind the functions that were noted by its end."""
    found: list[tuple[Key, Turn]] = []
    within = [each.within for each in recorder.nodes]
    node = done = 0
    for end, entry in [*((min(each.ended, len(within)), each) for each in recorder.passes), (len(within), None)]:
        while node < end:
            place, begin = within[node], node
            key, node = keys.of(place), node + 1
            while node < end and (within[node] is place or keys.of(within[node]) == key):
                node += 1
            found.append((key, Turn(range(begin, node), range(done, done))))
        if entry is not None:
            found.append((keys.of(entry.within), Turn(range(node, node), range(done, done + 1))))
            done += 1
    return found


def _of_loops(stretches: Sequence[tuple[Key, Turn]], depth: int) -> list[Turn]:
    """The turns of loops that lie in ``depth`` - 1 others, with what is around them: before the first, then behind each."""
    starts: list[Turn] = []
    current: Key | None = None
    for key, stretch in stretches:
        inner = key[:depth] if len(key) >= depth else None
        if not starts or (current is not None and current[: len(key)] != key[:depth]):
            starts.append(stretch)
            current = None
        current = inner or current
    ends = [(each.nodes.start, each.passes.start) for each in starts[1:]]
    ends += [(stretch.nodes.stop, stretch.passes.stop) for _, stretch in stretches[-1:]]
    return [
        Turn(range(start.nodes.start, nodes), range(start.passes.start, passes))
        for start, (nodes, passes) in zip(starts, ends, strict=True)
    ]


def _of_passes(recorder: Recorder) -> list[Turn]:
    count = len(recorder.nodes)
    ends = [*(min(entry.ended, count) for entry in recorder.passes[:-1]), count]
    stretches = [range(a, max(a, b)) for a, b in pairwise([0, *ends])]
    return [Turn(nodes, range(k, k + 1)) for k, nodes in enumerate(stretches)]


def _without_passes(cuts: Sequence[int], passes: range) -> list[Turn]:
    """Turns that begin at these functions; the last has the passes."""
    nodes = [range(a, b) for a, b in pairwise(cuts) if b > a] or [range(0)]
    return [*(Turn(each, range(0)) for each in nodes[:-1]), Turn(nodes[-1], passes)]


def _repeated(nodes: Sequence[NodeEntry]) -> list[int]:
    """Where turns begin: at each run of the place that ran most often; at each function where none did."""
    places = [node.place and (id(node.place[0]), node.place[1]) for node in nodes]
    counts = Counter(places)
    place, most = counts.most_common(1)[0] if counts else (None, 0)
    if most < FEWEST_TURNS:
        return list(range(1, len(nodes)))
    return [k for k, each in enumerate(places) if each == place and k]
