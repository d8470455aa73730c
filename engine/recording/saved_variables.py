"""What a recorded function keeps for its backward."""

from __future__ import annotations

from gradflow.engine.recording.entries import NodeEntry, tensor_id
from gradflow.engine.trace import Saved


def saved(entry: NodeEntry) -> list[Saved]:
    """The tensors that a function keeps, by their names in its formulas, in the order of its operands."""
    if entry.kept is not None:
        held = list(zip(kept(entry), entry.kept, strict=True))
    else:
        order = [p.name for p in entry.op.tensors] if entry.op is not None else []
        slots = sorted(kept(entry), key=lambda slot: order.index(slot) if slot in order else len(order))
        held = [(slot, entry.saved_entry(slot)) for slot in slots]
    return [Saved(slot, tensor_id(tensor), tensor.index) for slot, tensor in held if tensor is not None]


def kept(entry: NodeEntry) -> list[str]:
    """The names of all that a function keeps and frees: tensors, numbers made tensors of, and indices."""
    op = entry.op
    if entry.kept is not None:
        return [f"saved_tensors[{i}]" for i in range(len(entry.kept))]
    if entry.node is None or op is None:
        return []
    wanted = {p.name for p, e in zip(op.differentiable, entry.node.next_edges, strict=False) if e is not None}
    return [slot for slot in op.slots if op.users(slot) & wanted and (slot in op.keeps or _is_kept(entry, slot))]


def _is_kept(entry: NodeEntry, slot: str) -> bool:
    assert entry.op is not None
    return entry.saved_entry(slot) is not None or (
        entry.op.wraps_numbers and slot in {p.name for p in entry.op.tensors}
    )
