"""Hooks: functions of the program that a backward pass calls at a tensor or at a node."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from gradflow.engine import errors
from gradflow.engine.ordered_dict import OrderedDict
from gradflow.engine.state import STATE
from gradflow.engine.tensor import Size, Tensor, dtypes

if TYPE_CHECKING:
    from gradflow.engine.autograd.node import Node


class RemovableHandle:
    """What registering a hook gives: removes the hook again, also at the end of a ``with`` block."""

    def __init__(self, hooks: dict[int, Any]) -> None:
        self._hooks, self.id = hooks, next(STATE.handles)

    def remove(self) -> None:
        """Stop calling the hook."""
        self._hooks.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()

    def __repr__(self) -> str:
        return f"<torch.utils.hooks.RemovableHandle object at {id(self):#x}>"


def register(hooks: dict[int, Any], hook: Callable[..., Any]) -> RemovableHandle:
    """Add a hook to a table of them."""
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle


def _type_of(value: object) -> str:
    """The name of a type as C++ has it: with the module, for those that are no classes of Python's."""
    return "torch.Size" if isinstance(value, Size) else type(value).__name__


def register_hook(self: Tensor, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle:
    """Call ``hook`` with the gradient of this tensor in every pass; what it returns takes the gradient's place."""
    if not self.requires_grad:
        raise errors.HOOK_NO_GRAD(subject=self)
    node = self.grad_fn
    if node is None:
        self._hooks = self._hooks or {0: {}}
        return register(self._hooks[0], hook)
    node.on_fast_path, node.hooks = False, node.hooks or {}
    return register(node.hooks.setdefault(self._nr, {}), hook)


def backward_hooks(self: Tensor) -> OrderedDict[int, Any] | None:
    """The hooks of a tensor; None while it has had none."""
    node = self.grad_fn
    table = self._hooks if node is None else node.hooks
    own = None if table is None else table.get(0 if node is None else self._nr)
    return None if own is None else OrderedDict(own)


def register_post_accumulate_grad_hook(self: Tensor, hook: Callable[[Tensor], None]) -> RemovableHandle:
    """Call ``hook`` with this leaf after every pass that has added to its ``.grad``."""
    if not self.requires_grad:
        raise errors.HOOK_NO_GRAD(subject=self)
    if self.grad_fn is not None:
        raise errors.HOOK_NON_LEAF(subject=self)
    self._post_hooks = self._post_hooks or {}
    return register(self._post_hooks, hook)


def refused_result(returned: Any) -> Exception:
    """What is raised where a hook of an accumulated gradient returns something else than its tensor."""
    if isinstance(returned, Tensor):
        return errors.HOOK_RESULT(message="Tensor post accumulate grad hooks should return None.")
    return errors.HOOK_TYPE(message=f"expected Variable, but hook returned '{_type_of(returned)}'")


def noted(table: dict[int, Any] | None, node: Node, number: int | None = None) -> Iterator[Any]:
    """The hooks of a table, each noted by the recorder before it runs; ``number``: of an output of the function."""
    for hook in list((table or {}).values()):
        if STATE.recorder is not None:
            STATE.recorder.chronology.hooked(node, number)
        yield hook


# -- calling them ------------------------------------------------------------------------------------------------------


def replaced(hook: Callable[..., Any], given: Tensor | None, result: Any) -> Tensor | None:
    """What a hook returned for one gradient, checked. Raises TypeError, RuntimeError."""
    if result is None:
        return given
    if given is None:
        raise errors.HOOK_RESULT(message="can't replace a None gradient with a non-None value")
    if not isinstance(result, Tensor):
        raise errors.HOOK_TYPE(message=f"expected Variable, but hook returned '{_type_of(result)}'")
    name = getattr(hook, "__name__", "<unknown>")
    if result._a.dtype != given._a.dtype:
        was, got = (f"torch.{dtypes.of(t._a).legacy}Tensor" for t in (given, result))
        raise errors.HOOK_RESULT(message=f"hook '{name}' has changed the type of value (was {was} got {got})")
    if result._a.shape != given._a.shape:
        raise errors.HOOK_SIZE(name=name)
    return result


def replaced_all(hook: Callable[..., Any], given: tuple[Tensor | None, ...], result: Any) -> tuple[Tensor | None, ...]:
    """What a hook of a node returned for its tuple of gradients, checked. Raises TypeError, RuntimeError."""
    if result is None:
        return given
    if not isinstance(result, tuple):
        raise errors.HOOK_TYPE(message=f"expected tuple, but hook returned '{_type_of(result)}'")
    if len(result) != len(given):
        name = getattr(hook, "__name__", "<unknown>")
        raise errors.HOOK_RESULT(
            message=f"hook '{name}' has returned an incorrect number of values (got {len(result)}, but expected"
            f" {len(given)})"
        )
    return tuple(None if b is None else replaced(hook, a, b) for a, b in zip(given, result, strict=True))
