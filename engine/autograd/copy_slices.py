"""CopySlices: the function of a base into whose view was written, and the functions that lead from it to its views."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.autograd.node import Edge, Meta, Node, gradient_edge
from gradflow.engine.autograd.view_region import ViewRegion
from gradflow.engine.numerics.strides import like, repeats
from gradflow.engine.registry import REGISTRY
from gradflow.engine.state import sequence

if TYPE_CHECKING:
    from gradflow.engine.tensor import Tensor


class CopySlices(Node):
    """A write into a view, seen from the base: the gradient of the written region goes through ``inner``."""

    on_fast_path = False

    def __init__(self, base: Tensor, view: Tensor, inner: Node) -> None:
        self.op = inner.op
        self.inner = inner
        inner.copy_slices = self
        self.seq = next(sequence)
        self.next_edges = (gradient_edge(base) if base.requires_grad else None, *inner.next_edges[1:])
        self.output_metas = ((base._a.shape, base._a.dtype),)
        self.base_strides = base._a.strides
        self.region = ViewRegion.of(view, base)

    @property
    def printed_name(self) -> str:
        return "CopySlices"

    @property
    def short_name(self) -> str:
        return "torch::autograd::CopySlices"

    def name(self) -> str:
        return "torch::autograd::CopySlices"

    def run(self, grads: list[Any], create_graph: bool) -> tuple[Any, ...]:
        if self.freed or self.inner.freed:
            raise errors.BACKWARD_TWICE()
        if grads[0] is None:
            return (None,) * len(self.next_edges)
        return self.run_tensors(grads[0]) if create_graph else self.run_arrays(grads[0])

    def run_arrays(self, g: np.ndarray) -> tuple[Any, ...]:
        """Copy the gradient, run ``inner`` on the written region, put its result back into that region."""
        shape, dtype = self.output_metas[0]
        result = like(shape, dtype, self.base_strides)
        result[...] = g
        region, through = self.region.in_memory(result), self.region.through
        own, *others = self.inner.run([through(region.copy())], create_graph=False)
        if own is not None and repeats(region):
            raise errors.OVERLAPPING_WRITE()
        region[...] = 0 if own is None else through(own)
        return (result if self.wanted_edges()[0] is not None else None, *others)

    def run_tensors(self, g: Tensor) -> tuple[Any, ...]:
        """The same with operations that record themselves."""
        call = {name: REGISTRY[name].call for name in ("clone", "laid_out", "zeros_like_array")}
        result = call["laid_out"](g, self.base_strides)
        if result._node is not None:
            result._node.title = "CopyBackwards"
        region = self.region.of_base(result)
        own, *others = self.inner.run([call["clone"](region)], create_graph=True)
        region.copy_(call["zeros_like_array"](region) if own is None else own)
        return (result if self.wanted_edges()[0] is not None else None, *others)

    def written(self) -> Node:
        """A function behind the written view: what its elements get goes to the base, through this node."""
        return region_node((self, 0), self.output_metas[0], self.base_strides, self.region)

    def release(self) -> bool:
        self.freed = True
        return self.inner.release()

    def check_versions(self) -> None:
        self.inner.check_versions()


def region_node(following: Edge | None, meta: Meta, base_strides: tuple[int, ...], region: ViewRegion) -> Node:
    """The function behind a view that shows this region of a base of the given form."""
    for op, settings, shape, dtype, strides in region.steps(*meta, base_strides):
        node = Node()
        known = {
            "input__shape": meta[0],
            "input__strides": base_strides,
            **dict(zip(("size", "stride", "storage_offset"), settings, strict=False)),
        }
        node.op, node.seq, node.next_edges = op, next(sequence), (following,)
        node.output_metas = ((shape, dtype),)
        node.saved = tuple(known[slot] for slot in op.slots)
        node.guards = (None,) * len(node.saved)
        following, meta, base_strides = (node, 0), node.output_metas[0], strides
    return node
