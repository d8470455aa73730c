"""``torch.amp``, ``torch.cpu.amp`` and ``torch.cuda.amp`` as in a PyTorch without a graphics card: the last only warns."""

from __future__ import annotations

import enum
from collections.abc import Callable, Collection, Iterable
from functools import partial
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.namespace.nn.state_dict import write
from gradflow.engine.namespace.public.autocast import (
    NAMES,
    CpuAutocast,
    CudaAutocast,
    autocast,
    deprecated,
    is_autocast_available,
    passing,
)
from gradflow.engine.namespace.tensor_arguments import need
from gradflow.engine.registry import REGISTRY
from gradflow.engine.sandbox.gate import allow, type_name
from gradflow.engine.state import warn
from gradflow.engine.tensor import Tensor


class _Stage(enum.Enum):
    READY = 0
    UNSCALED = 1
    STEPPED = 2


class GradScaler:
    """Scales a loss, so that small gradients in float16 do not vanish, and unscales the gradients before a step.

    Raises RuntimeError where `unscale_` and `step` are called in another order, AssertionError for factors that make no
    sense. Source: https://pytorch.org/docs/stable/amp.html
    """

    _card = "torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling."

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        self._on = enabled and device != "cuda"
        if enabled and not self._on:
            warn(self._card)
        if self._on and growth_factor <= 1.0:
            raise errors.MODULE_ASSERTION(message="The growth factor must be > 1.0.")
        if self._on and backoff_factor >= 1.0:
            raise errors.MODULE_ASSERTION(message="The backoff factor must be < 1.0.")
        self._factor: Tensor | None = None
        self._first, self._grows, self._shrinks, self._interval = (
            init_scale,
            growth_factor,
            backoff_factor,
            growth_interval,
        )
        self._good_steps = 0
        self._stages: dict[int, tuple[_Stage, bool]] = {}

    def scale(self, outputs: Any) -> Any:
        """A tensor, or each of several, times the scale."""
        if not self._on:
            return outputs
        if isinstance(outputs, Tensor):
            if self._factor is None:
                self._factor = Tensor(np.asarray(self._first, np.float32))
            return REGISTRY["mul"].call(outputs, need(self._factor, "mul"))
        if isinstance(outputs, Iterable):
            scaled = map(self.scale, outputs)
            return type(outputs)(scaled) if type(outputs) in (list, tuple) else scaled  # type: ignore[call-arg]  # these two
        raise errors.MODULE_ARGUMENT(message="outputs must be a Tensor or an iterable of Tensors")

    def unscale_(self, optimizer: Any) -> None:
        """Divide the gradients of an optimizer by the scale."""
        if not self._on:
            return
        factor = _begun(self, "unscale_")
        stage, _ = self._stages.get(id(optimizer), (_Stage.READY, False))
        if stage is _Stage.UNSCALED:
            message = "unscale_() has already been called on this optimizer since the last update()."
            raise errors.MODULE_RUNTIME(message=message)
        if stage is _Stage.STEPPED:
            raise errors.MODULE_RUNTIME(message="unscale_() is being called after step().")
        inverse = np.float32(1 / np.float64(factor._a))
        held = [p for group in optimizer.param_groups for p in group["params"] if isinstance(p, Tensor)]
        grads = [p._grad for p in held if p._grad is not None]
        if any(grad._a.dtype == np.float16 for grad in grads):
            raise errors.MODULE_ARGUMENT(message="Attempting to unscale FP16 gradients.")
        finite = all(bool(np.isfinite(grad._a).all()) for grad in grads)
        for grad in grads:
            write(grad, grad._a * grad._a.dtype.type(inverse))
        if not grads:
            raise errors.MODULE_ASSERTION(message="No inf checks were recorded for this optimizer.")
        self._stages[id(optimizer)] = (_Stage.UNSCALED, finite)

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """The step of an optimizer; left out where a gradient is not finite."""
        if not self._on:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            message = "Closure use is not currently supported if GradScaler is enabled."
            raise errors.MODULE_RUNTIME(message=message)
        _begun(self, "step")
        stage, _ = self._stages.get(id(optimizer), (_Stage.READY, False))
        if stage is _Stage.STEPPED:
            raise errors.MODULE_RUNTIME(message="step() has already been called since the last update().")
        if stage is _Stage.READY:
            self.unscale_(optimizer)
        _, finite = self._stages[id(optimizer)]
        result = optimizer.step(*args, **kwargs) if finite else None
        self._stages[id(optimizer)] = (_Stage.STEPPED, finite)
        return result

    def update(self, new_scale: Any = None) -> None:
        """After the steps: a smaller scale where one was left out, a larger one after many good steps."""
        if not self._on:
            return
        factor = _begun(self, "update")
        if new_scale is not None:
            write(factor, np.asarray(new_scale._a if isinstance(new_scale, Tensor) else new_scale, np.float32))
        elif not self._stages:
            raise errors.MODULE_ASSERTION(message="No inf checks were recorded prior to update.")
        elif all(finite for _, finite in self._stages.values()):
            self._good_steps += 1
            if self._good_steps == self._interval:
                grown = factor._a * np.float32(self._grows)
                self._good_steps = 0
                if np.isfinite(grown):
                    write(factor, grown)
        else:
            write(factor, factor._a * np.float32(self._shrinks))
            self._good_steps = 0
        self._stages = {}

    def get_scale(self) -> float:
        """The scale; 1 where nothing is scaled."""
        if not self._on:
            return 1.0
        return float(self._first if self._factor is None else need(self._factor, "get_scale")._a)

    def is_enabled(self) -> bool:
        """Whether anything is scaled."""
        return self._on

    def get_growth_factor(self) -> float:
        """By what the scale grows."""
        return self._grows

    def set_growth_factor(self, new_factor: float) -> None:
        """Set by what the scale grows."""
        self._grows = new_factor

    def get_backoff_factor(self) -> float:
        """By what the scale shrinks."""
        return self._shrinks

    def set_backoff_factor(self, new_factor: float) -> None:
        """Set by what the scale shrinks."""
        self._shrinks = new_factor

    def get_growth_interval(self) -> int:
        """After how many good steps the scale grows."""
        return self._interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Set after how many good steps the scale grows."""
        self._interval = new_interval

    def state_dict(self) -> dict[str, Any]:
        """The settings; empty where nothing is scaled."""
        if not self._on:
            return {}
        return {
            "scale": self.get_scale(),
            "growth_factor": self._grows,
            "backoff_factor": self._shrinks,
            "growth_interval": self._interval,
            "_growth_tracker": self._good_steps,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over settings. Raises RuntimeError for empty ones."""
        if not self._on:
            return
        if not state_dict:
            raise errors.MODULE_RUNTIME(
                message="The source state dict is empty, possibly because it was saved from a disabled instance of"
                " GradScaler."
            )
        self._first, self._grows = state_dict["scale"], state_dict["growth_factor"]
        self._shrinks, self._interval = state_dict["backoff_factor"], state_dict["growth_interval"]
        self._good_steps = state_dict["_growth_tracker"]
        if self._factor is not None:
            write(self._factor, np.asarray(self._first, np.float32))


