"""The queue of functions that are ready to run backward.

The one made last comes first, and a leaf's AccumulateGrad before all others. Among equals PyTorch's order is that of
the binary heap it keeps them in, so the same heap is kept here: programs see the order in their hooks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradflow.engine.autograd.node import Node


class ReadyQueue(list["Node"]):
    """A binary heap of nodes by their number of creation. ``append`` and ``pop`` do for the first and the last node."""

    __slots__ = ()

    def put(self, node: Node) -> None:
        """Add a node."""
        self.append(node)
        if len(self) > 1:
            self._rise(len(self) - 1, node)

    def take(self) -> Node:
        """Remove and give the node to run next."""
        last = self.pop()
        if not self:
            return last
        first = self[0]
        self._rise(self._sink(), last)
        return first

    def _sink(self) -> int:
        """Move the hole at the top down to the bottom; the larger child moves up, of equals the right one."""
        hole = 0
        size = len(self)
        while 2 * hole + 1 < size:
            child = 2 * hole + 2
            if child >= size or self[child].seq < self[child - 1].seq:
                child -= 1
            self[hole] = self[child]
            hole = child
        return hole

    def _rise(self, hole: int, node: Node) -> None:
        """Put a node into a hole, and move it up past the smaller ones."""
        while hole:
            parent = (hole - 1) // 2
            if self[parent].seq >= node.seq:
                break
            self[hole] = self[parent]
            hole = parent
        self[hole] = node
