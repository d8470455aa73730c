"""The backward pass: from gradients of outputs to gradients of leaves.

Functions run in reverse order of creation, each as soon as all that depends on it has run. Gradients travel as plain
arrays; with ``create_graph`` as Tensors, so that the pass records itself.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Sequence
from heapq import heappop, heappush
from itertools import count
from typing import Any

import numpy as np

from engine import dtypes, errors, inplace
from engine.autograd import AccumulateGrad, Edge, Node, edge
from engine.registry import REGISTRY
from engine.state import STATE, warn
from engine.tensor import Size, Tensor

Observer = Callable[[Node, list[np.ndarray | None]], None]


def sum_to(array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Undo broadcasting: the sum over every dimension that ``shape`` does not have, or has with length 1."""
    lead = array.ndim - len(shape)
    axes = tuple(range(lead)) + tuple(
        i + lead for i, n in enumerate(shape) if n == 1 and array.shape[i + lead] != 1
    )  # fmt: skip
    return np.asarray(array.sum(axis=axes, keepdims=True)).reshape(shape) if axes else array.reshape(shape)


class Runner:
    """One pass over the graph. ``targets``: run only what leads to these edges, and collect what reaches them."""

    def __init__(self, *, keep: bool, create: bool, targets: Sequence[Edge] | None, accumulate: bool) -> None:
        self.keep, self.create, self.accumulate = keep, create, accumulate
        self.targets = targets
        self.captured: dict[Edge, Any] = {}
        self.buffers: dict[Node, list[Any]] = {}
        self.waiting: dict[Node, int] = {}
        self.ready: list[tuple[int, int, Node]] = []
        self.needed: set[Node] | None = None
        self.observer: Observer | None = None
        self.recorder = STATE.recorder
        self.pushed = count()

    def run(self, roots: Iterable[tuple[Edge, Any]]) -> None:
        """Send each gradient from its edge through the graph."""
        starts = list(roots)
        self.explore([node for (node, _), _ in starts])
        for (node, number), gradient in starts:
            self.add(node, number, gradient)
        for node in {node: None for (node, _), _ in starts}:
            if not self.waiting[node]:
                self.push(node)
        before, STATE.grad = STATE.grad, self.create
        try:
            while self.ready:
                self.visit(heappop(self.ready)[2])
        finally:
            STATE.grad = before

    def explore(self, starts: list[Node]) -> None:
        """Count for every reachable node how many others it waits for; find which lead to the targets."""
        waiting = self.waiting
        order: list[Node] = []
        stack = list(dict.fromkeys(starts))
        for node in stack:
            waiting[node] = 0
        while stack:
            node = stack.pop()
            order.append(node)
            for following in node.next:
                if following is not None:
                    other = following[0]
                    if other in waiting:
                        waiting[other] += 1
                    else:
                        waiting[other] = 1
                        stack.append(other)
        if self.targets is not None:
            self.needed = self.leading(order)

    def leading(self, order: list[Node]) -> set[Node]:
        """The nodes from which a target can be reached; the targets themselves too."""
        assert self.targets is not None
        result = {node for node, _ in self.targets}
        for node in sorted(order, key=lambda n: n.seq if not isinstance(n, AccumulateGrad) else -1):
            if any(e is not None and e[0] in result for e in node.next):
                result.add(node)
        return result

    def push(self, node: Node) -> None:
        heappush(self.ready, (-node.seq, next(self.pushed), node))

    def add(self, node: Node, number: int, gradient: Any) -> None:
        """Add a gradient to what has arrived at one output of a node."""
        if gradient is None:
            return
        slots = self.buffers.setdefault(node, [None] * len(node.meta))
        present = slots[number]
        slots[number] = gradient if present is None else self.sum(present, gradient)

    def sum(self, a: Any, b: Any) -> Any:
        return REGISTRY["add"].call(a, b) if self.create else a + b

    def visit(self, node: Node) -> None:
        """Run one node with all that arrived at it, and pass its results on."""
        grads = self.buffers.pop(node, None)
        if grads is not None and (self.needed is None or node in self.needed):
            if self.accumulate:
                grads = self.hooked(node, grads)
            self.capture(node, grads)
            if isinstance(node, AccumulateGrad):
                self.arrive(node, grads[0])
            elif self.needed is None or any(e is not None and e[0] in self.needed for e in node.next):
                self.step(node, grads)
        for following in node.next:
            if following is not None:
                other = following[0]
                self.waiting[other] -= 1
                if not self.waiting[other]:
                    self.push(other)

    def hooked(self, node: Node, grads: list[Any]) -> list[Any]:
        """Run the tensor hooks of a node's outputs, then keep the gradients asked for by retain_grad."""
        hooks = node.variable._hooks if isinstance(node, AccumulateGrad) else node.hooks
        for number, own in (hooks or {}).items():
            for hook in list(own.values()):
                grads[number] = self.call_hook(hook, grads[number])
        for number, reference in (node.retained or {}).items():
            tensor = reference()
            if tensor is not None and grads[number] is not None:
                tensor._grad = self.as_tensor(grads[number])
        return grads

    def call_hook(self, hook: Callable[[Tensor], Tensor | None], gradient: Any) -> Any:
        if gradient is None:
            return None
        given = self.as_tensor(gradient)
        result = hook(given)
        if result is None:
            return gradient
        if result.shape != given.shape:
            raise errors.HOOK_SIZE(name=getattr(hook, "__name__", "hook"))
        return result if self.create else result._a

    def as_tensor(self, gradient: Any) -> Tensor:
        """A Tensor of its own, so that what a program does to it leaves the pass alone."""
        return gradient if isinstance(gradient, Tensor) else Tensor(gradient.copy())

    def capture(self, node: Node, grads: list[Any]) -> None:
        if self.targets is not None:
            for target in self.targets:
                if target[0] is node and grads[target[1]] is not None:
                    self.captured[target] = grads[target[1]]
        if self.observer is not None:
            self.observer(node, grads)

    def step(self, node: Node, grads: list[Any]) -> None:
        """The vector-Jacobian product of one function."""
        shares = list(node.run(grads, self.create))
        passed = [
            self.fit(share, following) for share, following in zip(shares, node.next, strict=False)
        ]
        freed = not self.keep and node.release()
        if self.recorder is not None and self.observer is None:
            self.recorder.step(node, grads, shares, passed, freed)
        for following, share in zip(node.next, passed, strict=False):
            if following is not None:
                self.add(*following, share)

    def fit(self, share: Any, following: Edge | None) -> Any:
        """A share in the shape and dtype of the tensor it belongs to."""
        if share is None or following is None:
            return None
        shape, dtype = following[0].meta[following[1]]
        array = share._a if self.create else np.asarray(share)
        if self.create:
            if array.shape != shape:
                share = REGISTRY["sum_to_size"].call(share, *shape)
            return share if array.dtype == dtype else REGISTRY["to_dtype"].call(share, dtypes.BY_NUMPY[dtype])
        if array.shape != shape:
            array = sum_to(array, shape)
        return array if array.dtype == dtype else array.astype(dtype)

    def arrive(self, node: AccumulateGrad, gradient: Any) -> None:
        """Add into the ``.grad`` of a leaf."""
        if gradient is None or not self.accumulate:
            return
        leaf = node.variable
        before = leaf._grad._a.copy() if leaf._grad is not None and self.recorder is not None else None
        if self.create:
            self.accumulate_tensor(leaf, gradient)
        elif leaf._grad is None:
            leaf._grad = Tensor(gradient.copy())
        else:
            inplace.write(leaf._grad, leaf._grad._a + gradient)
        if self.recorder is not None:
            assert leaf._grad is not None
            self.recorder.accumulate(leaf, before, gradient, leaf._grad)

    def accumulate_tensor(self, leaf: Tensor, gradient: Tensor) -> None:
        """With ``create_graph`` nothing is written in place, so that ``.grad`` can be differentiated."""
        if leaf._grad is None:
            leaf._grad = REGISTRY["copy"].call(Tensor(np.zeros_like(gradient._a)), gradient)
        else:
            leaf._grad = REGISTRY["add"].call(leaf._grad, gradient)


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