def _begun(scaler: GradScaler, function: str) -> Tensor:
    if scaler._factor is None:
        raise errors.MODULE_ASSERTION(
            message=f"Attempted {function} but _scale is None.  This may indicate your script did not use"
            " scaler.scale(loss or outputs) earlier in the iteration."
        )
    factor: Tensor = need(scaler._factor, function)
    return factor


class _CudaGradScaler(GradScaler):
    """`GradScaler` under its name of before."""

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        deprecated("torch.cuda.amp.GradScaler(args...)", "torch.amp.GradScaler('cuda', args...)")
        super().__init__("cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled)


def _custom(function: Any = None, *, device_type: str, cast_inputs: Any = None) -> Any:
    """``forward`` or ``backward`` of a custom Function, as it is: its inputs are not cast on the CPU."""
    if not isinstance(device_type, str):
        shown = f"<class '{type_name(device_type)}'>"
        raise errors.MODULE_ARGUMENT(message=f"Expected `device_type` of type `str`, got: `{shown}`")
    return partial(_custom, device_type=device_type) if function is None else passing(function)


def custom_fwd(fwd: Any = None, *, device_type: str, cast_inputs: Any = None) -> Any:
    """A decorator for ``forward``: outside of regions of mixed precision it changes nothing."""
    return _custom(fwd, device_type=device_type, cast_inputs=cast_inputs)


def custom_bwd(bwd: Any = None, *, device_type: str) -> Any:
    """A decorator for ``backward``: outside of regions of mixed precision it changes nothing."""
    return _custom(bwd, device_type=device_type)


def _of_before(name: str) -> Callable[..., Any]:
    def custom(function: Any = None, *, cast_inputs: Any = None) -> Any:
        deprecated(f"torch.cuda.amp.{name}(args...)", f"torch.amp.{name}(args..., device_type='cuda')")
        return _custom(function, device_type="cuda")

    custom.__name__ = custom.__qualname__ = name
    return custom


def members() -> dict[str, dict[str, Any]]:
    """What the modules show, by their full names."""
    methods = [name for name in vars(GradScaler) if not name.startswith("_")]
    shown: tuple[tuple[type, str, Collection[str]], ...] = (
        (GradScaler, "amp.grad_scaler.GradScaler", methods),
        (_CudaGradScaler, "cuda.amp.grad_scaler.GradScaler", methods),
        (autocast, "amp.autocast_mode.autocast", ("device", "fast_dtype")),
        (CpuAutocast, "cpu.amp.autocast_mode.autocast", ("device", "fast_dtype")),
        (CudaAutocast, "cuda.amp.autocast_mode.autocast", ("device", "fast_dtype")),
    )
    for cls, path, names in shown:
        home, _, name = path.rpartition(".")
        cls.__name__, cls.__qualname__, cls.__module__ = name, name, f"torch.{home}"
        allow(cls, names, subclass=True)
    today = {"autocast": autocast, "GradScaler": GradScaler, "custom_fwd": custom_fwd, "custom_bwd": custom_bwd}
    before: dict[str, Any] = {"autocast": CudaAutocast, "GradScaler": _CudaGradScaler}
    before |= {name: _of_before(name) for name in ("custom_fwd", "custom_bwd")}
    return {
        "torch": {**NAMES, "GradScaler": GradScaler},
        "torch.amp": {**today, "is_autocast_available": is_autocast_available},
        "torch.cpu.amp": {"autocast": CpuAutocast},
        "torch.cuda.amp": before,
        "torch.cuda.amp.common": {"amp_definitely_not_available": lambda: True},
    }
