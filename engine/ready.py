"""The queue of functions that are ready to run backward.

The one made last comes first, and a leaf's AccumulateGrad before all others. Among equals PyTorch's order is that of
the binary heap it keeps them in, so the same heap is kept here: programs see the order in their hooks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.autograd import Node


class ReadyQueue:
    """A binary heap of nodes by their number of creation."""

    __slots__ = ("_heap",)

    def __init__(self) -> None:
        self._heap: list[Node] = []

    def __bool__(self) -> bool:
        return bool(self._heap)

    def push(self, node: Node) -> None:
        """Add a node."""
        self._heap.append(node)
        if len(self._heap) > 1:
            self._rise(len(self._heap) - 1, node)

    def pop(self) -> Node:
        """Remove and give the node to run next."""
        heap = self._heap
        last = heap.pop()
        if not heap:
            return last
        first = heap[0]
        self._rise(self._sink(), last)
        return first

    def _sink(self) -> int:
        """Move the hole at the top down to the bottom; the larger child moves up, of equals the right one."""
        heap, hole = self._heap, 0
        size = len(heap)
        while 2 * hole + 1 < size:
            child = 2 * hole + 2
            if child >= size or heap[child].seq < heap[child - 1].seq:
                child -= 1
            heap[hole] = heap[child]
            hole = child
        return hole

    def _rise(self, hole: int, node: Node) -> None:
        """Put a node into a hole, and move it up past the smaller ones."""
        heap = self._heap
        while hole:
            parent = (hole - 1) // 2
            if heap[parent].seq >= node.seq:
                break
            heap[hole] = heap[parent]
            hole = parent
        heap[hole] = node
