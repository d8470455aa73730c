"""Where a transformation begins inside of another: its leaf stands for a tensor of the outer one."""

from __future__ import annotations

from typing import Literal, TypeAlias

from gradflow.engine.autograd.node import AccumulateGrad, Node, gradient_edge
from gradflow.engine.registry import REGISTRY
from gradflow.engine.state import STATE, sequence
from gradflow.engine.tensor import Tensor

Keep: TypeAlias = bool | Literal["outer"]
"""Whether saved variables stay; ``outer``: those of an outer transformation, whose functions an inner one has too."""


class InnerLeaf(Node):
    """What arrives goes on to the tensor of the outer transformation. PyTorch has no function here, and the trace has none."""

    def __init__(self, variable: Tensor) -> None:
        self.variable = variable
        self.op, self.seq, self.next_edges = REGISTRY["clone"], next(sequence), (gradient_edge(variable),)
        self.output_metas = ((variable._a.shape, variable._a.dtype),)


def inner_leaf(variable: Tensor, beginnings: set[Node]) -> Tensor:
    """The same tensor as the beginning of an inner graph, which is added to those that are known."""
    result = Tensor(variable._a, variable._st)
    result._node = InnerLeaf(variable)
    beginnings.add(result._node)
    if STATE.recorder is not None:
        result._entry = STATE.recorder.entry(variable)
    return result


def cut_off(tensor: Tensor, over: set[Tensor]) -> None:
    """Take edges that lead to leaves of a transformation that is over, and nowhere else, out of the graph of a tensor.

    PyTorch has a graph for each transformation, in which these leaves are constants of the outer ones.
    """
    if tensor._node is None:
        return
    leads: dict[Node, bool] = {}
    stack = [tensor._node]
    while stack:
        node = stack[-1]
        following = [edge[0] for edge in node.next_edges if edge is not None]
        waiting = [each for each in following if each not in leads]
        if waiting:
            stack += waiting
            continue
        stack.pop()
        if node in leads:
            continue
        leads[node] = node.variable not in over if isinstance(node, AccumulateGrad) else any(map(leads.get, following))
        if type(node) is Node and not all(map(leads.get, following)):
            node.made_edges = node.made_edges or node.next_edges
            node.next_edges = tuple([e if e is not None and leads[e[0]] else None for e in node.next_edges])
