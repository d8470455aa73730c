"""Which part of a trace belongs to a picture of it.

`shown` is the `Trace.shown` that the page and the server's pictures follow.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from gradflow.engine.trace import NodeRecord, Pass, TensorRecord


def shown(
    tensors: Sequence[TensorRecord],
    nodes: Sequence[NodeRecord],
    passes: Sequence[Pass],
    failed_at: str | None = None,
    failed_call: int | None = None,
) -> list[str]:
    """The ids of what leads to a differentiated output, or to a tensor that could be one.

    failed_at: the tensor that the error of the run is about. failed_call: the `NodeRecord.call` that raised it. A program that
    differentiates nothing is shown whole, but for what nobody can speak of (`_forgotten`, `_statistics`, `_left_behind`). A
    creation such as ``zeros(2)`` is drawn as its tensor alone.
    """
    roots = asked_for(passes, failed_at)
    kept = (
        {t.id for t in tensors}
        - _forgotten(tensors, nodes)
        - _statistics(nodes)
        - _left_behind(tensors, nodes, failed_call)
        if not roots
        else _ancestors(tensors, nodes, [*roots, *_lone_ends(tensors, nodes)])
    )
    makers = {t.node for t in tensors if t.id in kept and begins_history(t)} if roots else set()
    drawn = [n for n in nodes if not _is_creation(n) and n.id not in makers and not kept.isdisjoint(n.outputs)]
    return [*(t.id for t in tensors if t.id in kept), *(n.id for n in drawn)]


def _forgotten(tensors: Sequence[TensorRecord], nodes: Sequence[NodeRecord]) -> set[str]:
    """Tensors without a name that nothing has read, such as the memory of a layer's parameters; none where all are."""
    read = {t for n in nodes for t in n.inputs}
    made = {t for n in nodes if not _is_creation(n) for t in n.outputs}
    lost = {t.id for t in tensors if not t.names and t.id not in read and t.id not in made and not begins_history(t)}
    return lost if len(lost) < len(tensors) else set()


def _statistics(nodes: Sequence[NodeRecord]) -> set[str]:
    """What layers that train only keep count in, such as ``running_mean``: no value in the picture is made from it."""
    return {t for n in nodes for t in n.inputs}.difference(*(_operands(n) for n in nodes))


def _operands(node: NodeRecord) -> list[str]:
    """The inputs that a function computes with. Where it trains it writes its running statistics, and does not read them."""
    if node.attributes.get("training") is not True:
        return node.inputs
    kept = {each.tensor for each in node.saved if each.name.startswith("running_")}
    return [t for t in node.inputs if t not in kept]


def _left_behind(tensors: Sequence[TensorRecord], nodes: Sequence[NodeRecord], failed_call: int | None) -> set[str]:
    """Views that a call made on the way to its error, such as the ``t`` of a linear layer that did not fit: nothing reads them."""
    view_of = {t.id for t in tensors if t.view_of is not None}
    read: set[str] = set()
    left: set[str] = set()
    for node in reversed(nodes):
        if (
            failed_call is not None
            and node.call == failed_call
            and view_of.issuperset(node.outputs)
            and read.isdisjoint(node.outputs)
        ):
            left.update(node.outputs)
        else:
            read.update(node.inputs)
    return left


def _is_creation(node: NodeRecord) -> bool:
    return node.kind == "constant" and not node.inputs


def begins_history(tensor: TensorRecord) -> bool:
    """A leaf that requires a gradient begins a history of its own: what made its value is of no interest."""
    return tensor.is_leaf and tensor.requires_grad


def asked_for(passes: Iterable[Pass], failed_at: str | None) -> list[str]:
    """The ids of tensors that a picture is about: roots of passes, and the tensor that the error of the run is about."""
    roots = [root.tensor for each in passes for root in each.roots]
    return roots if failed_at is None else [*roots, failed_at]


def _lone_ends(tensors: Sequence[TensorRecord], nodes: Sequence[NodeRecord]) -> Iterable[str]:
    """Tensors that end a branch of the graph and could be differentiated. Unnamed views are by-products of indexing, and an unnamed
    leaf is one that something has replaced."""
    consumed = {t for n in nodes if n.kind != "constant" for t in n.inputs}
    idle = _idle_modules(tensors, {t for n in nodes for t in n.inputs})
    last = {t.names[0] if t.names else "": t for t in tensors}
    for t in tensors:
        name = t.names[0] if t.names else ""
        outdated = t.is_leaf and last[name].version > t.version  # a parameter before it was initialised
        candidate = t.requires_grad and not t.pass_id and t.id not in consumed
        by_product = not t.names and (t.view_of is not None or t.is_leaf)
        if candidate and not outdated and not by_product and _module_of(t) not in idle:
            yield t.id


def _idle_modules(tensors: Sequence[TensorRecord], read: Set[str]) -> Set[str]:
    """Models that are only there to be copied: nothing ever read a parameter of theirs."""
    used = {_module_of(t) for t in tensors if begins_history(t) and t.id in read}
    return {_module_of(t) for t in tensors if begins_history(t)} - used - {""}


def _module_of(tensor: TensorRecord) -> str:
    """The name of the model that a parameter belongs to; empty for all else."""
    name = tensor.names[0] if tensor.names else ""
    return name.partition(".")[0] if "." in name else ""


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
        if made_by is not None and not begins_history(tensor_of[each]):
            pending.extend(_operands(node_of[made_by]))
    return seen
