"""The Jacobians of single functions, for those that the request names: one vector-Jacobian product for each output element."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gradflow.engine.autograd.copy_slices import CopySlices
from gradflow.engine.autograd.grad_inputs import ShapeMismatch, fit_array
from gradflow.engine.autograd.node import Node
from gradflow.engine.recording.entries import node_id, tensor_id
from gradflow.engine.recording.values import numbers
from gradflow.engine.state import STATE
from gradflow.engine.trace import LocalJacobian

if TYPE_CHECKING:
    from gradflow.engine.recording.entries import NodeEntry

MOST_PRODUCTS = 4096
"""Vector-Jacobian products of all functions together."""
MOST_CELLS = 1 << 20
"""Elements of one function's Jacobian, zeros included."""
MOST_ENTRIES = 40_000
"""Elements that are told of all functions together, without zeros."""


@dataclass(frozen=True, slots=True)
class LocalBlock:
    """The part of a function's Jacobian from one output to one differentiable input, without its zeros.

    ``position`` is that of the input among the differentiable ones; ``shape`` is (elements of the output, of the input).
    """

    position: int
    output: int
    shape: tuple[int, int]
    rows: np.ndarray
    columns: np.ndarray
    values: np.ndarray


class LocalJacobians:
    """What was asked for, by the number of the function. They are taken before a pass frees what they need."""

    def __init__(self, wanted: Collection[int] = ()) -> None:
        self.wanted = set(wanted)
        self.found: dict[int, list[LocalBlock]] = {}
        self.products = self.entries = 0

    def take(self, nodes: Sequence[NodeEntry]) -> None:
        """Compute those of the functions that were recorded by now. One that cannot be computed has none."""
        for number in sorted(each for each in self.wanted if each < len(nodes)):
            self.wanted.discard(number)
            node = nodes[number].node
            blocks = None if node is None else self._of(node)
            if blocks is not None:
                self.found[number] = blocks

    def _of(self, node: Node) -> list[LocalBlock] | None:
        if node.freed or _runs_program(node):
            return None
        rows = sum(_size(shape) for shape, dtype in node.output_metas if dtype.kind == "f")
        columns = sum(_size(edge[0].output_metas[edge[1]][0]) for edge in node.next_edges if edge is not None)
        if self.products + rows > MOST_PRODUCTS or rows * columns > MOST_CELLS:
            return None
        self.products += rows
        try:
            blocks = list(_blocks(node))
        except (RuntimeError, ShapeMismatch):  # freed or written in place since; it has no gradient
            return None
        entries = sum(block.values.size for block in blocks)
        if self.entries + entries > MOST_ENTRIES:
            return None
        self.entries += entries
        return blocks


def _runs_program(node: Node) -> bool:
    inner = node.inner if isinstance(node, CopySlices) else node
    return bool(node.packed or inner.packed) or type(inner).calls_program is not Node.calls_program


def _size(shape: tuple[int, ...]) -> int:
    return int(np.prod(shape, dtype=np.int64))


def _blocks(node: Node) -> Iterator[LocalBlock]:
    """Of each output and each input that gradients go to."""
    task, STATE.graph_task = STATE.graph_task, None  # all edges are wanted
    try:
        for output, (shape, dtype) in enumerate(node.output_metas):
            if dtype.kind == "f":
                yield from _of_output(node, output, shape, dtype)
    finally:
        STATE.graph_task = task


def _of_output(node: Node, output: int, shape: tuple[int, ...], dtype: np.dtype) -> Iterator[LocalBlock]:
    found: dict[int, list[tuple[int, np.ndarray]]] = {}
    size = _size(shape)
    for row in range(size):
        seeds: list[Any] = [None] * len(node.output_metas)
        seed = np.zeros(size, dtype)
        seed[row] = 1
        seeds[output] = seed.reshape(shape)
        for position, (edge, product) in enumerate(zip(node.next_edges, node.run(seeds, False), strict=False)):
            if edge is not None and product is not None:
                array = fit_array(product, edge[0].output_metas[edge[1]])
                found.setdefault(position, []).append((row, array.real.reshape(-1)))
    for position, rows in found.items():
        yield _block(position, output, size, rows)


def _block(position: int, output: int, size: int, found: list[tuple[int, np.ndarray]]) -> LocalBlock:
    spots = [(row, np.flatnonzero(array), array) for row, array in found]  # NaN is no zero
    rows = np.concatenate([np.full(places.size, row) for row, places, _ in spots])
    columns = np.concatenate([places for _, places, _ in spots])
    values = np.concatenate([array[places] for _, places, array in spots])
    return LocalBlock(position, output, (size, found[0][1].size), rows, columns, values)


def told(
    found: dict[int, list[LocalBlock]],
    nodes: Sequence[NodeEntry],
    edge_of: Callable[[NodeEntry, int], str],
) -> dict[str, list[LocalJacobian]]:
    """The records of these functions by id. ``edge_of``: the id of the edge to the input at a position."""
    known = {entry.number: entry for entry in nodes if entry.number in found}
    return {
        node_id(entry): [
            LocalJacobian(
                edge=edge_of(entry, block.position),
                output=block.output,
                shape=list(block.shape),
                rows=block.rows.tolist(),
                columns=block.columns.tolist(),
                values=numbers(block.values),
                reads=_reads(entry, block.position),
            )
            for block in found[number]
        ]
        for number, entry in known.items()
    }


def _reads(entry: NodeEntry, position: int) -> list[str]:
    """The tensors that the rule of a gradient names."""
    op = entry.op
    assert op is not None
    parameters = op.differentiable
    name = parameters[min(position, len(parameters) - 1)].name
    held = [entry.saved_entry(slot) for slot in op.slots if name in op.users(slot)]
    return list(dict.fromkeys(tensor_id(each) for each in held if each is not None))
