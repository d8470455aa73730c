"""Modes: ``no_grad``, ``enable_grad``, ``set_grad_enabled``, ``inference_mode``, anomaly detection.

Context managers; those of the grad mode also decorate functions.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import isgeneratorfunction
from types import TracebackType
from typing import Any

from gradflow.engine import errors
from gradflow.engine.dispatch.argument_messages import type_title
from gradflow.engine.namespace.tensor_arguments import no_method
from gradflow.engine.state import STATE, warn

_Modes = tuple[bool, bool]
ANOMALY_WARNING = (
    "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for debugging."
)

_CLASS_WARNING = (
    "Decorating classes is deprecated and will be disabled in future versions. You should only decorate functions or"
    " methods. To preserve the current behavior of class decoration, you can directly decorate the `__init__` method"
    " and nothing else."
)


def _switch(modes: _Modes) -> None:
    """Set the modes. What a custom Function computes with gradients of its own is a graph that the trace shows."""
    STATE.grad, STATE.inference = modes
    if STATE.recorder_outside is not None:
        STATE.recorder = STATE.recorder_outside if STATE.grad else None


class GradMode:
    """Sets the grad mode inside a ``with`` block, or inside a decorated function."""

    mode: bool
    kept_in = "prev"
    """Where PyTorch keeps the mode of before."""

    def __init__(self) -> None:
        self.before: _Modes | None = None

    def modes(self) -> _Modes:
        """The grad mode and the inference mode inside."""
        return self.mode, STATE.inference

    def __enter__(self) -> None:
        self.before = STATE.grad, STATE.inference
        _switch(self.modes())

    def __exit__(
        self, cls: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.before is None:
            raise no_method(self, self.kept_in)
        _switch(self.before)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """``@torch.no_grad()``: the mode inside every call of the function."""
        if isinstance(function, type):
            warn(_CLASS_WARNING, "FutureWarning")
        if isgeneratorfunction(function):
            return self._generator(function)

        def inside(*args: Any, **kwargs: Any) -> Any:
            before = STATE.grad, STATE.inference
            _switch(self.modes())
            try:
                return function(*args, **kwargs)
            finally:
                _switch(before)

        return _named(inside, function)

    def _generator(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def inside(*args: Any, **kwargs: Any) -> Any:
            running = function(*args, **kwargs)
            try:
                with self:
                    value = next(running)
                while True:
                    try:
                        sent = yield value
                    except GeneratorExit:
                        with self:
                            running.close()
                        raise
                    except BaseException as error:
                        with self:
                            value = running.throw(error)
                    else:
                        with self:
                            value = running.send(sent)
            except StopIteration as stop:
                return stop.value

        return _named(inside, function)


def _named(wrapper: Callable[..., Any], function: Callable[..., Any]) -> Callable[..., Any]:
    for name in ("__name__", "__qualname__", "__doc__"):
        setattr(wrapper, name, getattr(function, name, None))
    wrapper.__wrapped__ = function  # type: ignore[attr-defined]  # as functools.wraps has it
    return wrapper


class no_grad(GradMode):
    """Nothing inside is recorded for gradients."""

    mode = False

    def __new__(cls, orig_func: Callable[..., Any] | None = None) -> Any:
        mode = super().__new__(cls)
        if orig_func is None:
            return mode
        mode.__init__()  # type: ignore[misc]  # `@torch.no_grad` without brackets
        return mode(orig_func)

    def __init__(self, orig_func: None = None) -> None:
        super().__init__()
        self.before = False, STATE.inference  # a block that has not begun ends without gradients, as in PyTorch


class enable_grad(no_grad):
    """What is inside is recorded for gradients, also within ``no_grad``."""

    mode = True

    def __init__(self, orig_func: None = None) -> None:
        super().__init__()
        self.before = None

    def modes(self) -> _Modes:
        return not STATE.inference, STATE.inference


def flag(value: object, function: str, argument: str, position: int) -> bool:
    """An argument that says yes or no. Raises TypeError, as PyTorch's C++ function does, for all but Python's own bool."""
    if not isinstance(value, bool):
        title = type_title(value)
        raise errors.ARGUMENT_TYPE(
            function=function, argument=argument, position=position, expected="bool", actual=title
        )
    return value


class set_grad_enabled(GradMode):
    """Switches the mode at once; as a context manager, until the end of the block."""

    def __init__(self, mode: bool) -> None:
        self.before: _Modes = STATE.grad, STATE.inference
        self.mode = flag(mode, "set_grad_enabled", "enabled", 1)
        STATE.grad = self.mode

    def __enter__(self) -> None:
        STATE.grad = self.mode

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        STATE.grad, _ = self.before
        return _Decorating(self.mode)(function)

    def __repr__(self) -> str:
        return f"torch.autograd.grad_mode.set_grad_enabled(mode={self.mode})"


class _Decorating(GradMode):
    def __init__(self, mode: bool) -> None:
        super().__init__()
        self.mode = mode


class inference_mode(GradMode):
    """Nothing inside is recorded for gradients, and what is made inside cannot be used in a graph later."""

    kept_in = "_inference_mode_context"

    def __new__(cls, mode: Any = True) -> Any:
        made = super().__new__(cls)
        if isinstance(mode, bool):
            return made
        made.__init__(True)  # type: ignore[misc]  # `@torch.inference_mode` without brackets
        return made(mode)

    def __init__(self, mode: bool = True) -> None:
        super().__init__()
        self.mode = mode
        STATE.special = True

    def modes(self) -> _Modes:
        return (False, True) if self.mode else (True, False) if STATE.inference else (STATE.grad, False)


class set_detect_anomaly:
    """Switches anomaly detection at once; as a context manager, until the end of the block."""

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self.before = STATE.anomaly, STATE.check_nan
        flag(mode, "set_anomaly_enabled", "enabled", 1)
        flag(check_nan, "set_anomaly_enabled", "check_nan", 2)
        STATE.anomaly, STATE.check_nan, STATE.special = mode, check_nan, True

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        STATE.anomaly, STATE.check_nan = self.before


class detect_anomaly:
    """Inside, a NaN in a gradient is an error, and a failing backward tells of its forward call."""

    def __init__(self, check_nan: bool = True) -> None:
        warn(ANOMALY_WARNING)
        self.check_nan = check_nan
        self.before = STATE.anomaly, STATE.check_nan

    def __enter__(self) -> None:
        self.before = STATE.anomaly, STATE.check_nan
        STATE.anomaly, STATE.check_nan, STATE.special = True, self.check_nan, True

    def __exit__(self, *_: object) -> None:
        STATE.anomaly, STATE.check_nan = self.before


def is_grad_enabled() -> bool:
    """Whether operations are recorded for gradients."""
    return STATE.grad


def is_inference_mode_enabled() -> bool:
    """Whether inference mode is on."""
    return STATE.inference


def is_anomaly_enabled() -> bool:
    """Whether anomaly detection is on."""
    return STATE.anomaly


def is_anomaly_check_nan_enabled() -> bool:
    """Whether anomaly detection looks for NaN."""
    return STATE.check_nan


MODES = {
    each.__name__: each
    for each in (
        no_grad,
        enable_grad,
        set_grad_enabled,
        inference_mode,
        is_grad_enabled,
        is_inference_mode_enabled,
        is_anomaly_enabled,
        is_anomaly_check_nan_enabled,
    )
}
"""The modes that are names of ``torch`` itself."""
