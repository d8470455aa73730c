"""What a program does under PyTorch, in its order: passes, zeroing, writes, optimizer steps and prints.

Passes, steps and prints are told by wrappers; writes and zeroing are found by comparing, at every line of the program,
the leaves that its names lead to with what they were.
"""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import torch
from torch import nn
from torch.optim.optimizer import register_optimizer_step_post_hook

FILE = "<program>"
State = dict[str, tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]]
"""By name: a leaf, its values, its gradient."""


class Recording:
    """The events of one run, and the values of every leaf over time."""

    def __init__(self, source: str) -> None:
        self.events: list[tuple[Any, ...]] = []
        self.values: dict[str, list[torch.Tensor]] = {}
        self.namespace: dict[str, Any] = {"__name__": "__main__", "print": self.print}
        self.state: State = {}
        with self.watching():
            exec(compile(source, FILE, "exec"), self.namespace)
        self.compare()

    def print(self, *given: Any, **options: Any) -> None:
        self.compare()
        text = io.StringIO()
        print(*given, **options, file=text)
        self.events.append(("print", text.getvalue()))

    # -- leaves ---------------------------------------------------------------------------------------------------

    def leaves(self) -> dict[str, torch.Tensor]:
        """The leaves that require a gradient, by the names that lead to them."""
        found = {}
        for name, held in list(self.namespace.items()):
            if isinstance(held, nn.Module):
                found |= {f"{name}.{path}": p for path, p in held.named_parameters()}
            elif isinstance(held, torch.Tensor) and held.is_leaf and held.requires_grad and not name.startswith("_"):
                found[name] = held
        return found

    def compare(self) -> None:
        """Tell what was written or zeroed since the last time."""
        zeroed: dict[str, list[str]] = {}
        for name, leaf in self.leaves().items():
            if name in self.state and self.state[name][0] is leaf:
                _, value, grad = self.state[name]
                if not torch.equal(value, leaf.detach()):
                    self.events.append(("write", name))
                    self.values[name].append(leaf.detach().clone())
                self._compare_grad(name, grad, leaf.grad, zeroed)
        self.events += [("zero", sorted(names), to) for to, names in zeroed.items()]
        self.take()

    def _compare_grad(
        self, name: str, before: torch.Tensor | None, now: torch.Tensor | None, zeroed: dict[str, list[str]]
    ) -> None:
        if before is not None and now is None:
            zeroed.setdefault("none", []).append(name)
        elif now is not None and (before is None or not torch.equal(before, now)):
            if now.any():
                self.events.append(("write grad", name))
            else:
                zeroed.setdefault("zeros", []).append(name)

    def take(self) -> None:
        """Remember the leaves as they are; a new one has its first value."""
        known, self.state = self.state, {}
        for name, leaf in self.leaves().items():
            grad = None if leaf.grad is None else leaf.grad.detach().clone()
            self.state[name] = leaf, leaf.detach().clone(), grad
            if name not in known or known[name][0] is not leaf:
                self.values[name] = [leaf.detach().clone()]

    # -- what is watched ------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """Wrap what begins a pass, hear of steps, and look at every line."""
        own = torch.autograd.backward, torch.autograd.grad
        torch.autograd.backward, torch.autograd.grad = (self.passing(each) for each in own)
        handle = register_optimizer_step_post_hook(self.stepped)
        sys.settrace(self.trace)
        try:
            yield
        finally:
            sys.settrace(None)
            handle.remove()
            torch.autograd.backward, torch.autograd.grad = own

    def passing(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            self.compare()
            self.events.append(("pass",))
            result = function(*args, **kwargs)
            self.take()
            return result

        return call

    def stepped(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        if not type(optimizer).__module__.startswith("torch."):
            return  # the program's own: its writes are told as they come
        changed = []
        for name, leaf in self.leaves().items():
            if name in self.state and not torch.equal(self.state[name][1], leaf.detach()):
                changed.append(name)
                self.values[name].append(leaf.detach().clone())
        self.events.append(("step", type(optimizer).__name__, sorted(changed)))
        self.take()

    def trace(self, frame: FrameType, event: str, argument: Any) -> Any:
        if frame.f_code.co_filename != FILE:
            return None
        if event == "line":
            self.compare()
        return self.trace
