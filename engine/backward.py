"""What programs call to run the backward pass: ``backward``, ``grad`` and ``retain_grad``, with their arguments checked."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np

from engine import dtypes, errors
from engine.autograd import Edge, edge
from engine.registry import REGISTRY
from engine.runner import Runner, sum_to
from engine.state import STATE, warn
from engine.tensor import Size, Tensor

# -- what programs call ------------------------------------------------------------------------------------------------


def as_tuple(given: Any) -> tuple[Any, ...]:
    """One tensor or None, or a sequence of these, as a tuple. Raises TypeError for a number."""
    if given is None or isinstance(given, Tensor):
        return (given,)
    if not hasattr(given, "__iter__"):
        raise errors.GRADIENT_NOT_ITERABLE(type=type(given).__name__)
    return tuple(given)


def seeds(outputs: Sequence[Tensor], gradients: Sequence[Any]) -> list[Tensor | None]:
    """The gradient for each output: the given one, checked, or one for a scalar. Raises RuntimeError, TypeError."""
    result: list[Tensor | None] = []
    for index, (output, given) in enumerate(zip(outputs, gradients, strict=False)):
        if isinstance(given, Tensor):
            if given._a.shape != output._a.shape:
                raise errors.GRADIENT_SHAPE(
                    index=index, grad_shape=list(given.shape), output_shape=list(output.shape), subject=output
                )
            result.append(given)
        elif given is not None:
            raise errors.GRADIENT_TYPE(type=type(given).__name__)
        else:
            result.append(_implicit(output))
    if len(gradients) != len(outputs):
        raise errors.GRADIENT_COUNT(tensors=len(outputs), gradients=len(gradients))
    return result


def _implicit(output: Tensor) -> Tensor | None:
    if not output.requires_grad:
        return None
    if output._a.size != 1:
        raise errors.NONSCALAR_BACKWARD(subject=output, shape=list(output.shape))
    if output._a.dtype.kind == "c":
        raise errors.NONREAL_BACKWARD(dtype=output.dtype, subject=output)
    return Tensor(np.ones_like(output._a))


def start(
    outputs: Sequence[Tensor], gradients: Sequence[Any], runner: Runner, kind: str, retain: bool
) -> None:
    """Check the gradients, tell the recorder, and run the pass."""
    recorder = STATE.recorder
    if recorder is not None:
        gradients = recorder.override(outputs, gradients)
    checked = seeds(outputs, gradients)
    for index, output in enumerate(outputs):
        if not output.requires_grad:
            raise errors.NO_GRAD_FN(index=index, subject=output)
    roots = [
        (edge(o), _cast(g, o, runner.create)) for o, g in zip(outputs, checked, strict=True) if g is not None
    ]
    if recorder is None:
        runner.run(roots)
        return
    with recorder.backward(kind, outputs, gradients, [r[1] for r in roots], runner, retain):
        runner.run(roots)


def _cast(gradient: Tensor, output: Tensor, create: bool) -> Any:
    if create:
        same = gradient._a.dtype == output._a.dtype
        return gradient if same else REGISTRY["to_dtype"].call(gradient, output.dtype)
    return gradient._a.astype(output._a.dtype)


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
    outputs = as_tuple(tensors)
    given = as_tuple(grad_tensors if grad_variables is None else grad_variables)
    if grad_tensors is None and grad_variables is None:
        given = (None,) * len(outputs)
    if create_graph:
        warn(CREATE_GRAPH_WARNING)
    retain = create_graph if retain_graph is None else bool(retain_graph)
    targets = None
    if inputs is not None:
        chosen = as_tuple(inputs)
        if not chosen:
            raise errors.EMPTY_INPUTS(function="backward")
        targets = [edge(t) for t in chosen if t.requires_grad]
        for t in chosen:
            if t._node is not None:
                retain_grad(t)
    runner = Runner(keep=retain, create=create_graph, targets=targets, accumulate=True)
    start(outputs, given, runner, "backward", retain)


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
) -> tuple[Tensor | None, ...]:
    """The vector-Jacobian product for each of ``inputs``, returned and not accumulated.

    https://pytorch.org/docs/stable/generated/torch.autograd.grad.html
    """
    roots, wanted = as_tuple(outputs), as_tuple(inputs)
    given = as_tuple(grad_outputs) if grad_outputs is not None else (None,) * len(roots)
    if not wanted:
        raise errors.EMPTY_INPUTS(function="grad")
    for t in wanted:
        if not t.requires_grad:
            raise errors.INPUT_NO_GRAD(subject=t)
    targets = [edge(t) for t in wanted]
    retain = create_graph if retain_graph is None else bool(retain_graph)
    runner = Runner(keep=retain, create=create_graph, targets=targets, accumulate=False)
    start(roots, given, runner, "grad", retain)
    allow = materialize_grads if allow_unused is None else allow_unused
    results: list[Tensor | None] = []
    for index, (tensor, target) in enumerate(zip(wanted, targets, strict=True)):
        results.append(_captured(runner, target, tensor, index, allow, materialize_grads))
    return tuple(results)


def _captured(runner: Runner, target: Edge, tensor: Tensor, index: int, allow: bool, fill: bool) -> Tensor | None:
    value = runner.captured.get(target)
    if value is not None:
        return runner.as_tensor(value)
    if not allow:
        raise errors.UNUSED_INPUT(index=index, subject=tensor)
    return Tensor(np.zeros_like(tensor._a)) if fill else None


def retain_grad(tensor: Tensor) -> None:
    """Have ``.grad`` of a non-leaf kept by the passes to come. Raises RuntimeError where no gradient is wanted."""
    node = tensor.grad_fn
    if not tensor.requires_grad:
        raise errors.RETAIN_GRAD_NO_GRAD(subject=tensor)
    if node is not None:
        tensor._retains = True
        node.retained = {**(node.retained or {}), tensor._nr: weakref.ref(tensor)}


__all__ = ["Runner", "Size", "backward", "grad", "retain_grad", "sum_to"]
