"""What programs call to run the backward pass: ``backward``, ``grad`` and ``retain_grad``, and their arguments."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.autograd.graph_task import GraphTask
from gradflow.engine.autograd.node import AccumulateGrad, Edge, GradientEdge, Node, gradient_edge
from gradflow.engine.autograd.transforms.inner_leaf import Keep
from gradflow.engine.autograd.transforms.rows import new_batch, row_of
from gradflow.engine.numerics.broadcasting import sum_to
from gradflow.engine.registry import REGISTRY
from gradflow.engine.state import STATE, warn
from gradflow.engine.tensor import Size, Tensor

if TYPE_CHECKING:
    from gradflow.engine.recording.recorder import Recorder

# -- what programs call ------------------------------------------------------------------------------------------------


def as_tuple(given: Any) -> tuple[Any, ...]:
    """One tensor, None or edge, or a sequence of these, as a tuple. Raises TypeError for a number."""
    if given is None or isinstance(given, Tensor) or is_edge(given):
        return (given,)
    if not hasattr(given, "__iter__"):
        raise errors.GRADIENT_NOT_ITERABLE(type=type(given).__name__)
    return tuple(given)


def as_flag(value: Any) -> bool:
    """Whether an argument says yes. Raises TypeError for what is no whole number, as PyTorch's C++ does."""
    if isinstance(value, Tensor) and (value._a.size != 1 or value._a.dtype.kind not in "iub"):
        raise errors.INDEX_NOT_SCALAR()
    if not isinstance(value, Tensor) and not hasattr(value, "__index__"):
        raise errors.DATA_NOT_NUMBER(type=type(value).__name__)
    return bool(value)


def tensors_of(given: Any) -> tuple[Tensor, ...]:
    """The tensors to differentiate. Raises TypeError where there are none to be had."""
    if given is None:
        raise errors.GRADIENT_NOT_ITERABLE(type="NoneType")
    return tuple(_at(each) if is_edge(each) else each for each in as_tuple(given))


def _at(target: Any) -> Tensor:
    """A tensor that stands where a ``GradientEdge`` points to."""
    node, number = node_and_number(target)
    if isinstance(node, AccumulateGrad):
        return node.variable
    shape, dtype = node.output_metas[number]
    result = Tensor(np.zeros(shape, dtype))
    result._node, result._nr = node, number
    if node.entry is not None and number < len(node.entry.outputs):
        result._entry = node.entry.outputs[number]
    return result


def is_edge(value: object) -> bool:
    """Whether this is a ``GradientEdge``."""
    return isinstance(value, GradientEdge)


def node_and_number(target: Any) -> Edge:
    """What a ``GradientEdge`` has in it. Raises RuntimeError, TypeError and IndexError for what is no output of a real node."""
    node, number = tuple.__getitem__(target, slice(2))
    if not issubclass(type(node), Node):
        message = f"GradientEdge's first object must be an autograd.graph.Node but got {type(node).__name__}"
        raise errors.DERIVATIVE_CALL(message=message)
    if type(number) is bool:
        number = int(number)
    if type(number) is not int:
        raise TypeError(f"'{type(number).__name__}' object cannot be interpreted as an integer")
    if not 0 <= number < len(getattr(node, "output_metas", ())):
        raise IndexError("tuple index out of range")
    return (node, number)


def edge_of(target: Any) -> Edge:
    """The edge of a tensor, or of a ``GradientEdge``."""
    if is_edge(target):
        return node_and_number(target)
    if not isinstance(target, Tensor):
        message = f"all inputs have to be Tensors or GradientEdges, but got {type(target).__name__}"
        raise errors.DERIVATIVE_CALL(message=message)
    if target._view is not None:
        _ = target.grad_fn
    return gradient_edge(target)


def seeds(outputs: Sequence[Tensor], gradients: Sequence[Any], batched: bool = False) -> list[Tensor | None]:
    """The gradient for each output: the given one, checked, or one for a scalar. Raises RuntimeError, TypeError."""
    result: list[Tensor | None] = []
    for index, (output, given) in enumerate(zip(outputs, gradients, strict=False)):
        if not isinstance(output, Tensor):
            raise errors.DERIVATIVE_ASSERTION(message="Expected output to be a torch.Tensor")
        if isinstance(given, Tensor):
            if given._a.shape[1 if batched else 0 :] != output._a.shape and index:
                index = tuple(gradients).index(given)  # which compares tensors, as PyTorch does
            _check_seed(index, output, given, batched)
            result.append(given)
        elif given is not None:
            raise errors.GRADIENT_TYPE(type=type(given).__name__)
        else:
            result.append(_implicit(output))
    if len(result) != len(outputs):
        raise errors.GRADIENT_COUNT(tensors=len(outputs), gradients=len(result))
    return result


