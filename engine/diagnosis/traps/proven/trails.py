"""Ways through the record: what was computed from a tensor, and what a tensor was computed from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from gradflow.engine.diagnosis.traps.record import Record, producer
from gradflow.engine.recording.entries import NodeEntry, TensorEntry
from gradflow.engine.tensor import Tensor, address

_MOST: Final = 3000


def memory_of(held: object) -> tuple[int, tuple[int, ...]] | None:
    """Where the elements of a tensor or an array lie, and their shape."""
    array = held._a if isinstance(held, Tensor) else held
    return (address(array), array.shape) if isinstance(array, np.ndarray) and array.size else None


def forward_from(run: Record, entry: TensorEntry) -> Iterator[NodeEntry]:
    """The functions that work on what was computed from a tensor, nearest first."""
    seen, waiting = {entry.first}, [entry.first]
    for current in waiting:
        for node in run.consumers.get(current, ()):
            yield node
            new = [out.first for out in node.outputs if out.first not in seen and len(seen) < _MOST]
            seen.update(new)
            waiting += new


def behind(entry: TensorEntry, most: int = _MOST, in_graph: bool = False) -> Iterator[TensorEntry]:
    """A tensor, and those that it was computed from, nearest first; ``in_graph``: only those that gradients go to."""
    seen, waiting = {entry.first}, [entry]
    for current in waiting:
        yield current
        node = producer(current)
        new = [one for one in (node.inputs if node is not None else ()) if one.first not in seen and len(seen) < most]
        new = [one for one in new if one.requires_grad or not in_graph]
        seen.update(one.first for one in new)
        waiting += new


def idle_leaves(run: Record) -> list[TensorEntry]:
    """The leaves that optimizers hold, and that no pass of the run reached, though something was computed from them."""
    return [one for one in run.idle if one not in run.reached and one.requires_grad and run.consumers.get(one)]


def leads_to_pass(run: Record, entry: TensorEntry) -> bool:
    """Whether something computed from a tensor is an operand of what a pass went through."""
    return any(node in run.ran_backward for node in forward_from(run, entry))


def trains(run: Record) -> bool:
    """Whether leaves that passes reached are moved, by an optimizer or by hand."""
    written = (entry.first for event in run.events() if event.kind == "write" for entry in event.tensors())
    return bool(run.steps) or any(one in run.reached for one in written)
