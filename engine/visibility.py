"""Which part of a trace belongs to the picture. The page has the same rule (``frontend/src/lib/visibility.ts``)."""

from __future__ import annotations

from collections.abc import Iterable

from gradflow.engine.trace import NodeRecord, TensorRecord, Trace


def visible(trace: Trace) -> tuple[list[TensorRecord], list[NodeRecord]]:
    """What leads to a differentiated output, or to a tensor that could be one.

    A program that differentiates nothing is shown whole. A creation such as ``zeros(2)`` is drawn as its tensor alone.
    """
    roots = [root.tensor for each in trace.passes for root in each.roots]
    if trace.error is not None and trace.error.tensor is not None:
        roots.append(trace.error.tensor)
    if not roots:
        return list(trace.tensors), [n for n in trace.nodes if not _is_creation(n)]
    shown = _ancestors(trace, [*roots, *_lone_ends(trace)])
    tensors = [t for t in trace.tensors if t.id in shown]
    makers = {t.node for t in tensors if _begins(t)}
    nodes = [
        n
        for n in trace.nodes
        if not _is_creation(n) and n.id not in makers and any(output in shown for output in n.outputs)
    ]
    return tensors, nodes


def _is_creation(node: NodeRecord) -> bool:
    return node.kind == "constant" and not node.inputs


def _begins(tensor: TensorRecord) -> bool:
    """A leaf that requires a gradient begins a history of its own: what made its value is of no interest."""
    return tensor.is_leaf and tensor.requires_grad


def _lone_ends(trace: Trace) -> Iterable[str]:
    """Tensors that end a branch of the graph and could be differentiated. Unnamed views are by-products of indexing."""
    consumed = {t for n in trace.nodes if n.kind != "constant" for t in n.inputs}
    last = {t.names[0] if t.names else "": t for t in trace.tensors}
    for t in trace.tensors:
        name = t.names[0] if t.names else ""
        outdated = t.is_leaf and last[name].version > t.version  # a parameter before it was initialised
        candidate = t.requires_grad and not t.pass_id and t.id not in consumed
        if candidate and not outdated and (t.names or t.view_of is None):
            yield t.id


def _ancestors(trace: Trace, start: Iterable[str]) -> set[str]:
    tensors = {t.id: t for t in trace.tensors}
    nodes = {n.id: n for n in trace.nodes}
    seen: set[str] = set()
    pending = list(start)
    while pending:
        each = pending.pop()
        if each in seen or each not in tensors:
            continue
        seen.add(each)
        made_by = tensors[each].node
        if made_by is not None and not _begins(tensors[each]):
            pending.extend(nodes[made_by].inputs)
    return seen