def _check_seed(index: int, output: Tensor, given: Tensor, batched: bool) -> None:
    shape = given._a.shape[1:] if batched else given._a.shape
    if shape != output._a.shape:
        shape = shape[1:] if batched else shape  # the first two are left out: so it is in PyTorch
        known = {"index": index, "grad_shape": list(shape), "output_shape": list(output.shape), "subject": output}
        raise (errors.BATCHED_GRADIENT_SHAPE if batched else errors.GRADIENT_SHAPE)(**known)
    if (given._a.dtype.kind == "c") != (output._a.dtype.kind == "c"):
        raise errors.GRADIENT_COMPLEX(index=index, grad_dtype=given.dtype, output_dtype=output.dtype, subject=output)


def _implicit(output: Tensor) -> Tensor | None:
    if not output.requires_grad:
        return None
    if output._a.size != 1:
        raise errors.NONSCALAR_BACKWARD(subject=output, shape=list(output.shape))
    if output._a.dtype.kind == "c":
        raise errors.NONREAL_BACKWARD(dtype=output.dtype, subject=output)
    return Tensor(np.ones_like(output._a))


def check_roots(outputs: Sequence[Tensor]) -> None:
    """Raises RuntimeError for an output without a graph."""
    for index, output in enumerate(outputs):
        if not output.requires_grad:
            raise errors.NO_GRAD_FN(index=index, subject=output)
        if (
            output._view is not None and output.grad_fn is None and not output._rg
        ):  # a view made while gradients were off
            raise errors.NO_GRAD_FN(index=index, subject=output)


def start(
    outputs: Sequence[Tensor],
    gradients: Sequence[Any],
    checked: Sequence[Tensor | None],
    graph_task: GraphTask,
    kind: str,
    retain: bool,
) -> None:
    """Tell the recorder, and run the pass."""
    recorder = graph_task.recorder = STATE.recorder or _outside(outputs)
    roots = [
        (gradient_edge(o), _cast(g, o, graph_task.create_graph))
        for o, g in zip(outputs, checked, strict=True)
        if g is not None
    ]
    graph_task.seeds = [g for g in checked if g is not None]
    if recorder is None or not roots:
        graph_task.run(roots)
        return
    with recorder.backward(kind, outputs, gradients, [r[1] for r in roots], graph_task, retain):
        graph_task.noted_in = recorder.running
        for seed in graph_task.seeds:
            recorder.watch(seed)
        graph_task.run(roots)


def _outside(outputs: Sequence[Tensor]) -> Recorder | None:
    """The recorder of the call, for a pass inside a custom Function over a graph that the trace has."""
    known = all(o._entry is not None or o._node is None for o in outputs)
    return STATE.recorder_outside if known else None


def _overridden(outputs: Sequence[Tensor], gradients: Sequence[Any]) -> Sequence[Any]:
    given = gradients[: len(outputs)]  # PyTorch, too, takes no notice of more
    return given if STATE.recorder is None or not outputs else STATE.recorder.override(outputs, given)


def _cast(gradient: Tensor, output: Tensor, create: bool) -> Any:
    if create:
        same = gradient._a.dtype == output._a.dtype
        return gradient if same else REGISTRY["to_dtype"].call(gradient, output.dtype)
    return gradient._a.astype(output._a.dtype, copy=False)


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Any = None,
) -> None:
    """Add the vector-Jacobian product of ``tensors`` with ``grad_tensors`` into ``.grad`` of the leaves.

    https://pytorch.org/docs/stable/generated/torch.autograd.backward.html
    """
    if grad_variables is not None:
        warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", "FutureWarning")
        if grad_tensors is not None:
            raise errors.GRADIENT_TWICE()
        grad_tensors = grad_variables
    chosen = None if inputs is None else as_tuple(inputs.values() if isinstance(inputs, dict) else inputs)
    if chosen == ():
        raise errors.EMPTY_INPUTS(function="backward")
    outputs = tensors_of(tensors)
    given = _overridden(outputs, (None,) * len(outputs) if grad_tensors is None else as_tuple(grad_tensors))
    checked = seeds(outputs, given)
    create_graph = create_graph is True or as_flag(create_graph)
    if create_graph:
        warn(CREATE_GRAPH_WARNING)
    check_roots(outputs)
    retain = create_graph if retain_graph is None else as_flag(retain_graph)
    targets = None if chosen is None else [_retained(t) for t in chosen]
    graph_task = GraphTask(keep_graph=retain, create_graph=create_graph, targets=targets, accumulate_grad=True)
    start(outputs, given, checked, graph_task, "backward", retain)


def _retained(target: Any) -> Edge:
    if isinstance(target, Tensor):
        retain_grad(target)
    return edge_of(target)


