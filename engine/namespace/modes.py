"""``no_grad``, ``enable_grad`` and ``set_grad_enabled``: context managers that also decorate functions."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Any

from engine.state import STATE


class GradMode:
    """Sets the grad mode inside a ``with`` block, or inside a decorated function."""

    mode: bool

    def __init__(self) -> None:
        self.before = STATE.grad

    def __enter__(self) -> None:
        self.before, STATE.grad = STATE.grad, self.mode

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        STATE.grad = self.before

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """``@torch.no_grad()``: the mode inside every call of the function."""
        mode = self.mode

        def inside(*args: Any, **kwargs: Any) -> Any:
            before, STATE.grad = STATE.grad, mode
            try:
                return function(*args, **kwargs)
            finally:
                STATE.grad = before

        inside.__name__ = getattr(function, "__name__", "function")
        return inside


class no_grad(GradMode):
    """Nothing inside is recorded for gradients."""

    mode = False

    def __new__(cls, function: Callable[..., Any] | None = None) -> Any:
        mode = super().__new__(cls)
        if function is None:
            return mode
        mode.__init__()  # type: ignore[misc]  # `@torch.no_grad` without brackets
        return mode(function)

    def __init__(self, function: None = None) -> None:
        super().__init__()


class enable_grad(no_grad):
    """What is inside is recorded for gradients, also within ``no_grad``."""

    mode = True


class set_grad_enabled(GradMode):
    """Switches the mode at once; as a context manager, until the end of the block."""

    def __init__(self, mode: bool) -> None:
        super().__init__()
        self.mode = bool(mode)
        STATE.grad = self.mode

    def __enter__(self) -> None:
        STATE.grad = self.mode


def is_grad_enabled() -> bool:
    """Whether operations are recorded for gradients."""
    return STATE.grad
