"""`verify`: what must hold of every trace before it leaves the engine."""

from __future__ import annotations

from collections.abc import Mapping

from gradflow.engine.trace import Edge, NodeRecord, Pass, Place, Step, TensorRecord, Trace, Value, WriteEvent


class BrokenTrace(Exception):
    """A trace that contradicts itself: a mistake in the engine, never in a program."""


def verify(trace: Trace) -> None:
    """Check that ids refer to something, that gradients have the shapes of their values, and that passes end at leaves.

    Raises BrokenTrace.
    """
    tensors = {t.id: t for t in trace.tensors}
    nodes = {n.id: n for n in trace.nodes}
    edges = {e.id: e for e in trace.edges}
    _need(len(tensors) == len(trace.tensors), "ids of tensors are not unique")
    _need(len(nodes) == len(trace.nodes), "ids of functions are not unique")
    _need(len(edges) == len(trace.edges), "ids of edges are not unique")
    differentiable = {other for n in trace.nodes if n.grad_fn for other in n.outputs}
    for tensor in trace.tensors:
        _verify_tensor(tensor, tensors, nodes, differentiable)
        _verify_versions(tensor, len(trace.events))
    for node in trace.nodes:
        _need(node.rule in trace.rules, f"{node.id} has no rule")
        _verify_reads(node, tensors)
        for other in (*node.inputs, *node.outputs, *(s.tensor for s in node.saved)):
            _need(other in tensors, f"{node.id} refers to {other}")
    for edge in trace.edges:
        _verify_edge(edge, tensors, nodes)
    _verify_places(trace)
    _need(set(trace.shown) <= {*tensors, *nodes}, "what is shown is not in the trace")
    for one in trace.passes:
        _Pass(one, tensors, nodes, edges).verify()
    verify_events(trace, tensors)


def _verify_tensor(
    tensor: TensorRecord,
    tensors: Mapping[str, TensorRecord],
    nodes: Mapping[str, NodeRecord],
    differentiable: set[str],
) -> None:
    """``differentiable``: what functions with a gradient made. Other versions were written while none was recorded."""
    _fits(tensor.value, tensor.shape, f"value of {tensor.id}")
    if tensor.grad is not None:
        _fits(tensor.grad, tensor.shape, f".grad of {tensor.id}")
    if tensor.node is not None:
        maker = nodes.get(tensor.node)
        later = not tensor.is_leaf and tensor.id not in differentiable
        whole = maker is not None and any(o == tensor.id or (later and o in tensors) for o in maker.outputs)
        _need(whole, f"producer of {tensor.id}")
    _need(tensor.view_of is None or tensor.view_of in tensors, f"base of {tensor.id}")


def _verify_places(trace: Trace) -> None:
    """Places form one tree, each after its parent; the turns of a loop ascend."""
    places: dict[str, Place] = {}
    turns: dict[str, int] = {}
    for place in trace.places:
        _need(place.id not in places, f"two places {place.id}")
        _need(place.parent is None or place.parent in places, f"{place.id} is in {place.parent}")
        if place.kind == "turn":
            loop, turn = place.parent or "", -1 if place.turn is None else place.turn
            _need(loop in places and places[loop].kind == "loop", f"{place.id} is a turn of {place.parent}")
            _need(turn > turns.get(loop, -1), f"{place.id} is turn {place.turn} after {turns.get(loop)}")
            turns[loop] = turn
        places[place.id] = place
    for recorded in (*trace.nodes, *trace.tensors, *trace.events):
        named = recorded["place"] if isinstance(recorded, dict) else recorded.place
        _need(named is None or named in places, f"something is in {named}")


def _verify_versions(tensor: TensorRecord, events: int) -> None:
    told = tensor.versions
    _need(len(told) != 1, f"one version of {tensor.id} alone")
    for before, each in zip([None, *told], told, strict=False):
        number = each.version
        _need(before is None or before.version < number, f"version {number} of {tensor.id} after {before}")
        _need(each.event is None or 0 <= each.event < events, f"version {number} of {tensor.id} by {each.event}")
        _fits(each.value, tensor.shape, f"version {number} of {tensor.id}")
    _need(not told or told[-1].value == tensor.value, f"value of {tensor.id} is not the last of its versions")


def _verify_reads(node: NodeRecord, tensors: Mapping[str, TensorRecord]) -> None:
    for tensor, version in (*node.read.items(), *((s.tensor, s.version) for s in node.saved)):
        _need(_is_version(tensors.get(tensor), version), f"{node.id} reads version {version} of {tensor}")
    _need(set(node.read) <= set(node.inputs), f"{node.id} reads what is no input")


def _is_version(tensor: TensorRecord | None, version: int) -> bool:
    return tensor is not None and version in ({each.version for each in tensor.versions} or {0})


