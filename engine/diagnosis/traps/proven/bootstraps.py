"""Traps of targets that a network makes for itself, from what it expects to come."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from gradflow.engine.diagnosis.traps.proven.trails import behind
from gradflow.engine.diagnosis.traps.record import (
    Record,
    Trap,
    attributes_of,
    is_call_of,
    modules_in,
    parameters_in,
    producer,
)
from gradflow.engine.recording.entries import NodeEntry, TensorEntry
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Fix, Note, Span

MOVING_TARGET: Final = Trap(
    "target-with-gradient",
    "{name} is the target, and was computed with the parameters that are trained, in the graph: the step also moves the target towards the prediction. Cut it off: `{meant}`, or"
    " compute it under `no_grad`.",
    "{name} 是目标，却是用正在训练的参数在计算图里算出来的：更新也会把目标推向预测。请把它断开：`{meant}`，或者在 `no_grad` 下计算。",
)
UNUSED_COPY: Final = Trap(
    "target-network-unused",
    "The target is computed with `{trained}`, which is being trained: it moves at every step, and the gradient goes into it too. `{copy}`, which holds a copy of its weights, is never used."
    " Compute the target with it: `{meant}`.",
    "目标是用正在训练的 `{trained}` 算出来的：它每一步都在变，梯度也会流进去。而存有其权重副本的 `{copy}` 从未被使用。请用它来计算目标：`{meant}`。",
)
_KEPT: Final = re.compile(r"target|tgt|old|copy|frozen|slow|delayed|teacher|hat$|_t$|2$|目标", re.IGNORECASE)
_TARGETS: Final = re.compile(r"target|expected|^y$|^td", re.IGNORECASE)


def moving_targets(run: Record) -> Iterator[Note]:
    """``target = r + gamma * q(s2).max(1)[0]``, and ``q`` is what is trained."""
    if not run.steps or not re.search(r"gamma|discount|0\.9|reward", run.program.source):
        return
    for node in run.calls("mse_loss smooth_l1_loss huber_loss sub"):
        if (
            len(node.inputs) < 2
            or node not in run.ran_backward
            or not all(one.requires_grad for one in node.inputs[:2])
        ):
            continue
        for target, output in (node.inputs[1::-1], node.inputs[:2]):
            if not _is_bootstrapped(target) or _is_bootstrapped(output):
                continue
            shared = {one.first for one in behind(target, 300, in_graph=True) if one.is_leaf}
            if not shared & {one.first for one in behind(output, 300)}:
                continue
            target = _plain(target)
            unused = _unused_copy(run, target)
            if unused is not None:
                yield unused
                return
            fix, meant = _cut(run, target)
            yield MOVING_TARGET.note(run.span(target.place), [target], fix, name=run.name(target), meant=meant)
            return


def _unused_copy(run: Record, target: TensorEntry) -> Note | None:
    """The note where another network of the same layers stands ready for the target, and has never run."""
    for entry in (target, *behind(target, 30, in_graph=True)):
        span = called_at(run, entry.node) if entry.node is not None else None
        call = run.call_at(span) if span is not None else None
        trained = run.case.text(call.func) if call is not None else ""
        networks = _networks(run, trained)
        if call is None or trained not in networks:
            continue
        own = networks.pop(trained)
        for name, weights in networks.items():
            alike = [one._a.shape for one in weights] == [one._a.shape for one in own]
            if (
                not alike
                or not _KEPT.search(name)
                or weights[0] is own[0]
                or any(_has_run(run, one) for one in weights)
            ):
                continue
            meant = run.case.text(call).replace(trained, name, 1)
            fix = run.fix(run.case.replace(call.func, name), f"`{meant}`", f"`{meant}`")
            return UNUSED_COPY.note(span, [target], fix, trained=trained, copy=name, meant=meant)
        return None
    return None


def _networks(run: Record, text: str) -> dict[str, list[Tensor]]:
    """The networks that stand where the one of this text does, with their parameters: global names, or those of ``self``."""
    prefix, _, name = text.rpartition(".")
    places = [run.namespace] if not prefix else [_members(held) for held in run.held()]
    for place in places:
        if name in place and prefix in ("", "self"):
            found = {
                (f"{prefix}.{key}" if prefix else key): [p for _, part in modules_in(held) for p in parameters_in(part)]
                for key, held in place.items()
            }
            return {key: weights for key, weights in found.items() if weights}
    return {}


def _members(held: object) -> dict[str, object]:
    own = attributes_of(held)
    children = own.get("_modules")
    return {**own, **children} if isinstance(children, dict) else own


def _has_run(run: Record, weight: Tensor) -> bool:
    """Whether a layer used a weight."""
    readers = run.consumers.get(weight._entry.first, ()) if weight._entry is not None else ()
    return any(called_at(run, node) != run.span(node.place) or node.node is not None for node in readers)


def _is_bootstrapped(entry: TensorEntry) -> bool:
    """Whether a tensor is data plus a part of the largest of several values, or of the value of what follows."""
    entry = _plain(entry)
    node = producer(entry)
    if node is None or not is_call_of(node, "add") or not any(map(_TARGETS.search, entry.first.names)):
        return False
    scaled = [one for one in node.inputs if one.requires_grad and is_call_of(producer(one) or node, "mul mul_scalar")]
    return len(scaled) == 1 and any(not one.requires_grad and one.array.ndim for one in node.inputs)


def _plain(entry: TensorEntry) -> TensorEntry:
    """A tensor before it was brought into another shape."""
    node = producer(entry)
    while node is not None and is_call_of(node, "unsqueeze view squeeze_dim"):
        entry = node.inputs[0]
        node = producer(entry)
    return entry


def _cut(run: Record, target: TensorEntry) -> tuple[Fix | None, str]:
    span = run.span(target.place)
    node = run.case.find(ast.expr, span) if span is not None else None
    if node is None:
        return None, ".detach()"
    meant = f"({' '.join(run.case.text(node).split())}).detach()"
    return run.fix(run.case.followed(node, ".detach()"), "`.detach()`", "`.detach()`"), meant


def called_at(run: Record, node: NodeEntry) -> Span | None:
    """Where the program calls the outermost module that a function ran in."""
    found, place = node.place, node.within
    while place is not None:
        found = place.position if place.kind == "module" and place.position is not None else found
        place = place.parent
    return run.span(found)


TRAPS: Final = (moving_targets,)
