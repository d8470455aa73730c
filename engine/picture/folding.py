"""How a picture folds until it can be taken in: lines, then ever larger groups, as on the page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Final

from gradflow.engine.picture.groups import Group, groups_of
from gradflow.engine.picture.turns import Alive
from gradflow.engine.trace import NodeRecord, TensorRecord, Trace
from gradflow.engine.visibility import asked_for

MOST: Final = 64
"""With more tensors and functions than these, groups fold by themselves."""


@dataclass(frozen=True)
class Folding:
    """``folded``: the boxes. ``inside``: by the id of a function or tensor that is not drawn, the number of its box."""

    folded: list[Group]
    inside: dict[str, int]
    tensors: list[TensorRecord]
    nodes: list[NodeRecord]

    def __len__(self) -> int:
        """How many elements the picture has."""
        return len(self.tensors) + len(self.nodes) + len(self.folded)


def folded(trace: Trace, alive: Alive, most: int = MOST) -> Folding:
    """A picture of what is alive that folds as little as leaves it no more than so many elements, where it can."""
    ways = tried(trace, alive)
    found = next(ways)
    while len(found) > most and (smaller := next(ways, None)) is not None:
        found = smaller
    return found


def tried(trace: Trace, alive: Alive) -> Iterator[Folding]:
    """What is alive folded ever more: nothing, lines, then ever larger groups."""
    part = _Part(trace, alive)
    groups = groups_of(trace, part.nodes, part.tensors, alive.stacked)
    for depth, lines in _ways(groups):
        yield part.folding(list(_closed(groups, depth, lines)))


def _ways(groups: Sequence[Group]) -> Iterator[tuple[float, bool]]:
    """The depth from which groups fold, and whether lines do."""
    yield float("inf"), False
    yield float("inf"), True
    for depth in range(_deepest(groups), -1, -1):
        yield depth, True


def _deepest(groups: Sequence[Group]) -> int:
    return max((max(each.depth, _deepest(each.children)) for each in groups), default=-1)


def _closed(groups: Sequence[Group], depth: float, lines: bool) -> Iterator[Group]:
    """The groups that are folded; a turn that stands for others is not."""
    for each in groups:
        itself = each.kind == "pass" or (lines if each.kind == "line" else each.depth >= depth)
        if itself and not each.stacked:
            yield each
        else:
            yield from _closed(each.children, depth, lines)


class _Part:
    """The part of a trace that is drawn."""

    def __init__(self, trace: Trace, alive: Alive) -> None:
        self.tensors = [tensor for tensor in trace.tensors if tensor.id in alive.ids]
        self.nodes = [node for node in trace.nodes if node.id in alive.ids]
        self.drawn = {node.id for node in self.nodes}
        self.asked = set(asked_for(trace.passes, trace.error.tensor if trace.error is not None else None))
        self.users: dict[str, list[str]] = defaultdict(list)
        for node in self.nodes:
            for each in node.inputs:
                self.users[each].append(node.id)

    def folding(self, closed: list[Group]) -> Folding:
        inside = {node.id: number for number, group in enumerate(closed) for node in group.nodes}
        inside |= self._hidden(closed, inside)
        return Folding(
            closed,
            inside,
            [tensor for tensor in self.tensors if tensor.id not in inside],
            [node for node in self.nodes if node.id not in inside],
        )

    def _hidden(self, closed: Sequence[Group], inside: dict[str, int]) -> dict[str, int]:
        """Tensors that a folded group keeps to itself: steps on the way, and constants that only it uses."""
        hidden: dict[str, int] = {}
        for tensor in self.tensors if closed else ():
            if tensor.id in self.asked:
                continue
            used = {inside.get(node) for node in self.users[tensor.id]}
            maker = inside.get(tensor.node or "")
            if maker is not None:
                if _is_inner(tensor, closed[maker], maker, used):
                    hidden[tensor.id] = maker
            elif len(used) == 1 and tensor.node not in self.drawn and not tensor.requires_grad and not tensor.names:
                [only] = used
                if only is not None:
                    hidden[tensor.id] = only
        return hidden


def _is_inner(tensor: TensorRecord, group: Group, number: int, used: Set[int | None]) -> bool:
    """Whether the picture loses nothing if a tensor that a folded group made is not drawn."""
    if not tensor.names:
        return True
    if group.kind in ("line", "pass") or (tensor.grad is not None and not tensor.is_leaf):
        return False
    return used == {number}
