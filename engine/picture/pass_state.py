"""How far a backward pass has come: what a picture of it shows after so many of its steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gradflow.engine.picture.cells import norm
from gradflow.engine.trace import NodeRecord, Pass, Step, Value


@dataclass(frozen=True)
class PassState:
    """``gradients`` by tensor, ``buckets`` the ``.grad`` of leaves that the pass adds to, ``shares`` the norms of what went along
    edges. ``ran`` is the function of the last step, where the picture is one of a step."""

    gradients: Mapping[str, Value]
    buckets: Mapping[str, Value | None]
    shares: Mapping[str, float]
    ran: str | None = None
    steps: Sequence[Step] = field(default=())
    """Those that have been made."""


def state_of(backward: Pass | None, step: int | None, nodes: Sequence[NodeRecord]) -> PassState:
    """The state after ``step`` steps, from 0; at the end by default. Raises ValueError for a step that there is not."""
    if step is None or backward is None:
        if step:
            raise ValueError(f"there is no backward pass that has a step {step}")
        return PassState({}, {}, {}) if backward is None else _after(backward, len(backward.steps), backward.gradients)
    count = len(backward.steps)
    if not 0 <= step <= count:
        raise ValueError(f"the pass has {count} steps: there is no step {step}")
    outputs = {node.id: node.outputs for node in nodes}
    reached = {root.tensor: root.gradient for root in backward.roots}
    for each in backward.steps[: step + 1]:  # the next function has its gradient already
        told = zip(outputs[each.node], each.grad_outputs, strict=False)
        reached |= {tensor: gradient for tensor, gradient in told if gradient is not None}
    return _after(backward, step, reached, backward.steps[step - 1].node if step else None)


def _after(backward: Pass, step: int, gradients: Mapping[str, Value], ran: str | None = None) -> PassState:
    buckets: dict[str, Value | None] = {}
    for each in backward.accumulations:
        if each.step < step:
            buckets[each.tensor] = each.after
        else:
            buckets.setdefault(each.tensor, each.before)
    shares = {sent.edge: norm(sent.value) for one in backward.steps[:step] for sent in one.grad_inputs}
    return PassState(gradients, buckets, shares, ran, backward.steps[:step])
