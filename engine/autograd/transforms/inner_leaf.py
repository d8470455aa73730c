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


def leads_out(tensor: Tensor, over: set[Tensor], known: dict[Node, bool]) -> bool:
    """Whether the graph of a tensor has a leaf that is none of these. known: what is known of its functions, which grows."""
    if tensor._node is None:
        return tensor not in over
    stack = [tensor._node] if tensor._node not in known else []
    while stack:
        node = stack[-1]
        following = [edge[0] for edge in node.next_edges if edge is not None]
        waiting = [each for each in following if each not in known]
        if waiting:
            stack += waiting
            continue
        stack.pop()
        known[node] = node.variable not in over if isinstance(node, AccumulateGrad) else any(map(known.get, following))
    return known[tensor._node]


def cut_off(tensor: Tensor, over: set[Tensor], known: dict[Node, bool], cut: set[Node]) -> None:
    """Take edges that lead to leaves of a transformation that is over, and nowhere else, out of the graph of a tensor.

    PyTorch has a graph for each transformation, in which these leaves are constants of the outer ones. known: as in
    `leads_out`; cut: the functions that have been looked at, which grows.
    """
    if tensor._node is None:
        return
    leads_out(tensor, over, known)
    stack = [tensor._node]
    while stack:
        node = stack.pop()
        if node in cut:
            continue
        cut.add(node)
        following = [edge[0] for edge in node.next_edges if edge is not None]
        stack += following
        if type(node) is Node and not all(map(known.get, following)):
            node.made_edges = node.made_edges or node.next_edges
            node.next_edges = tuple([e if e is not None and known[e[0]] else None for e in node.next_edges])
