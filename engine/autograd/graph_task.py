"""One pass over the graph, from gradients of outputs to gradients of leaves.

Functions run in reverse order of creation, each as soon as all that depends on it has run. Gradients travel as plain
arrays; with ``create_graph`` as Tensors, so that the pass records itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.autograd import anomaly, hooks, inplace
from gradflow.engine.autograd.grad_inputs import (
    LEAF_ASKED,
    ShapeMismatch,
    array_of,
    arrived,
    can_steal,
    fit_array,
    fit_tensor,
    is_sparse,
    laid_out,
)
from gradflow.engine.autograd.node import AccumulateGrad, Edge, Meta, Node, vjp_of
from gradflow.engine.autograd.ready_queue import ReadyQueue
from gradflow.engine.autograd.transforms.inner_leaf import Keep
from gradflow.engine.numerics.entries import Entries, is_entries
from gradflow.engine.numerics.strides import repeats
from gradflow.engine.registry import REGISTRY
from gradflow.engine.state import STATE
from gradflow.engine.tensor import Tensor

if TYPE_CHECKING:
    from gradflow.engine.recording.entries import PassEntry

ND, asarray, FLOAT32 = np.ndarray, np.asanyarray, np.dtype(np.float32)
Observer = Callable[[Node, list[np.ndarray | None]], None]


class GraphTask:
    """One pass over the graph. ``targets``: run only what leads to these edges, and collect what reaches them."""

    def __init__(
        self, *, keep_graph: Keep, create_graph: bool, targets: Sequence[Edge] | None, accumulate_grad: bool
    ) -> None:
        self.keep_graph, self.create_graph, self.accumulate_grad = keep_graph, create_graph, accumulate_grad
        self.targets = targets
        self.captured: dict[Edge, Any] = {}
        self.input_buffers: dict[Node, list[Any]] = {}
        self.dependencies: dict[Node, int] = {}
        self.ready = ReadyQueue()
        self.needed: set[Node] | None = None
        self.wanted: set[Node] | None = None
        self.sole_root: Node | None = None
        self.seeds: list[Tensor] = []
        self.noted_in: PassEntry | None = None
        self.observer: Observer | None = None
        self.recorder = STATE.recorder

    def run(self, roots: Iterable[tuple[Edge, Any]]) -> None:
        """Send each gradient from its edge through the graph."""
        starts = list(roots)
        self.sole_root = starts[0][0][0] if len(starts) == 1 else None
        self.compute_dependencies([node for (node, _), _ in starts])
        for (node, number), gradient in starts:
            self.add(node, number, gradient)
        for node in {node: None for (node, _), _ in starts}:
            if not self.dependencies[node]:
                self.ready.put(node)
        before = STATE.grad, STATE.graph_task
        STATE.grad, STATE.graph_task = self.create_graph, self
        try:
            self.execute()
        finally:
            STATE.grad, STATE.graph_task = before

    def compute_dependencies(self, starts: list[Node]) -> None:
        """Count for every reachable node how many others it waits for; find which lead to the targets."""
        dependencies = self.dependencies
        stack = list(dict.fromkeys(starts))
        for node in stack:
            dependencies[node] = 0
        while stack:
            for following in stack.pop().next_edges:
                if following is not None:
                    other = following[0]
                    if other in dependencies:
                        dependencies[other] += 1
                    else:
                        dependencies[other] = 1
                        stack.append(other)
        if self.targets is not None:
            self.needed = self.leading(list(dependencies))
            self.wanted = self.needed.union(node for node, _ in self.targets)

    def leading(self, order: list[Node]) -> set[Node]:
        """The nodes to run: those from which a target can be reached, and where gradients accumulate the targets too."""
        assert self.targets is not None
        targets = {node for node, _ in self.targets}
        result = set(targets) if self.accumulate_grad else set[Node]()
        for node in sorted(order, key=lambda n: n.seq if not isinstance(n, AccumulateGrad) else -1):
            if any(e is not None and (e[0] in result or e[0] in targets) for e in node.next_edges):
                result.add(node)
        return result

    def will_execute(self, node: Node) -> bool:
        """Whether the pass reaches a node and runs it. As in PyTorch, a sole root does not count where all leaves are wanted."""
        if node is self.sole_root and self.needed is None:
            return False
        wanted = any(node is target for target, _ in self.targets or ())
        if wanted and not self.accumulate_grad and isinstance(node, AccumulateGrad):
            raise errors.DERIVATIVE_CALL(message=LEAF_ASKED)
        return node in self.dependencies and (wanted or self.needed is None or node in self.needed)

    def edges_of(self, node: Node) -> tuple[Edge | None, ...]:
        """The edges of a node along which this pass wants gradients."""
        wanted = self.wanted
        node = node.copy_slices or node
        if wanted is None:
            return node.next_edges
        return tuple([None if edge is None or edge[0] not in wanted else edge for edge in node.next_edges])

    def execute(self) -> None:
        """Run what is ready until nothing is.

        A pass spends its time here, so that the common case is spelled out in one loop: a function with one output
        and no hooks, gradients as arrays, all leaves wanted. `evaluate` does the same for any other.
        """
        ready, dependencies, input_buffers = self.ready, self.dependencies, self.input_buffers
        keep_graph, recorder = self.keep_graph, self.recorder
        observer, ordinary = self.observer, self.targets is None and not self.create_graph and not STATE.anomaly
        passed: Sequence[Any] = ()
        note = None if recorder is None or observer is not None else recorder.running.noted.append
        while ready:
            node = ready.pop() if len(ready) == 1 else ready.take()
            grads = input_buffers.get(node)
            if not (ordinary and node.on_fast_path) or grads is None or (g := grads[0]) is None:
                g = grad_input = grad_inputs = present = None  # a leaf may keep what nobody else refers to
                passed = ()
                self.evaluate(node)
                continue
            if observer is not None:
                observer(node, grads)
            for guard in node.guards:
                if guard is not None and guard[0].version != guard[1]:
                    node.check_versions()
            if recorder is not None and recorder.unchecked_writes:
                recorder.note_reads(node)
            op, edges = node.op, node.next_edges
            grad_inputs = (op.vjp if g.dtype is FLOAT32 else vjp_of(op, g.dtype.kind))(node.saved, edges, g)
            freed = not keep_graph and node.release()
            del input_buffers[node]
            passed = grad_inputs
            for following, grad_input in zip(edges, grad_inputs):  # noqa: B905  # a keyword costs time here
                if following is not None:
                    other, number = following
                    if grad_input is not None:
                        metas = other.output_metas
                        shape, dtype = metas[number]
                        if grad_input.__class__ is not ND or grad_input.dtype is not dtype or grad_input.shape != shape:
                            passed, grad_input = self.refitted(node, passed, following, grad_input)
                        slots = input_buffers.get(other)
                        if slots is None:
                            slots = input_buffers[other] = [None] * len(metas)
                        present = slots[number]
                        slots[number] = grad_input if present is None else asarray(present + grad_input)
                    left = dependencies[other] = dependencies[other] - 1
                    if not left:
                        if ready:
                            ready.put(other)
                        else:
                            ready.append(other)
                elif grad_input is not None:  # a gradient that nobody wants
                    passed = [None if edge is None else each for edge, each in zip(edges, passed, strict=False)]
            if note is not None and node.entry is not None:
                note((node.entry, grads, grad_inputs, passed, freed, recorder.reads))  # type: ignore[union-attr]  # it notes

    def add(self, node: Node, number: int, gradient: Any) -> None:
        """Add a gradient to what has arrived at one output of a node."""
        slots = self.input_buffers.get(node)
        if slots is None:
            slots = self.input_buffers[node] = [None] * len(node.output_metas)
        if gradient is not None:
            present = slots[number]
            slots[number] = gradient if present is None else self.sum(present, gradient)

    def sum(self, a: Any, b: Any) -> Any:
        return REGISTRY["add"].call(a, b) if self.create_graph else np.asanyarray(a + b)

    def evaluate(self, node: Node) -> None:
        """Run one node with all that arrived at it, and pass its results on."""
        grads = self.input_buffers.pop(node, None)
        if grads is None:
            grads = [None] * len(node.output_metas)
        if self.targets is None:
            self.evaluate_needed(node, grads)
        elif self.needed is None or node in self.needed:
            if not self.accumulate_grad:
                self.capture(node, grads)
            self.evaluate_needed(node, grads)
        else:
            self.captured_last(node, grads)
        dependencies = self.dependencies
        for following in node.next_edges:
            if following is not None:
                other = following[0]
                left = dependencies[other] = dependencies[other] - 1
                if not left:
                    self.ready.put(other)

    def evaluate_needed(self, node: Node, grads: list[Any]) -> None:
        if self.observer is not None:
            self.observer(node, grads)
        else:
            grads = self.hooked(node, grads)
        if isinstance(node, AccumulateGrad):
            self.accumulate(node, grads)
        else:
            self.call_function(node, grads)

    # -- hooks ----------------------------------------------------------------------------------------------------

    def captured_last(self, node: Node, grads: list[Any]) -> None:
        """At a target behind which nothing is wanted, what its hooks make of the gradient is captured."""
        if any(target[0] is node for target in self.targets or ()):
            self.capture(node, self.tensor_hooked(node, grads))

    def capture(self, node: Node, grads: list[Any]) -> None:
        for target in self.targets or ():
            if target[0] is node and grads[target[1]] is not None:
                self.captured[target] = grads[target[1]]
                if self.recorder is not None and self.observer is None:
                    self.recorder.captured(*target, grads[target[1]])

    def hooked(self, node: Node, grads: list[Any]) -> list[Any]:
        """Run the hooks before a function: those of its output tensors first, then its own."""
        grads = self.tensor_hooked(node, grads)
        if node.pre_hooks is None:
            return grads
        shown = node.differentiable_outputs()
        for hook in hooks.noted(node.pre_hooks, node):
            given = tuple(self.as_tensor(grads[i]) for i in shown)
            for i, g in zip(shown, hooks.replaced_all(hook, given, hook(given)), strict=True):
                grads[i] = self.as_gradient(g)
        return grads

    def tensor_hooked(self, node: Node, grads: list[Any]) -> list[Any]:
        """Run the tensor hooks of a node's outputs, then keep the gradients asked for by retain_grad."""
        own = node.variable._hooks if isinstance(node, AccumulateGrad) else node.hooks
        if own is None and node.retained is None:
            return grads
        for number, registered in (own or {}).items():
            for hook in hooks.noted(registered, node, number):
                grads[number] = self.call_hook(hook, grads[number])
        for number, reference in (node.retained or {}).items():
            tensor = reference()
            if tensor is not None and grads[number] is not None:
                self.retain(tensor, grads[number])
        return grads

    def retain(self, tensor: Tensor, gradient: Any) -> None:
        """Add into the ``.grad`` of a tensor that is no leaf."""
        if tensor._grad is None:
            tensor._grad = gradient if self.create_graph else arrived(gradient.copy())
        else:
            tensor._grad = REGISTRY["add"].call(tensor._grad, self.as_tensor(gradient))

    def call_hook(self, hook: Callable[[Tensor], Tensor | None], gradient: Any) -> Any:
        given = self.as_tensor(gradient)
        before = gradient.copy() if self.recorder is not None and isinstance(gradient, np.ndarray) else None
        version = 0 if given is None else given._st.version
        result = hooks.replaced(hook, given, hook(given))  # type: ignore[arg-type]  # None only after a None gradient
        if self.recorder is not None and before is not None and given is not None and given._st.version != version:
            self.recorder.keep_gradient(gradient, before)
        return self.as_gradient(result)

    def as_tensor(self, gradient: Any) -> Tensor | None:
        """The gradient as programs see it."""
        if gradient is None or isinstance(gradient, Tensor):
            return gradient
        return self.seed_of(gradient, arrived)

    def seed_of(self, gradient: np.ndarray, otherwise: Callable[[np.ndarray], Tensor]) -> Tensor:
        """The tensor that the pass began with, where the gradient is that."""
        for seed in self.seeds:
            if seed._a is gradient:
                return seed
        return otherwise(gradient)

    def given(self, gradient: np.ndarray) -> Tensor:
        """A gradient that the program gets: in memory of its own, but for one repeated over it, as PyTorch gives it."""
        if is_entries(gradient):
            return arrived(gradient)
        if not repeats(gradient):
            return self.seed_of(gradient, lambda own: arrived(np.array(own)))
        result = arrived(gradient)
        if self.recorder is not None:
            self.recorder.watch(result, self.noted_in)
        return result

    def as_gradient(self, tensor: Tensor | None) -> Any:
        return tensor if self.create_graph or tensor is None else tensor._a

    # -- functions ------------------------------------------------------------------------------------------------

    def call_function(self, node: Node, grads: list[Any]) -> None:
        """The vector-Jacobian product of one function."""
        if self.recorder is not None and self.recorder.unchecked_writes:
            self.recorder.note_reads(node)
        noted = grads
        if self.recorder is not None and node.calls_program():  # which can write into them
            noted = [None if g is None else np.array(array_of(g)) for g in grads]
        try:
            grad_inputs: Sequence[Any] = node.run(grads, self.create_graph)
        except Exception:
            anomaly.warn_of(node)
            raise
        if node.post_hooks:
            grad_inputs = self.after(node, grads, grad_inputs)
        passed = self.fitted(node, grad_inputs)
        freed = node.holds_tensors() if self.keep_graph == "outer" else not self.keep_graph and node.release()
        if self.recorder is not None and self.observer is None:
            came, made, sent = ([array_of(g) for g in each] for each in (noted, grad_inputs, passed))
            self.recorder.step(node, came, made, sent, freed)
        if STATE.anomaly and STATE.check_nan and self.observer is None:
            anomaly.check_nan(node, passed)
        for following, grad_input in zip(self.edges_of(node), passed, strict=False):
            if following is not None:
                self.add(following[0], following[1], grad_input)

    def after(self, node: Node, grads: list[Any], grad_inputs: Sequence[Any]) -> list[Any]:
        """Run the hooks after a function."""
        fitted = self.fitted(node, grad_inputs)
        outputs = tuple(self.as_tensor(grads[i]) for i in node.differentiable_outputs())
        for hook in hooks.noted(node.post_hooks, node):
            given = tuple(self.as_tensor(s) for s in fitted)
            fitted = [self.as_gradient(s) for s in hooks.replaced_all(hook, given, hook(given, outputs))]
        return fitted

    def fitted(self, node: Node, grad_inputs: Sequence[Any]) -> list[Any]:
        """The gradients of a function's inputs, each in the shape and dtype of its tensor."""
        return [
            None
            if grad_input is None or following is None
            else self.fit(node, index, grad_input, following[0].output_metas[following[1]])
            for index, (grad_input, following) in enumerate(zip(grad_inputs, node.next_edges, strict=False))
        ]

    def refitted(self, node: Node, passed: Sequence[Any], edge: Edge, grad_input: Any) -> tuple[Sequence[Any], Any]:
        """What a function passes on, with one gradient in the shape and dtype of its tensor; and that one."""
        index = next(k for k, each in enumerate(passed) if each is grad_input and node.next_edges[k] is edge)
        fitted = self.fit(node, index, grad_input, edge[0].output_metas[edge[1]])
        return [*passed[:index], fitted, *passed[index + 1 :]], fitted

    def fit(self, node: Node, index: int, grad_input: Any, meta: Meta) -> Any:
        """One gradient in the shape and dtype of its tensor. Raises RuntimeError where it cannot be."""
        try:
            return fit_tensor(grad_input, meta) if self.create_graph else fit_array(grad_input, meta)
        except ShapeMismatch as error:
            actual, expected = (list(shape) for shape in error.args)
            raise errors.INVALID_GRADIENT(name=node.name(), index=index, actual=actual, expected=expected) from None

    # -- leaves ---------------------------------------------------------------------------------------------------

    def accumulate(self, node: AccumulateGrad, grads: list[Any]) -> None:
        """Add into the ``.grad`` of a leaf."""
        if grads[0] is None or not self.accumulate_grad:
            return
        leaf = node.variable
        before = leaf._grad._a.copy() if leaf._grad is not None and self.recorder is not None else None
        if self.create_graph:
            self.accumulate_tensor(leaf, grads[0])
        elif is_sparse(leaf._grad, grads[0]):
            leaf._grad = arrived(grads[0]) if leaf._grad is None else Entries.added_to(leaf._grad, grads[0])
        elif leaf._grad is None:
            mine = self.recorder is None and not node.post_hooks and can_steal(grads, leaf._a)
            leaf._grad = arrived(grads[0] if mine else laid_out(grads[0], leaf._a))
            if not mine and (grads[0].strides != leaf._a.strides or any(seed._a is grads[0] for seed in self.seeds)):
                leaf._grad._st.version = 1  # where PyTorch cannot take the gradient itself, it writes a copy
        else:
            inplace.write(leaf._grad, leaf._grad._a + grads[0])
        if self.recorder is not None:
            assert leaf._grad is not None
            self.recorder.accumulate(leaf, before, grads[0], leaf._grad)
        for hook in hooks.noted(leaf._post_hooks, node):
            returned = hook(leaf)
            if returned is not None and returned is not leaf:
                raise hooks.refused_result(returned)
        for hook in hooks.noted(node.post_hooks, node):
            hook((), (self.as_tensor(grads[0]),))

    def accumulate_tensor(self, leaf: Tensor, gradient: Tensor) -> None:
        """Nothing is written in place, so that ``.grad`` can be differentiated."""
        if leaf._grad is None:
            leaf._grad = REGISTRY["copy"].call(Tensor(np.zeros_like(gradient._a)), gradient)
        else:
            leaf._grad = REGISTRY["add"].call(leaf._grad, gradient)
