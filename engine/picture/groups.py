"""Functions that fold into one box: turns, calls, modules, passes, and of long runs of statements the paragraphs and lines.

The page groups in the same way (``frontend/src/lib/graph/folding.ts``).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final, Literal, NamedTuple

from gradflow.engine.picture.turns import TRAINING
from gradflow.engine.trace import NodeRecord, Place, TensorRecord, Trace
from gradflow.engine.visibility import begins_history

Kind = Literal["line", "paragraph", "turn", "call", "module", "pass"]

LEAST: Final = 30
"""Shorter runs of functions need no paragraphs."""
STATEMENTS: Final = 8
"""A paragraph has so many statements at the least, where a long run is cut."""
PARAGRAPHS: Final = 16
"""A long run is cut into so many paragraphs at the most."""


@dataclass
class Group:
    """Functions that fold into one box; those of a turn, a call or a module may hold further groups.

    ``title``: a line's number, the lines of a paragraph or the comment over it, a turn's number, the name of a function, the
    path of a module, the id of a pass. ``caption``: of a module its name and class. ``depth``: how many groups it is in.
    ``stacked``: a turn of a loop that is drawn turn by turn. ``place``: where the box stands when it is folded.
    """

    kind: Kind
    title: str
    nodes: Sequence[NodeRecord]
    depth: int
    place: str | None
    caption: str = ""
    stacked: bool = False
    children: list[Group] = field(default_factory=list)


class _Level(NamedTuple):
    """One level of where a function ran. ``outside`` is the place around it; ``drives``: a call in which gradients were computed,
    zeroed or applied, as in ``main()`` or ``train()``."""

    key: str
    kind: Kind
    title: str
    caption: str
    outside: str | None
    drives: bool = False


def groups_of(
    trace: Trace, nodes: Sequence[NodeRecord], tensors: Sequence[TensorRecord], stacked: Set[str]
) -> list[Group]:
    """All groups among the functions of a picture, in the order of the run. ``stacked``: the ids of loops drawn turn by turn."""
    return _Forest(trace, nodes, tensors, stacked).groups(nodes, 0, 0)


class _Forest:
    def __init__(
        self, trace: Trace, nodes: Sequence[NodeRecord], tensors: Sequence[TensorRecord], stacked: Set[str]
    ) -> None:
        self.source, self.stacked, self.count = trace.source, stacked, len(nodes)
        self.places = {place.id: place for place in trace.places}
        self.named = {tensor.id for tensor in tensors if tensor.names}
        leaves = [tensor.names[0] for tensor in tensors if begins_history(tensor) and tensor.names]
        self.owners = {name.rpartition(".")[0] for name in leaves} - {""}
        self._known: dict[str | None, tuple[_Level, ...]] = {None: ()}
        self.drivers = set(self._driving(trace))

    def _driving(self, trace: Trace) -> Iterator[str]:
        """The calls in which gradients were computed, zeroed or applied."""
        for place in {event["place"] for event in trace.events if event["kind"] in TRAINING}:
            here = self.places.get(place or "")
            while here is not None:
                if here.kind == "call":
                    yield here.id
                here = self.places.get(here.parent or "")

    def groups(self, nodes: Sequence[NodeRecord], level: int, depth: int) -> list[Group]:
        """The groups among consecutive functions, from a level of their places inwards."""
        found: list[Group] = []
        for key, run in groupby(nodes, lambda node: self._key(node, level)):
            members = list(run)
            if key is None:
                found += self._statements(members, depth)
            else:
                found += self._scope(self._levels(members[0])[level], members, level, depth)
        return found

    def _key(self, node: NodeRecord, level: int) -> str | None:
        levels = self._levels(node)
        return levels[level].key if level < len(levels) else None

    def _scope(self, at: _Level, members: list[NodeRecord], level: int, depth: int) -> list[Group]:
        made = Group(at.kind, at.title, members, depth, at.outside, at.caption)
        if at.kind == "pass":
            return [made] if len(members) > 1 else []
        # one that trains, and in which most of the picture happens, stands for the program itself, as ``main()`` does
        if at.drives and (len(members) * 2 >= self.count or self._holds_turn(members, level)):
            return self.groups(members, level + 1, depth)
        made.stacked = self._is_stacked(at)
        holds = at.kind == "module" and at.title in self.owners
        if len(members) == 1 and not made.stacked and not holds:
            return self.groups(members, level + 1, depth)
        within = self.groups(members, level + 1, depth + 1)
        same = bool(within) and len(within[0].nodes) == len(members) and not made.stacked and not within[0].stacked
        made.children = within[0].children if same else within
        return [made]

    def _is_stacked(self, at: _Level) -> bool:
        return at.kind == "turn" and self.places[at.key].parent in self.stacked

    def _holds_turn(self, members: Iterable[NodeRecord], level: int) -> bool:
        """Whether one turn of a loop within a level stands for all."""
        return any(self._is_stacked(each) for node in members for each in self._levels(node)[level + 1 :])

    # -- places ---------------------------------------------------------------------------------------------------

    def _levels(self, node: NodeRecord) -> tuple[_Level, ...]:
        """Where a function ran, outermost first: a loop is told by its turns, a pass by itself."""
        levels = self._around(node.place)
        return (*levels, _Level(node.pass_id, "pass", node.pass_id, "", node.place)) if node.pass_id else levels

    def _around(self, place: str | None) -> tuple[_Level, ...]:
        known = self._known.get(place)
        if known is None:
            here = self.places.get(place or "")
            known = () if here is None else self._around(here.parent)
            if here is not None and here.kind in ("turn", "call", "module"):
                known = (*known, self._level(here, known))
            self._known[place] = known
        return known

    def _level(self, place: Place, outer: Sequence[_Level]) -> _Level:
        """A module is told by its path: ``net.0`` for ``0 · Linear`` in ``net``."""
        if place.kind == "turn":
            return _Level(place.id, "turn", str((place.turn or 0) + 1), place.title, place.parent)
        if place.kind == "call":
            return _Level(place.id, "call", place.title, place.title, place.parent, place.id in self.drivers)
        name = place.title.split(" · ")[0]
        above = next((level.title for level in reversed(outer) if level.kind == "module"), "")
        return _Level(place.id, "module", f"{above}.{name}" if above else name, place.title, place.parent)

    # -- statements -----------------------------------------------------------------------------------------------

    def _statements(self, nodes: list[NodeRecord], depth: int) -> list[Group]:
        """Long runs of statements fold by paragraphs."""
        paragraphs = list(_paragraphs(self.source, nodes))
        if len(paragraphs) < 2:
            return self._lines(nodes, depth)
        return [
            Group("paragraph", title, members, depth, members[0].place, children=self._lines(members, depth + 1))
            for title, members in paragraphs
            if len(members) > 1
        ]

    def _lines(self, nodes: Iterable[NodeRecord], depth: int) -> list[Group]:
        """The statements of a line. A name for the result ends one; what writes into a tensor stays by itself."""
        statement, keys = 0, {}
        for node in nodes:
            writes = node.kind == "copy_slices"
            statement += writes
            keys[node.id] = line_of(node), statement
            statement += writes or not self.named.isdisjoint(node.outputs)
        runs = [list(run) for _, run in groupby(nodes, lambda node: keys[node.id])]
        return [Group("line", str(line_of(run[0])), run, depth, run[0].place) for run in runs if len(run) > 1]


def line_of(node: NodeRecord) -> int:
    """The line of a function in the source; 0 for none."""
    return node.span.line if node.span is not None else 0


def _blocks(source: str) -> Iterator[tuple[int, str]]:
    """Where the paragraphs of a program begin, after blank lines and comments, each with the comment over it."""
    comment, fresh = "", True
    for number, text in enumerate(source.split("\n"), 1):
        line = text.strip()
        if not line:
            fresh, comment = True, ""
        elif line.startswith("#"):
            comment = re.sub(r"^[#\s]+", "", line) if fresh or not comment else comment
            fresh = True
        elif fresh:
            yield number, comment
            fresh, comment = False, ""


def _paragraphs(source: str, nodes: Sequence[NodeRecord]) -> Iterator[tuple[str, list[NodeRecord]]]:
    """The functions of a long run of statements by paragraphs; long ones are cut into pieces of one length."""
    if len(nodes) < LEAST:
        return
    blocks = list(_blocks(source))
    of_line: dict[int, int] = {}
    for node in nodes:
        line = line_of(node)
        if line not in of_line:
            of_line[line] = max((k for k, (first, _) in enumerate(blocks) if first <= line), default=-1)
    found = [(block, list(run)) for block, run in groupby(nodes, lambda node: of_line[line_of(node)])]
    lines = [[line for line, _ in groupby(map(line_of, members))] for _, members in found]
    most = max(STATEMENTS, math.ceil(sum(map(len, lines)) / PARAGRAPHS))
    for (block, members), own in zip(found, lines, strict=True):
        yield from _pieces(members, own, most, blocks[block][1] if block >= 0 else "")


def _pieces(
    nodes: Sequence[NodeRecord], lines: Sequence[int], most: int, comment: str
) -> Iterator[tuple[str, list[NodeRecord]]]:
    count = max(1, math.ceil(len(lines) / most))
    each = math.ceil(len(lines) / count)
    for k in range(count):
        own = set(lines[k * each : (k + 1) * each])
        if members := [node for node in nodes if line_of(node) in own]:
            yield (comment if count == 1 and comment else f"{min(own)}–{max(own)}"), members
