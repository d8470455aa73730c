"""What a custom Function returned, made part of the graph: history, views, inputs handed through, written inputs."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from gradflow.engine import errors
from gradflow.engine.autograd import inplace
from gradflow.engine.autograd.node import Node
from gradflow.engine.autograd.not_implemented import drawn_as
from gradflow.engine.registry import REGISTRY
from gradflow.engine.state import STATE, grad_mode, sequence, unrecorded, warn
from gradflow.engine.tensor import Tensor

if TYPE_CHECKING:
    from gradflow.engine.autograd.function.function import FunctionCtx, FunctionNode


_NOT_AN_INPUT = (
    "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated should be passed"
    " to ctx.mark_dirty()."
)


class Outputs:
    """The outputs of one call. ``tensors`` are those that are tensors, as the program gets them."""

    def __init__(
        self, context: FunctionCtx, node: FunctionNode | None, arguments: tuple[Any, ...], returned: Any
    ) -> None:
        self.context, self.node, self.arguments = context, node, arguments
        self.single = not isinstance(returned, tuple)
        self.values = [returned] if self.single else list(returned)
        self.tensors: list[Tensor] = []
        self.written_view: Tensor | None = None

    def finish(self) -> Any:
        """Give every output its history. Raises RuntimeError for writes that the graph cannot follow."""
        self.check_dirty()
        metas: list[Any] = []
        for index, value in enumerate(self.values):
            if isinstance(value, Tensor):
                self.values[index] = self.one(value, index)
                self.tensors.append(self.values[index])
                metas.append((value._a.shape, value._a.dtype))
            else:
                metas.append(())
        if self.node is not None:
            self.node.output_metas = tuple(metas)
        return self.values[0] if self.single else tuple(self.values)

    def check_dirty(self) -> None:
        context = self.context
        if not all(isinstance(each, Tensor) for each in context._own_fixed):
            raise errors.FUNCTION_MISUSE(message="mark_non_differentiable only accepts variable arguments, but got ")
        if not all(isinstance(each, Tensor) for each in context._own_dirty):
            raise errors.FUNCTION_MISUSE(message="mark_dirty can only accept variables, but argument ")
        if not all(any(each is a for a in self.arguments) for each in context._own_dirty):
            warn(_NOT_AN_INPUT)
        for tensor in self.context._own_dirty:
            if not any(tensor is value for value in self.values):
                raise errors.FUNCTION_MISUSE(
                    message="Some elements marked as dirty during the forward method were not returned as output. The"
                    " inputs that are modified inplace must all be outputs of the Function."
                )

    def one(self, value: Tensor, index: int) -> Tensor:
        is_input = any(value is a for a in self.arguments)
        dirty = any(value is t for t in self.context._own_dirty)
        fixed = any(value is t for t in self.context._own_fixed) or value._a.dtype.kind not in "fcV"
        if self.node is None or fixed:
            return self.without_history(value, is_input and not dirty)
        if is_input and dirty:
            return self.written(value)
        if is_input:
            value = self.alias(value)
        if value._view is not None:
            value._view.creation = "many" if len(self.values) > 1 else "function"
            value._view.version = value._st.version
        value._node, value._nr, value._rg = self.node, index, False
        return value

    def without_history(self, value: Tensor, is_input: bool) -> Tensor:
        if is_input:
            return value.detach() if value.requires_grad and self.node is not None else self.alias(value)
        if self.node is not None and value._view is None:
            value._node, value._rg = None, False
        return value

    def alias(self, value: Tensor) -> Tensor:
        with unrecorded(), grad_mode(False):
            return REGISTRY["view"].call(value, *value._a.shape)  # type: ignore[no-any-return]

    def written(self, value: Tensor) -> Tensor:
        """An input that ``forward`` wrote in place and returned."""
        assert self.node is not None
        if value._rg and value._node is None and value._view is None:
            raise errors.LEAF_USED_INPLACE(subject=value)
        if value._view is not None and value._view.base._rg and value._view.base._node is None:
            raise errors.LEAF_VIEW_INPLACE(subject=value)
        self.node.output_metas = ((value._a.shape, value._a.dtype),)
        inplace.rebase(value, self.node)
        self.written_view = value if value._view is not None else None
        return value


class _Refusal(Node):
    """Stands behind the gradients of a backward that is differentiable only once."""

    on_fast_path = False

    def __init__(self, op: Any) -> None:
        self.op, self.seq, self.title = op, next(sequence), "Error"
        self.next_edges = ()  # as in PyTorch: the gradients themselves are cut off

    def run(self, grads: list[Any], create_graph: bool) -> tuple[Any, ...]:
        raise errors.FUNCTION_MISUSE(
            message="trying to differentiate twice a function that was marked with @once_differentiable"
        )

    def release(self) -> bool:
        return False


def refusing(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Copies of ``values`` whose backward raises RuntimeError."""
    node = _Refusal(REGISTRY["clone"])
    node.output_metas = tuple((v._a.shape, v._a.dtype) for v in values if isinstance(v, Tensor))
    numbers = itertools.count()
    result = []
    for value in values:
        copy = value
        if isinstance(value, Tensor):
            copy = value.detach()
            copy._node, copy._nr = node, next(numbers)
            drawn_as(copy, node)
        result.append(copy)
    return tuple(result)


def once_differentiable(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a ``backward`` that cannot itself be differentiated: doing so raises RuntimeError."""

    def wrapper(ctx: Any, *args: Any) -> Any:
        with grad_mode(False):
            outputs = fn(ctx, *args)
        if not STATE.grad or not any(isinstance(a, Tensor) and a.requires_grad for a in args):
            return outputs
        values = outputs if isinstance(outputs, tuple) else (outputs,)
        marked = refusing(values)
        return marked if isinstance(outputs, tuple) else marked[0]

    wrapper.__name__ = getattr(fn, "__name__", "backward")
    return wrapper


def told_shapes(values: Sequence[Any], places: Sequence[int], edges: Sequence[Any]) -> dict[str, object]:
    """For the diagnosis: the shapes of gradients by their places, and of the tensors that ``forward`` was given."""
    metas = [edge and edge[0].output_metas[edge[1]] for edge in edges]
    return {
        "gradients": {place: value.shape for place, value in enumerate(values) if isinstance(value, Tensor)},
        "inputs": {place: meta and tuple(meta[0]) for place, meta in zip(places, metas, strict=True)},
    }
