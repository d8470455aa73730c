"""The Jacobian of an output, for every recorded tensor behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from gradflow.engine.autograd.graph_task import GraphTask
from gradflow.engine.autograd.node import AccumulateGrad, Node, gradient_edge
from gradflow.engine.recording.entries import TensorEntry
from gradflow.engine.tensor import Tensor

if TYPE_CHECKING:
    from gradflow.engine.recording.recorder import Recorder


def jacobian(recorder: Recorder, output: Tensor, limit: int = 4096) -> dict[TensorEntry, np.ndarray] | None:
    """Rows by one-hot passes, for every recorded tensor behind ``output``; None where it would be too large."""
    size = output._a.size
    if not output.requires_grad or size * size > limit or runs_program(gradient_edge(output)[0]):
        return None
    rows: dict[TensorEntry, np.ndarray] = {}
    total = 0

    def observe(number: int) -> Callable[[Node, list[np.ndarray | None]], None]:
        def note(node: Node, grads: list[np.ndarray | None]) -> None:
            nonlocal total
            for entry, grad in _reached(recorder, node, grads):
                if entry not in rows:
                    total += size * grad.size
                    if total > 64 * limit:
                        raise _TooLarge
                    rows[entry] = np.zeros((size, grad.size), grad.dtype)
                rows[entry][number] = grad.reshape(-1)

        return note

    try:
        for number in range(size):
            seed = np.zeros_like(output._a, shape=size)
            seed[number] = 1
            graph_task = GraphTask(keep_graph=True, create_graph=False, targets=None, accumulate_grad=False)
            graph_task.observer = observe(number)
            graph_task.run([(gradient_edge(output), seed.reshape(output._a.shape))])
    except (_TooLarge, RuntimeError):
        return None
    return rows


def _reached(
    recorder: Recorder, node: Node, grads: list[np.ndarray | None]
) -> Iterator[tuple[TensorEntry, np.ndarray]]:
    """The recorded tensors that gradients at ``node`` belong to."""
    if isinstance(node, AccumulateGrad):
        if grads[0] is not None:
            yield recorder.entry(node.variable), grads[0]
    elif node.entry is not None:
        for output, grad in zip(node.entry.outputs, grads, strict=False):
            if grad is not None:
                yield output, grad


def runs_program(start: Node) -> bool:
    """Whether a pass from a node on calls functions of the program: hooks, or a custom backward."""
    seen, stack = {start}, [start]
    while stack:
        node = stack.pop()
        if node.calls_program():
            return True
        for following in node.next_edges:
            if following is not None and following[0] not in seen:
                seen.add(following[0])
                stack.append(following[0])
    return False


class _TooLarge(Exception):
    """The Jacobian has more elements than are shown."""
