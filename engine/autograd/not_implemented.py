"""Results of operations that PyTorch has no derivative for: they require grad, and their backward raises."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradflow.engine import errors
from gradflow.engine.autograd.node import Edge, Meta, Node, gradient_edge
from gradflow.engine.registry import REGISTRY
from gradflow.engine.state import STATE, sequence
from gradflow.engine.tensor import Tensor

if TYPE_CHECKING:
    from gradflow.engine.registry import Op


class NotImplementedNode(Node):
    """Stands behind the result of an operation that PyTorch has no derivative for."""

    on_fast_path = False

    def __init__(self, op: Op, name: str, edges: tuple[Edge | None, ...], meta: Meta) -> None:
        self.op, self.missing, self.next_edges, self.output_metas = op, name, edges, (meta,)
        self.seq = next(sequence)

    @property
    def printed_name(self) -> str:
        return "NotImplemented"

    def name(self) -> str:
        return "torch::autograd::NotImplemented"

    def run(self, grads: list[Any], create_graph: bool) -> tuple[Any, ...]:
        raise errors.NOT_DIFFERENTIABLE(name=self.missing)

    def release(self) -> bool:
        return False


def without_derivative(result: Tensor, name: str, operands: tuple[Any, ...], op: str = "") -> Tensor:
    """Mark a result as requiring grad although its backward can only raise, as PyTorch does.

    name: as PyTorch has it. op: the operation that the result is of, where that has another name.
    """
    tensors = [t for t in operands if isinstance(t, Tensor) and t.requires_grad]
    if STATE.grad and tensors:
        node = NotImplementedNode(
            _op(op or name), name, tuple(gradient_edge(t) for t in tensors), (result._a.shape, result._a.dtype)
        )
        result._node = node
        drawn_as(result, node)
    return result


def drawn_as(result: Tensor, node: Node) -> None:
    """Record the function that made a result as one with this node, which it was given afterwards."""
    entry = result._entry
    if entry is not None and entry.node is not None:
        entry.requires_grad, entry.grad_fn = True, node
        entry.node.node, node.entry = node, entry.node


def _op(name: str) -> Op:
    return REGISTRY[name]
