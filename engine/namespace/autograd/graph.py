"""``torch.autograd.graph``: hooks for saved tensors, edges, and the nodes themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal

from gradflow.engine import errors
from gradflow.engine.autograd.hooks import RemovableHandle, register_hook
from gradflow.engine.autograd.node import GradientEdge, Node, gradient_edge
from gradflow.engine.namespace.tensor_arguments import has
from gradflow.engine.registry import REGISTRY
from gradflow.engine.sandbox.gate import OpaqueType, allow
from gradflow.engine.state import STATE
from gradflow.engine.tensor import Tensor

_NONE_LEFT = "is_initialized && !tls.stack.empty() INTERNAL ASSERT FAILED, please report a bug to PyTorch. "


class saved_tensors_hooks:
    """Inside, every tensor saved for backward is packed by one function, and unpacked by the other when it is used."""

    def __init__(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]) -> None:
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self) -> None:
        if STATE.hooks_disabled is not None:
            raise errors.SAVED_HOOK(message=STATE.hooks_disabled)
        STATE.saved_hooks.append((self.pack_hook, self.unpack_hook))
        STATE.special = True

    def __exit__(self, *_: object) -> None:
        if not STATE.saved_hooks:
            raise errors.SAVED_HOOK(message=_NONE_LEFT)
        STATE.saved_hooks.pop()


class save_on_cpu(saved_tensors_hooks):
    """Inside, saved tensors are kept in the memory of the CPU, where they are."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        super().__init__(lambda tensor: tensor, lambda tensor: tensor)


_NESTED = "allow_mutation_on_saved_tensors contexts cannot be nested"
_OUTSIDE = (
    "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context"
    "in which the graph was originally recorded."
)


class _AllowMutationOnSavedContext:
    """One block in which saved tensors may be written."""

    inside = True

    def kept(self, tensor: Tensor) -> Tensor:
        """What was saved. Raises AssertionError after the block."""
        if not self.inside:
            raise errors.DERIVATIVE_ASSERTION(message=_OUTSIDE)
        return tensor


@contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[Any]:
    """Inside, tensors saved for backward may be written in place: what was saved is a copy, for a pass inside as well."""
    block = _AllowMutationOnSavedContext()
    if any(getattr(unpack, "__self__", None).__class__ is type(block) for _, unpack in STATE.saved_hooks):
        raise errors.SAVED_HOOK(message=_NESTED)
    hooks = saved_tensors_hooks(REGISTRY["clone"].call, block.kept)
    hooks.__enter__()
    try:
        yield block
    finally:
        block.inside = False
        if STATE.saved_hooks:  # one that a program never ended is ended when its run is over
            hooks.__exit__()


@contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Inside, hooks for saved tensors raise RuntimeError with a message of the program's."""
    before, STATE.hooks_disabled = STATE.hooks_disabled, error_message
    try:
        yield
    finally:
        STATE.hooks_disabled = before


def get_gradient_edge(tensor: Tensor) -> Any:
    """Where the gradient of a tensor goes. Raises RuntimeError where none is wanted."""
    if not has(tensor, "requires_grad").requires_grad:
        raise errors.DERIVATIVE_CALL(
            message="It is not possible to get the gradient edge for a Tensor that does not require gradients"
        )
    _ = tensor.grad_fn
    return GradientEdge(*gradient_edge(tensor))


class _MultiHandle(RemovableHandle):
    """Removes one hook from several tensors."""

    def __init__(self, handles: list[RemovableHandle]) -> None:
        self.handles = handles
        super().__init__({})

    def remove(self) -> None:
        for handle in self.handles:
            handle.remove()

    def __repr__(self) -> str:
        return f"<torch.autograd.graph._MultiHandle object at {id(self):#x}>"


def register_multi_grad_hook(
    tensors: Iterable[Tensor], fn: Callable[[Any], None], *, mode: Literal["all", "any"] = "all"
) -> _MultiHandle:
    """Call ``fn`` once a pass: with the gradients of all ``tensors``, or with the first that is known."""
    if mode not in ("all", "any"):
        raise errors.DERIVATIVE_VALUE(message=f"Expects mode to be one of ('all', 'any') but got {mode}")
    tensors = [has(t, "requires_grad") for t in tensors]
    if mode == "any":
        hook = _first(fn)
        return _MultiHandle([register_hook(t, hook) for t in tensors if t.requires_grad])
    waiting = _All(fn, tensors)
    return _MultiHandle([register_hook(t, waiting.hook(i)) for i, t in enumerate(tensors)])


def _first(fn: Callable[[Any], None]) -> Callable[[Tensor], None]:
    """A hook for several tensors: calls a function with the first gradient of every pass."""
    ran: list[object] = []

    def wrapped_fn(grad: Tensor) -> None:
        if STATE.graph_task not in ran:
            ran[:] = [STATE.graph_task]
            fn(grad)

    return wrapped_fn


class _All:
    """Calls a function with all gradients of a pass, None for those that it does not compute."""

    def __init__(self, fn: Callable[[Any], None], tensors: Sequence[Tensor]) -> None:
        if not all(t.requires_grad for t in tensors):
            raise errors.DERIVATIVE_ASSERTION(message="Expected gradient function to be set")
        self.fn, self.edges = fn, [gradient_edge(t)[0] for t in tensors]
        self.graph_task: object = None
        self.found: list[Tensor | None] = []
        self.left = 0

    def hook(self, index: int) -> Callable[[Tensor], None]:
        def inner_hook(grad: Tensor) -> None:
            graph_task = STATE.graph_task
            assert graph_task is not None
            if graph_task is not self.graph_task:
                self.graph_task, self.found = graph_task, [None] * len(self.edges)
                self.left = sum(graph_task.will_execute(node) for node in self.edges)
            self.found[index], self.left = grad, self.left - 1
            if not self.left:
                self.graph_task = None  # as in PyTorch: what comes later in the pass begins anew
                self.fn(self.found)

        return inner_hook


def increment_version(tensor: Tensor | tuple[Tensor, ...]) -> None:
    """Count a write that the engine has not seen."""
    for each in (tensor,) if isinstance(tensor, Tensor) else tensor:
        if not isinstance(each, Tensor):
            raise errors.DERIVATIVE_CALL(
                message="increment_version expects each element of the iterable to be a tensor"
            )
        each._st.version += 1


def members() -> dict[str, Any]:
    """The public names of the module."""
    allow(GradientEdge, ("node", "output_nr", "ownership_token", "count", "index"), shown_as=GradientEdge)
    for cls in (saved_tensors_hooks, save_on_cpu, _AllowMutationOnSavedContext):
        allow(cls)
    return {
        "saved_tensors_hooks": saved_tensors_hooks,
        "save_on_cpu": save_on_cpu,
        "allow_mutation_on_saved_tensors": allow_mutation_on_saved_tensors,
        "Node": OpaqueType(Node),
        "disable_saved_tensors_hooks": disable_saved_tensors_hooks,
        "GradientEdge": GradientEdge,
        "get_gradient_edge": get_gradient_edge,
        "increment_version": increment_version,
        "register_multi_grad_hook": register_multi_grad_hook,
    }