def verify_events(trace: Trace, tensors: Mapping[str, TensorRecord]) -> None:
    """Every function and pass has one event, in the order of their numbers, and events refer to something."""
    told = [event["node"] for event in trace.events if event["kind"] == "function"]
    _need(told == [node.id for node in trace.nodes], "events do not tell the functions in their order")
    passes = [event["pass"] for event in trace.events if event["kind"] == "pass"]
    _need(passes == [one.id for one in trace.passes], "events do not tell the passes in their order")
    nodes = {node.id for node in trace.nodes}
    steps = {one.id: len(one.steps) for one in trace.passes}
    for number, event in enumerate(trace.events):
        named: list[str] = []
        if during := event.get("during"):
            _need(0 <= during["step"] <= steps.get(during["pass_id"], -1), f"event {number} is part of {during}")
        if event["kind"] in ("zero", "step", "mark"):
            named = event["tensors"]
        elif event["kind"] == "hook":
            named = [event["tensor"]] if event["tensor"] is not None else []
            _need(event["node"] is None or event["node"] in nodes, f"event {number} names {event['node']}")
        elif event["kind"] == "write":
            _verify_write(number, event, tensors)
            named = [event["tensor"]]
        _need(set(named) <= tensors.keys(), f"event {number} names {named}")


def _verify_write(number: int, event: WriteEvent, tensors: Mapping[str, TensorRecord]) -> None:
    written = event["tensor"] if event["of"] == "value" else event["grad"]
    before, after = event["before"], event["after"]
    _need(written is not None and _is_version(tensors.get(written), after), f"event {number} writes {written}")
    _need(before is None or before == after - 1, f"event {number} writes version {after} after {before}")


def _verify_edge(edge: Edge, tensors: Mapping[str, TensorRecord], nodes: Mapping[str, NodeRecord]) -> None:
    _need(edge.tensor in tensors, f"{edge.id} carries {edge.tensor}")
    if edge.input is None:
        whole = edge.source in nodes and edge.target == edge.tensor in nodes[edge.source].outputs
    else:
        inputs = nodes[edge.target].inputs if edge.target in nodes else []
        whole = edge.source == edge.tensor and edge.input < len(inputs) and inputs[edge.input] == edge.tensor
    _need(whole, f"{edge.id} from {edge.source} to {edge.target}")


class _Pass:
    """One pass in front of what it refers to."""

    def __init__(
        self,
        one: Pass,
        tensors: Mapping[str, TensorRecord],
        nodes: Mapping[str, NodeRecord],
        edges: Mapping[str, Edge],
    ) -> None:
        self.one, self.tensors, self.nodes, self.edges = one, tensors, nodes, edges

    def verify(self) -> None:
        for root in self.one.roots:
            self.fits(root.tensor, root.gradient, "root")
        for tensor, gradient in self.one.gradients.items():
            self.fits(tensor, gradient, "gradient")
        for step in self.one.steps:
            self.verify_step(step)
        for added in self.one.accumulations:
            for value in (added.before, added.incoming, added.after):
                if value is not None:
                    self.fits(added.tensor, value, ".grad")
            self.need(self.tensors[added.tensor].is_leaf, f"ends at {added.tensor}, which is no leaf")
            self.need(0 <= added.step < max(len(self.one.steps), 1), f"accumulates after step {added.step}")
        for tensor, rows in (self.one.jacobian or {}).items():
            self.need(tensor in self.tensors, f"Jacobian of {tensor}")
            height, width = rows.shape
            self.need(len(rows.rows) == height and all(len(row) == width for row in rows.rows), f"rows of {tensor}")

    def verify_step(self, step: Step) -> None:
        self.need(step.node in self.nodes, f"step of {step.node}")
        for tensor, version in step.read.items():
            self.need(_is_version(self.tensors.get(tensor), version), f"step reads version {version} of {tensor}")
        for grad_input in step.grad_inputs:
            edge = self.edges.get(grad_input.edge)
            self.need(edge is not None and edge.target == step.node, f"gradient on {grad_input.edge}")
            assert edge is not None
            self.fits(edge.tensor, grad_input.value, f"gradient on {grad_input.edge}")

    def fits(self, tensor: str, value: Value, what: str) -> None:
        self.need(tensor in self.tensors, f"{what} of {tensor}")
        _fits(value, self.tensors[tensor].shape, f"{self.one.id}: {what} of {tensor}")

    def need(self, holds: bool, what: str) -> None:
        _need(holds, f"{self.one.id}: {what}")


def _fits(value: Value, shape: list[int], what: str) -> None:
    _need(value.shape == shape, f"{what} has shape {value.shape} and not {shape}")
    _need((value.data is None) != (value.summary is None), f"{what} has neither numbers nor a summary, or both")


def _need(holds: bool, what: str) -> None:
    if not holds:
        raise BrokenTrace(what)
