"""One pass over the graph, from gradients of outputs to gradients of leaves.

Functions run in reverse order of creation, each as soon as all that depends on it has run. Gradients travel as plain
arrays; with ``create_graph`` as Tensors, so that the pass records itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.autograd import hooks, inplace
from gradflow.engine.autograd.grad_inputs import Misfit, fit_array, free_to_keep, laid_out, reducible
from gradflow.engine.autograd.node import AccumulateGrad, Edge, Meta, Node
from gradflow.engine.autograd.ready_queue import ReadyQueue
from gradflow.engine.numerics.strides import repeats
from gradflow.engine.recording.entries import PassEntry, raw
from gradflow.engine.registry import REGISTRY
from gradflow.engine.state import STATE, warn
from gradflow.engine.tensor import Tensor, dtypes

ND, asarray = np.ndarray, np.asarray

Observer = Callable[[Node, list[np.ndarray | None]], None]


def arrived(gradient: np.ndarray) -> Tensor:
    """A gradient as a tensor: one made in inference mode belongs to it."""
    result = Tensor(gradient)
    if STATE.inference:
        result._inference = True
    return result


class Runner:
    """One pass over the graph. ``targets``: run only what leads to these edges, and collect what reaches them."""

    def __init__(self, *, keep: bool, create: bool, targets: Sequence[Edge] | None, accumulate: bool) -> None:
        self.keep, self.create, self.accumulate = keep, create, accumulate
        self.targets = targets
        self.captured: dict[Edge, Any] = {}
        self.buffers: dict[Node, list[Any]] = {}
        self.waiting: dict[Node, int] = {}
        self.ready = ReadyQueue()
        self.needed: set[Node] | None = None
        self.sole_root: Node | None = None
        self.seeds: list[Tensor] = []
        self.noted_in: PassEntry | None = None
        self.observer: Observer | None = None
        self.recorder = STATE.recorder

    def run(self, roots: Iterable[tuple[Edge, Any]]) -> None:
        """Send each gradient from its edge through the graph."""
        starts = list(roots)
        self.sole_root = starts[0][0][0] if len(starts) == 1 else None
        self.explore([node for (node, _), _ in starts])
        for (node, number), gradient in starts:
            self.add(node, number, gradient)
        for node in {node: None for (node, _), _ in starts}:
            if not self.waiting[node]:
                self.ready.put(node)
        before = STATE.grad, STATE.runner
        STATE.grad, STATE.runner = self.create, self
        try:
            self.sweep()
        finally:
            STATE.grad, STATE.runner = before

    def explore(self, starts: list[Node]) -> None:
        """Count for every reachable node how many others it waits for; find which lead to the targets."""
        waiting = self.waiting
        stack = list(dict.fromkeys(starts))
        for node in stack:
            waiting[node] = 0
        while stack:
            for following in stack.pop().next:
                if following is not None:
                    other = following[0]
                    if other in waiting:
                        waiting[other] += 1
                    else:
                        waiting[other] = 1
                        stack.append(other)
        if self.targets is not None:
            self.needed = self.leading(list(waiting))

    def leading(self, order: list[Node]) -> set[Node]:
        """The nodes to run: those from which a target can be reached, and leaves where they accumulate."""
        assert self.targets is not None
        targets = {node for node, _ in self.targets}
        result: set[Node] = {n for n in targets if isinstance(n, AccumulateGrad) and self.accumulate}
        for node in sorted(order, key=lambda n: n.seq if not isinstance(n, AccumulateGrad) else -1):
            if any(e is not None and (e[0] in result or e[0] in targets) for e in node.next):
                result.add(node)
        return result

    def executes(self, node: Node) -> bool:
        """Whether the pass reaches a node and runs it. As in PyTorch, a sole root does not count where all leaves are wanted."""
        if node is self.sole_root and self.needed is None:
            return False
        wanted = any(node is target for target, _ in self.targets or ())
        if wanted and not self.accumulate and isinstance(node, AccumulateGrad):
            raise errors.DERIVATIVE_CALL(message=_LEAF_ASKED)
        return node in self.waiting and (wanted or self.needed is None or node in self.needed)

    def sweep(self) -> None:
        """Run what is ready until nothing is.

        A pass spends its time here, so that the common case is spelled out in one loop: a function with one output
        and no hooks, gradients as arrays, all leaves wanted. `visit` does the same for any other.
        """
        ready, waiting, buffers, keep, recorder = self.ready, self.waiting, self.buffers, self.keep, self.recorder
        observer, ordinary = self.observer, self.targets is None and not self.create and not STATE.anomaly
        while ready:
            node = ready.pop() if len(ready) == 1 else ready.take()
            grads = buffers.get(node)
            if not (ordinary and node.plain) or grads is None or (g := grads[0]) is None:
                g = share = shares = present = None  # a leaf may keep what nobody else refers to
                self.visit(node)
                continue
            if observer is not None:
                observer(node, grads)
            for guard in node.guards:
                if guard is not None and guard[0].version != guard[1]:
                    node.check_versions()
            op, edges = node.op, node.next
            shares = (op.vjp_complex if g.dtype.kind == "c" else op.vjp)(node.saved, edges, g)
            freed = not keep and node.release()
            del buffers[node]
            passed: list[Any] | None = None if recorder is None or observer is not None else []
            for following, share in zip(edges, shares):  # noqa: B905  # a keyword costs time here
                if following is not None:
                    other, number = following
                    if share is not None:
                        metas = other.meta
                        shape, dtype = metas[number]
                        if share.__class__ is not ND or share.dtype is not dtype or share.shape != shape:
                            share = self.fit(node, edges.index(following), share, metas[number])
                        slots = buffers.get(other)
                        if slots is None:
                            slots = buffers[other] = [None] * len(metas)
                        present = slots[number]
                        slots[number] = share if present is None else asarray(present + share)
                    left = waiting[other] = waiting[other] - 1
                    if not left:
                        if ready:
                            ready.put(other)
                        else:
                            ready.append(other)
                if passed is not None:
                    passed.append(None if following is None else share)
            if recorder is not None and passed is not None:
                recorder.step(node, grads, shares, passed, freed)

    def add(self, node: Node, number: int, gradient: Any) -> None:
        """Add a gradient to what has arrived at one output of a node."""
        slots = self.buffers.get(node)
        if slots is None:
            slots = self.buffers[node] = [None] * len(node.meta)
        if gradient is not None:
            present = slots[number]
            slots[number] = gradient if present is None else self.sum(present, gradient)

    def sum(self, a: Any, b: Any) -> Any:
        return REGISTRY["add"].call(a, b) if self.create else np.asarray(a + b)

    def visit(self, node: Node) -> None:
        """Run one node with all that arrived at it, and pass its results on."""
        grads = self.buffers.pop(node, None)
        if grads is None:
            grads = [None] * len(node.meta)
        if self.targets is None:
            self.visit_needed(node, grads)
        elif self.needed is None or node in self.needed:
            self.capture(node, grads)
            self.visit_needed(node, grads)
        else:
            self.captured_last(node, grads)
        waiting = self.waiting
        for following in node.next:
            if following is not None:
                other = following[0]
                left = waiting[other] = waiting[other] - 1
                if not left:
                    self.ready.put(other)

    def visit_needed(self, node: Node, grads: list[Any]) -> None:
        if self.observer is not None:
            self.observer(node, grads)
        else:
            grads = self.hooked(node, grads)
        if isinstance(node, AccumulateGrad):
            self.arrive(node, grads)
        else:
            self.step(node, grads)

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
        for hook in list(node.pre_hooks.values()):
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
            for hook in list(registered.values()):
                grads[number] = self.call_hook(hook, grads[number])
        for number, reference in (node.retained or {}).items():
            tensor = reference()
            if tensor is not None and grads[number] is not None:
                self.retain(tensor, grads[number])
        return grads

    def retain(self, tensor: Tensor, gradient: Any) -> None:
        """Add into the ``.grad`` of a tensor that is no leaf."""
        if tensor._grad is None:
            tensor._grad = gradient if self.create else arrived(gradient.copy())
        else:
            tensor._grad = REGISTRY["add"].call(tensor._grad, self.as_tensor(gradient))

    def call_hook(self, hook: Callable[[Tensor], Tensor | None], gradient: Any) -> Any:
        given = self.as_tensor(gradient)
        before = gradient.copy() if self.recorder is not None and isinstance(gradient, np.ndarray) else None
        version = 0 if given is None else given._st.version
        result = hooks.replaced(hook, given, hook(given))  # type: ignore[arg-type]  # None only after a None gradient
        if before is not None and given is not None and given._st.version != version:
            assert self.recorder is not None
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
        if not repeats(gradient):
            return self.seed_of(gradient, lambda own: arrived(np.array(own)))
        result = arrived(gradient)
        if self.recorder is not None:
            self.recorder.watch(result, self.noted_in)
        return result

    def as_gradient(self, tensor: Tensor | None) -> Any:
        return tensor if self.create or tensor is None else tensor._a

    # -- functions ------------------------------------------------------------------------------------------------

    def step(self, node: Node, grads: list[Any]) -> None:
        """The vector-Jacobian product of one function."""
        try:
            shares: Sequence[Any] = node.run(grads, self.create)
        except Exception:
            self.explain(node)
            raise
        if node.post_hooks:
            shares = self.after(node, grads, shares)
        passed = self.fitted(node, shares)
        freed = not self.keep and node.release()
        if STATE.anomaly and STATE.check_nan and self.observer is None:
            self.check_nan(node, passed)
        if self.recorder is not None and self.observer is None:
            self.recorder.step(node, [raw(g) for g in grads], [raw(s) for s in shares], [raw(s) for s in passed], freed)
        for following, share in zip(node.next, passed, strict=False):
            if following is not None:
                self.add(following[0], following[1], share)

    def after(self, node: Node, grads: list[Any], shares: Sequence[Any]) -> list[Any]:
        """Run the hooks after a function."""
        fitted = self.fitted(node, shares)
        outputs = tuple(self.as_tensor(grads[i]) for i in node.differentiable_outputs())
        for hook in list((node.post_hooks or {}).values()):
            given = tuple(self.as_tensor(s) for s in fitted)
            fitted = [self.as_gradient(s) for s in hooks.replaced_all(hook, given, hook(given, outputs))]
        return fitted

    def check_nan(self, node: Node, passed: list[Any]) -> None:
        """Raises RuntimeError for the first share that has a NaN (anomaly detection)."""
        for index, share in enumerate(passed):
            array = share._a if isinstance(share, Tensor) else share
            if array is not None and bool(np.isnan(array).any()):
                self.explain(node)
                raise errors.NAN_GRADIENT(name=node.name(), index=index)

    def explain(self, node: Node) -> None:
        """With anomaly detection, the warning that tells where the forward call of a failing function stands."""
        if STATE.anomaly:
            known = "Traceback of forward call that caused the error:" if node.traced else _NO_FORWARD
            warn(f"Error detected in {node.name()}. {known}")

    def fitted(self, node: Node, shares: Sequence[Any]) -> list[Any]:
        """The shares of a function's inputs, each in the shape and dtype of its tensor."""
        return [
            None
            if share is None or following is None
            else self.fit(node, index, share, following[0].meta[following[1]])
            for index, (share, following) in enumerate(zip(shares, node.next, strict=False))
        ]

    def fit(self, node: Node, index: int, share: Any, meta: Meta) -> Any:
        """One share in the shape and dtype of its tensor. Raises RuntimeError where it cannot be."""
        try:
            return self.fit_tensor(share, meta) if self.create else fit_array(share, meta)
        except Misfit as error:
            actual, expected = (list(shape) for shape in error.args)
            raise errors.INVALID_GRADIENT(name=node.name(), index=index, actual=actual, expected=expected) from None

    def fit_tensor(self, share: Any, meta: Meta) -> Any:
        """The same with operations that record themselves."""
        shape, dtype = meta
        if share._a.shape != shape:
            if not reducible(share._a.shape, shape):
                raise Misfit(share._a.shape, shape)
            share = REGISTRY.helpers["unexpand"].tensors(share, shape)
        if share._a.dtype.kind == "c" != dtype.kind:
            share = REGISTRY["select"].call(REGISTRY["view_as_real"].call(share), -1, 0)
        return share if share._a.dtype == dtype else REGISTRY["to_dtype"].call(share, dtypes.BY_NUMPY[dtype])

    # -- leaves ---------------------------------------------------------------------------------------------------

    def arrive(self, node: AccumulateGrad, grads: list[Any]) -> None:
        """Add into the ``.grad`` of a leaf."""
        if grads[0] is None or not self.accumulate:
            return
        leaf = node.variable
        before = leaf._grad._a.copy() if leaf._grad is not None and self.recorder is not None else None
        if self.create:
            self.accumulate_tensor(leaf, grads[0])
        elif leaf._grad is None:
            mine = self.recorder is None and not node.post_hooks and free_to_keep(grads, leaf._a)
            leaf._grad = arrived(grads[0] if mine else laid_out(grads[0], leaf._a))
            if not mine and (grads[0].strides != leaf._a.strides or any(seed._a is grads[0] for seed in self.seeds)):
                leaf._grad._st.version = 1  # where PyTorch cannot take the gradient itself, it writes a copy
        else:
            inplace.write(leaf._grad, leaf._grad._a + grads[0])
        if self.recorder is not None:
            assert leaf._grad is not None
            self.recorder.accumulate(leaf, before, grads[0], leaf._grad)
        for hook in list((leaf._post_hooks or {}).values()):
            returned = hook(leaf)
            if returned is not None and returned is not leaf:
                raise hooks.refused_result(returned)
        for hook in list((node.post_hooks or {}).values()):
            hook((), (self.as_tensor(grads[0]),))

    def accumulate_tensor(self, leaf: Tensor, gradient: Tensor) -> None:
        """With ``create_graph`` nothing is written in place, so that ``.grad`` can be differentiated."""
        if leaf._grad is None:
            leaf._grad = REGISTRY["copy"].call(Tensor(np.zeros_like(gradient._a)), gradient)
        else:
            leaf._grad = REGISTRY["add"].call(leaf._grad, gradient)


_LEAF_ASKED = (
    "A leaf node was passed to _will_engine_execute_node but we are currently running autograd.grad(). This is currently"
    " not supported."
)
_NO_FORWARD = "No forward pass information available. Enable detect anomaly during forward pass for more information."