CREATE_GRAPH_WARNING = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient "
    "which can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you "
    "have to use this function, make sure to reset the .grad fields of your parameters to None after use to break the "
    "cycle and avoid the leak."
)


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> Any:  # a tuple of tensors, or a dictionary where inputs is one
    """The vector-Jacobian product for each of ``inputs``, returned and not accumulated.

    https://pytorch.org/docs/stable/generated/torch.autograd.grad.html
    """
    if materialize_grads and allow_unused is False:
        raise errors.DERIVATIVE_VALUE(
            message="Expected allow_unused to be True or not passed when materialize_grads=True, but got:"
            " allow_unused=False."
        )
    roots = tensors_of(outputs)
    wanted = tensors_of(tuple(inputs.values()) if isinstance(inputs, dict) else inputs)
    if not wanted:
        raise errors.EMPTY_INPUTS(function="grad")
    if not only_inputs:
        warn(ONLY_INPUTS_WARNING, "FutureWarning")
    given = _overridden(roots, (None,) * len(roots) if grad_outputs is None else as_tuple(grad_outputs))
    checked = seeds(roots, given, is_grads_batched)
    retain = create_graph if retain_graph is None else as_flag(retain_graph)
    allow = materialize_grads if allow_unused is None else allow_unused
    call = _Gradients(roots, wanted, retain, create_graph, allow, materialize_grads)
    results = call.batched(checked) if is_grads_batched else call(given, checked)
    return dict(zip(inputs, results, strict=True)) if isinstance(inputs, dict) else results


def of_points(
    outputs: Sequence[Tensor], points: Sequence[Tensor], given: Sequence[Any], keep: Keep
) -> tuple[Tensor | None, ...]:
    """What a transformation differentiates: gradients with a graph, zeros for what the outputs do not depend on."""
    replaced = _overridden(outputs, given)
    call = _Gradients(outputs, points, keep, create=True, allow=True, fill=True)
    return call(replaced, seeds(outputs, replaced))


class _Gradients:
    """One call of `grad`, its arguments checked but for what only the graph can tell."""

    def __init__(
        self, roots: Sequence[Tensor], wanted: Sequence[Any], retain: Keep, create: bool, allow: bool, fill: bool
    ) -> None:
        self.roots, self.wanted, self.retain, self.create, self.allow, self.fill = (
            roots,
            wanted,
            retain,
            create,
            allow,
            fill,
        )

    def __call__(self, given: Sequence[Any], checked: Sequence[Tensor | None]) -> tuple[Tensor | None, ...]:
        check_roots(self.roots)
        for target in self.wanted:
            if isinstance(target, Tensor) and not target.requires_grad:
                raise errors.INPUT_NO_GRAD(subject=target)
        targets = [edge_of(t) for t in self.wanted]
        graph_task = GraphTask(keep_graph=self.retain, create_graph=self.create, targets=targets, accumulate_grad=False)
        start(self.roots, given, checked, graph_task, "grad", self.retain is True)
        return tuple(self.captured(graph_task, index, target) for index, target in enumerate(targets))

    def captured(self, graph_task: GraphTask, index: int, target: Edge) -> Tensor | None:
        value = graph_task.captured.get(target)
        if value is not None:
            return value if isinstance(value, Tensor) else graph_task.given(value)
        tensor = self.wanted[index]
        if not self.allow:
            raise errors.UNUSED_INPUT(index=index, subject=tensor)
        return Tensor(np.zeros_like(tensor._a)) if self.fill else None

    def batched(self, checked: Sequence[Tensor | None]) -> tuple[Tensor | None, ...]:
        """One pass for each entry of the first dimension of the gradients, the results stacked."""
        if any(g is not None and not g._a.ndim for g in checked):
            raise errors.DERIVATIVE_VALUE(message=_UNBATCHED)
        size = next(g._a.shape[0] for g in checked if g is not None)
        last, each, batch = self.retain, [], new_batch()
        for index in range(size):
            self.retain = last or index < size - 1
            row = [None if g is None else REGISTRY["select"].call(g, 0, index) for g in checked]
            with row_of(batch, index, size):
                each.append(self(row, row))
        return tuple(
            None if column[0] is None else REGISTRY["stack"].call(list(column), 0) for column in zip(*each, strict=True)
        )


_UNBATCHED = (
    "vmap(vjp, in_dims=0, ...)(<inputs>): Got in_dim=0 for some input, but that input is a Tensor of dimensionality 0 so"
    " expected in_dim to satisfy 0 <= in_dim < 0."
)
ONLY_INPUTS_WARNING = (
    "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for other"
    " parts of the"
    " graph, please use torch.autograd.backward."
)


def retain_grad(tensor: Tensor) -> None:
    """Have ``.grad`` of a non-leaf kept by the passes to come. Raises RuntimeError where no gradient is wanted."""
    node = tensor.grad_fn
    if not tensor.requires_grad:
        raise errors.RETAIN_GRAD_NO_GRAD(subject=tensor)
    if node is not None:
        tensor._retains = True
        node.on_fast_path, node.retained = False, {**(node.retained or {}), tensor._nr: weakref.ref(tensor)}


__all__ = ["GraphTask", "Size", "backward", "grad", "retain_grad", "sum_to"]
