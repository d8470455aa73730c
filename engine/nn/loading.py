"""State of modules out and in, and what else works on all tensors of a module."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from engine import errors
from engine.guards import type_name
from engine.state import STATE
from engine.tensor import Tensor

if TYPE_CHECKING:
    from engine.nn.module import Module


class IncompatibleKeys(namedtuple("IncompatibleKeys", ("missing_keys", "unexpected_keys"))):
    """Which paths were missing and which were unknown."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"_{super().__repr__()}" if any(self) else "<All keys matched successfully>"

    __str__ = __repr__


def save(module: Module, result: dict[str, Any], prefix: str, keep: bool) -> None:
    """Add the state of a module to ``result``."""
    lasting = {n: b for n, b in module._buffers.items() if n not in module._non_persistent_buffers_set}
    for name, held in (*module._parameters.items(), *lasting.items()):
        if held is not None:
            result[prefix + name] = held if keep else Tensor(held._a, held._st)
    for name, child in module._modules.items():
        if child is not None:
            child.state_dict(destination=result, prefix=f"{prefix}{name}.", keep_vars=keep)


def load(module: Module, given: Any, strict: bool) -> IncompatibleKeys:
    """Copy the values of ``given`` into a module."""
    if not hasattr(given, "items"):
        raise errors.STATE_TYPE(type=type_name(given))
    own = module.state_dict(keep_vars=True)
    whole = hasattr(given, "_metadata")  # older states, and dictionaries of the program, need no count of batches
    missing = [name for name in own if name not in given and (whole or not name.endswith("num_batches_tracked"))]
    unexpected = [name for name in given if name not in own]
    complaints = []
    if strict and missing:
        complaints.append(f"Missing key(s) in state_dict: {_quoted(missing)}. ")
    if strict and unexpected:
        complaints.append(f"Unexpected key(s) in state_dict: {_quoted(unexpected)}. ")
    complaints += [c for name, held in own.items() if name in given for c in _fill(name, held, given[name])]
    if complaints:
        raise errors.STATE_LOADING(type=type(module).__name__, complaints="\n\t".join(complaints))
    return IncompatibleKeys(missing, unexpected)


def _quoted(names: list[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _fill(name: str, held: Tensor, new: Tensor) -> Iterable[str]:
    if held._a.shape != new._a.shape:
        yield (
            f"size mismatch for {name}: copying a param with shape {new.shape} from checkpoint,"
            f" the shape in current model is {held.shape}."
        )
    else:
        write(held, new._a)


def write(tensor: Tensor, array: np.ndarray) -> None:
    """New values for a tensor, in place and outside the graph."""
    tensor._st.before_write()
    tensor._a[...] = array
    tensor._st.version += 1


def zero_grads(tensors: Iterable[Tensor], forget: bool) -> None:
    """Forget gradients, or set them to 0."""
    for tensor in tensors:
        if tensor._grad is None:
            continue
        if forget:
            tensor._grad = None
        else:
            tensor._grad = Tensor(tensor._grad._a, tensor._grad._st) if tensor._grad._node is not None else tensor._grad
            write(tensor._grad, np.zeros_like(tensor._grad._a))
            if STATE.recorder is not None:
                STATE.recorder.assigned_grad(tensor, tensor._grad)


class BackwardHooks:
    """The full backward hooks of one call: they run when the gradients of its inputs are known."""

    def __init__(self, module: Module, hooks: list[Callable[..., Any]]) -> None:
        self.module, self.hooks = module, hooks
        self.grad_inputs: list[Tensor | None] = []
        self.grad_outputs: list[Tensor | None] = []
        self.count = 0

    def inputs(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments, watched; an alias stands for each, since its gradient in this call alone is wanted."""
        self.grad_inputs = [None] * sum(isinstance(a, Tensor) for a in args)
        result, index = [], 0
        for arg in args:
            if isinstance(arg, Tensor):
                result.append(self._watched(arg, index))
                index += 1
            else:
                result.append(arg)
        return tuple(result)

    def _watched(self, arg: Tensor, index: int) -> Tensor:
        if not (arg.requires_grad and STATE.grad):
            return arg
        alias: Tensor = arg.view_as(arg)  # type: ignore[attr-defined]  # installed from the composites
        self.count += 1

        def seen(grad: Tensor) -> Any:
            self.grad_inputs[index] = grad
            self.count -= 1
            changed = self._run() if not self.count else None
            return changed[index] if changed is not None else None

        alias.register_hook(seen)  # type: ignore[attr-defined]  # installed from the registry
        return alias

    def outputs(self, result: Any) -> Any:
        """The outputs, watched."""
        outs = result if isinstance(result, tuple) else (result,)
        self.grad_outputs = [None] * len(outs)
        for index, out in enumerate(outs):
            if isinstance(out, Tensor) and out.requires_grad:
                out.register_hook(self._noting(index))  # type: ignore[attr-defined]  # installed from the registry
        return result

    def _noting(self, index: int) -> Callable[[Tensor], None]:
        def note(grad: Tensor) -> None:
            self.grad_outputs[index] = grad
            if not any(g is not None for g in self.grad_inputs) and not self.count:
                self._run()

        return note

    def _run(self) -> tuple[Tensor | None, ...] | None:
        changed = None
        for hook in self.hooks:
            given = changed if changed is not None else tuple(self.grad_inputs)
            answer = hook(self.module, given, tuple(self.grad_outputs))
            changed = changed if answer is None else answer if isinstance(answer, tuple) else (answer,)
        return changed
