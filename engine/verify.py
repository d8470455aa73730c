"""`verify`: what must hold of every trace before it leaves the engine."""

from __future__ import annotations

from engine.trace import Pass, Trace, Value


class BrokenTrace(Exception):
    """A trace that contradicts itself: a mistake in the engine, never in a program."""


def verify(trace: Trace) -> None:
    """Raises BrokenTrace for a dangling id, for a gradient of another shape than its value, for a pass that loses its way."""
    shapes = {t.id: t.shape for t in trace.tensors}
    nodes = {n.id: n for n in trace.nodes}
    _need(len(shapes) == len(trace.tensors) and len(nodes) == len(trace.nodes), "ids are not unique")
    for tensor in trace.tensors:
        _need(tensor.value.shape == tensor.shape, f"value of {tensor.id}")
        _need(tensor.node is None or tensor.id in nodes[tensor.node].outputs, f"producer of {tensor.id}")
        _need(tensor.view_of is None or tensor.view_of in shapes, f"base of {tensor.id}")
    for node in trace.nodes:
        for other in (*node.inputs, *node.outputs, *(s.tensor for s in node.saved)):
            _need(other in shapes, f"{node.id} refers to {other}")
    ids = shapes.keys() | nodes.keys()
    for edge in trace.edges:
        _need(edge.source in ids and edge.target in ids and edge.tensor in shapes, f"edge {edge.id}")
    tensor_of = {edge.id: edge.tensor for edge in trace.edges}
    for one in trace.passes:
        _verify_pass(one, shapes, nodes.keys(), tensor_of)


def _verify_pass(one: Pass, shapes: dict[str, list[int]], nodes: object, tensor_of: dict[str, str]) -> None:
    for root in one.roots:
        _fits(root.gradient, shapes[root.tensor], f"{one.id}: gradient of {root.tensor}")
    for tensor, gradient in one.gradients.items():
        _need(tensor in shapes, f"{one.id} reaches {tensor}")
        _fits(gradient, shapes[tensor], f"{one.id}: gradient of {tensor}")
    for step in one.steps:
        _need(step.node in nodes, f"{one.id}: step of {step.node}")  # type: ignore[operator]  # a view of dict keys
        for share in step.grad_inputs:
            _need(share.edge in tensor_of, f"{one.id}: share on {share.edge}")
            _fits(share.value, shapes[tensor_of[share.edge]], f"{one.id}: share on {share.edge}")
    for added in one.accumulations:
        _fits(added.incoming, shapes[added.tensor], f"{one.id}: into {added.tensor}")
        _fits(added.after, shapes[added.tensor], f"{one.id}: .grad of {added.tensor}")


def _fits(value: Value, shape: list[int], what: str) -> None:
    _need(value.shape == shape, f"{what} has shape {value.shape} and not {shape}")


def _need(holds: bool, what: str) -> None:
    if not holds:
        raise BrokenTrace(what)
