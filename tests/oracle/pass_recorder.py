"""What PyTorch does in its backward passes, noted while a program runs. Needs PyTorch alone.

    with recording() as passes:
        loss.backward()
    passes[0].steps[0].name        # 'SumBackward0'

`recording` stands around PyTorch's engine, to which ``backward``, ``torch.autograd.backward`` and ``torch.autograd.grad``
come in the end. Before a pass the graph is walked from its roots, and each of its nodes gets a hook before and a hook after,
which look and change nothing; after the pass they are removed. What is noted are copies, as NumPy arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import ml_dtypes
import numpy as np
import torch

Value: TypeAlias = np.ndarray | None
"""A gradient; None where there is none, or where it is no tensor of PyTorch's own."""

MAX_NODES = 5000
"""A graph of more nodes is not walked: its pass has no steps and is marked ``too_large``."""


@dataclass
class Step:
    """One function run backward. ``targets``: the number of the node behind each input, None where no gradient goes.

    ``to_inner``: whether that is the leaf of a transformation, which stands for any tensor that was handed to it.
    """

    node: int
    name: str
    targets: list[int | None]
    to_leaf: list[bool]
    to_inner: list[bool]
    grad_outputs: list[Value]
    saved: list[str]
    grad_inputs: list[Value] | None = None
    freed: list[str] = field(default_factory=list)


@dataclass
class Accumulation:
    """A gradient that arrived at a leaf: what its ``.grad`` was, what came, and after how many steps."""

    before: Value
    incoming: Value
    steps_done: int
    after: Value = None


@dataclass
class RecordedPass:
    """One call of the engine. ``complete`` is False where it raised."""

    kind: str
    retain_graph: bool
    create_graph: bool
    steps: list[Step] = field(default_factory=list)
    accumulations: list[Accumulation] = field(default_factory=list)
    too_large: bool = False
    complete: bool = False

    @property
    def finished(self) -> list[Step]:
        """The steps that gave gradients; the last one of a pass that raised did not."""
        return [step for step in self.steps if step.grad_inputs is not None]

    @property
    def ran(self) -> bool:
        """Whether anything happened: ``grad(x, x)`` gives its seed back."""
        return self.too_large or bool(self.finished) or any(a.incoming is not None for a in self.accumulations)


@contextmanager
def recording() -> Iterator[list[RecordedPass]]:
    """Note every pass that runs inside, in the order in which they begin."""
    passes: list[RecordedPass] = []
    active: list[RecordedPass] = []
    engine = torch.autograd._engine_run_backward

    def run(outputs: Any, grads: Any, retain: bool, create: bool, inputs: Any, *rest: Any, **named: Any) -> Any:
        kind = "backward" if named.get("accumulate_grad") else "grad"
        noted = RecordedPass(kind, bool(retain), bool(create))
        passes.append(noted)
        graph = _Graph(outputs, noted, active)
        active.append(noted)
        try:
            with graph:
                try:
                    result = engine(outputs, grads, retain, create, inputs, *rest, **named)
                    noted.complete = True
                    return result
                finally:
                    graph.note_freed()
        finally:
            active.pop()

    torch.autograd._engine_run_backward = run  # type: ignore[attr-defined]  # the one door to the engine
    try:
        yield passes
    finally:
        torch.autograd._engine_run_backward = engine  # type: ignore[attr-defined]


