"""Tensors that are kept by something else than a function of the graph, under the same conditions."""

from __future__ import annotations

from gradflow.engine.autograd.node import Node, gradient_edge_or_none, modified_error
from gradflow.engine.autograd.saved_tensors import Unpack, checked, packed_by
from gradflow.engine.state import STATE
from gradflow.engine.tensor import Tensor


class Kept:
    """A tensor kept by no function, but as functions keep theirs: its version is checked, hooks in force pack it."""

    def __init__(self, tensor: Tensor) -> None:
        self.original, self.version = tensor, tensor._st.version
        self.edge = gradient_edge_or_none(tensor) if tensor.requires_grad else None
        self.unpacker: Unpack | None = None
        if STATE.saved_hooks:
            packer, self.unpacker = STATE.saved_hooks[-1]
            self.original = packed_by(tensor, packer)

    def tensor(self) -> Tensor:
        """The tensor, at its place in the graph. Raises RuntimeError where it was written in place since."""
        if self.unpacker is None:
            if self.original._st.version != self.version:
                raise modified_tensor(self.original, self.version, self.original.grad_fn)
            return self.original
        value = checked(self.unpacker(self.original))
        if self.edge is None:
            return value
        again = Tensor(value._a, value._st)
        again._rg = True
        again._node, again._nr = self.edge
        return again


def modified_tensor(tensor: Tensor, expected: int, producer: Node | None) -> Exception:
    """The error for a tensor that was written in place after it had been kept at a version."""
    known = {
        "dtype_type": f"torch.{tensor.dtype.legacy}Tensor",
        "shape": list(tensor.shape),
        "version": tensor._st.version,
        "expected": expected,
        "storage": tensor._st,
    }
    return modified_error(producer, tensor._nr, known)