class _Graph:
    """The nodes behind the roots of one pass, and the hooks on them while the pass runs."""

    def __init__(self, outputs: Sequence[Any], noted: RecordedPass, active: list[RecordedPass]) -> None:
        self.noted, self.active = noted, active
        self.nodes: list[Any] = []
        self.numbers: dict[Any, int] = {}
        self.handles: list[Any] = []
        waiting = [node for node in map(_root, outputs) if node is not None]
        while waiting and len(self.nodes) <= MAX_NODES:
            node = waiting.pop()
            if node not in self.numbers:
                self.numbers[node] = len(self.nodes)
                self.nodes.append(node)
                waiting += [following for following, _ in getattr(node, "next_functions", ()) if following is not None]
        noted.too_large = len(self.nodes) > MAX_NODES

    def __enter__(self) -> None:
        if not self.noted.too_large:
            for number, node in enumerate(self.nodes):
                before, after = self.at_leaf(node) if _is_leaf(node) else self.at_function(number, node)
                self.handles += [node.register_prehook(before), node.register_hook(after)]

    def __exit__(self, *_: object) -> None:
        for handle in self.handles:
            handle.remove()
        self.nodes.clear()
        self.numbers.clear()

    def is_running(self) -> bool:
        """Whether a hook was called by this pass, and not by one that it started."""
        return self.active[-1] is self.noted

    def at_leaf(self, node: Any) -> tuple[Callable[..., None], Callable[..., None]]:
        leaf = node.variable

        def before(grads: Any) -> None:
            if self.is_running():
                done = len(self.noted.finished)
                self.noted.accumulations.append(Accumulation(copied(leaf.grad), copied(grads[0]), done))

        def after(*_: Any) -> None:
            if self.is_running():
                self.noted.accumulations[-1].after = copied(leaf.grad)

        return before, after

    def at_function(self, number: int, node: Any) -> tuple[Callable[..., None], Callable[..., None]]:
        following = [following for following, _ in node.next_functions]
        targets = [None if one is None else self.numbers[one] for one in following]
        to_leaf = [one is not None and _is_leaf(one) for one in following]
        wrapped = torch._C._functorch.is_functorch_wrapped_tensor
        to_inner = [leaf and wrapped(one.variable) for leaf, one in zip(to_leaf, following, strict=True)]
        saved, noted = saved_names(node), self.noted
        own: list[Step] = []

        def before(grads: Any) -> None:
            if self.is_running():
                own.append(Step(number, name_of(node), targets, to_leaf, to_inner, [copied(g) for g in grads], saved))
                noted.steps.append(own[-1])

        def after(grad_inputs: Any, _: Any) -> None:
            if self.is_running() and own:
                own[-1].grad_inputs = [copied(g) for g in grad_inputs]

        return before, after

    def note_freed(self) -> None:
        """Which saved variables the pass let go."""
        for step in self.noted.finished:
            step.freed = [name for name in step.saved if _is_freed(self.nodes[step.node], name)]


def copied(tensor: torch.Tensor | None) -> Value:
    """The elements of a gradient as they are now; of a sparse one its entries, of one of torch.func what it wraps."""
    if tensor is None or type(tensor) is not torch.Tensor or tensor.layout not in (torch.strided, torch.sparse_coo):
        return None
    if torch._C._functorch.is_functorch_wrapped_tensor(tensor):
        place = torch._C._functorch.maybe_get_bdim(tensor)  # of the dimension of a batch: told before the tensor's own
        with torch._C._DisableFuncTorch():
            inner = torch._C._functorch.get_unwrapped(tensor)
            found = copied(inner)
        if place < 0 or found is None:
            return found
        outer = found.ndim - inner.dim()
        return np.moveaxis(found, outer + place, outer)
    if torch._C._functorch.is_legacy_batchedtensor(tensor):  # of ``is_grads_batched``, at the one level there is
        return copied(torch._remove_batch_dim(tensor, 1, 0, 0))
    if tensor.layout is torch.sparse_coo:
        return copied(tensor.detach()._values())
    if tensor._is_zerotensor():  # zeros that take no memory, which NumPy cannot be shown
        tensor = torch.zeros(tensor.shape, dtype=tensor.dtype)
    if tensor.dtype is torch.bfloat16:  # which NumPy has from elsewhere
        single = copied(tensor.detach().float())
        return None if single is None else single.astype(ml_dtypes.bfloat16)
    try:
        return np.array(tensor.detach().resolve_conj().resolve_neg().numpy())
    except (RuntimeError, TypeError):
        return None  # a wrapper of torch.func holds no elements of its own


def name_of(node: Any) -> str:
    """The name that is printed of a function."""
    own = type(node).__name__
    return own if own != "CppFunction" else node.name().split("::")[-1]


def saved_names(node: Any) -> list[str]:
    """The tensors that a function has saved, by the names of its attributes. To read a packed one calls the program."""
    if isinstance(node, torch.autograd.function.BackwardCFunction):
        return ["_raw_saved_tensors"] if node._raw_saved_tensors else []
    names = [name.removeprefix("_raw_saved_") for name in dir(node) if name.startswith("_raw_saved_")]
    return [name for name in names if _holds(node, name)]


def _holds(node: Any, name: str) -> bool:
    try:
        value = getattr(node, f"_saved_{name}")
    except RuntimeError as error:
        return "modified" in str(error)
    several = isinstance(value, tuple | list)
    return any(one is not None for one in value) if several else value is not None


def _is_freed(node: Any, name: str) -> bool:
    try:
        getattr(node, name if name.startswith("_") else f"_saved_{name}")
    except RuntimeError as error:
        return "second time" in str(error) or "freed" in str(error)
    return False


def _root(output: Any) -> Any:
    if not isinstance(output, torch.Tensor):
        return output.node
    return torch.autograd.graph.get_gradient_edge(output).node if output.requires_grad else None


def _is_leaf(node: Any) -> bool:
    return name_of(node) == "AccumulateGrad"
