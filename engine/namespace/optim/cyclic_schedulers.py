"""Schedules that go up and down. Sources: L. Smith, Cyclical learning rates (2015) and Super-convergence (2017)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from gradflow.engine import errors
from gradflow.engine.namespace.optim.optimizer import Optimizer
from gradflow.engine.namespace.optim.schedulers import LRScheduler

_NO_MOMENTUM = "optimizer must support momentum or beta1 with `cycle_momentum` option enabled"


def _for_groups(name: str, optimizer: Optimizer, value: Any) -> list[Any]:
    """One value for each group. Raises ValueError where a list has another length."""
    if not isinstance(value, list | tuple):
        return [value] * len(optimizer.param_groups)
    if len(value) != len(optimizer.param_groups):
        count = len(optimizer.param_groups)
        raise errors.OPTIMIZER_ARGUMENT(
            message=f"{name} must have the same length as optimizer.param_groups. {name} has"
            f" {len(value)} values, param_groups has {count}."
        )
    return list(value)


class _WithMomentum(LRScheduler):
    """What both schedules do with the momentum, or with the first beta."""

    cycle_momentum: bool
    use_beta1: bool


def _begin_momentum(scheduler: _WithMomentum, base: Any, most: Any, begin: bool) -> tuple[list[float], list[float]]:
    optimizer = scheduler.optimizer
    if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
        raise errors.OPTIMIZER_ARGUMENT(message=_NO_MOMENTUM)
    scheduler.use_beta1 = "betas" in optimizer.defaults
    lows = _for_groups("base_momentum", optimizer, base)
    highs = _for_groups("max_momentum", optimizer, most)
    for low, high, group in zip(lows, highs, optimizer.param_groups, strict=True):
        if begin:
            _put_momentum(scheduler, group, high)
            group["max_momentum"], group["base_momentum"] = high, low
    return lows, highs


def _put_momentum(scheduler: _WithMomentum, group: dict[str, Any], value: float) -> None:
    if scheduler.use_beta1:
        group["betas"] = (value, *group["betas"][1:])
    else:
        group["momentum"] = value


def _cosine(start: float, end: float, part: float) -> float:
    return end + (start - end) / 2.0 * (math.cos(math.pi * part) + 1)


def _line(start: float, end: float, part: float) -> float:
    return (end - start) * part + start


class OneCycleLR(_WithMomentum):
    """Up to ``max_lr`` and down to nearly 0, in ``total_steps`` steps; the momentum goes the other way."""

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: Any,
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: Any = 0.85,
        max_momentum: Any = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        self.optimizer = checked_optimizer(optimizer)
        self.total_steps = _total(total_steps, epochs, steps_per_epoch)
        self._schedule_phases = _phases(pct_start, self.total_steps, three_phase)
        if not isinstance(pct_start, float) or not 0 <= pct_start <= 1:
            raise errors.OPTIMIZER_ARGUMENT(message=f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise errors.OPTIMIZER_ARGUMENT(
                message=f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        self._anneal_func_type = anneal_strategy
        highs = _for_groups("max_lr", optimizer, max_lr)
        if last_epoch == -1:
            for group, high in zip(optimizer.param_groups, highs, strict=True):
                group["initial_lr"], group["max_lr"] = high / div_factor, high
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            _begin_momentum(self, base_momentum, max_momentum, last_epoch == -1)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The learning rates of this step; sets the momentum."""
        self.warn_outside()
        if self.last_epoch > self.total_steps:
            raise errors.OPTIMIZER_ARGUMENT(
                message=f"Tried to step {self.last_epoch} times. The specified number of total steps is"
                f" {self.total_steps}"
            )
        between = _cosine if self._anneal_func_type == "cos" else _line
        start, phase = 0.0, self._schedule_phases[-1]
        for each in self._schedule_phases:
            phase = each
            if self.last_epoch <= each["end_step"] or each is self._schedule_phases[-1]:
                break
            start = each["end_step"]
        part = (self.last_epoch - start) / (phase["end_step"] - start)
        if self.cycle_momentum:
            for group in self.optimizer.param_groups:
                value = between(group[phase["start_momentum"]], group[phase["end_momentum"]], part)
                _put_momentum(self, group, value)
        return [between(g[phase["start_lr"]], g[phase["end_lr"]], part) for g in self.optimizer.param_groups]


def checked_optimizer(optimizer: Any) -> Optimizer:
    """The optimizer. Raises TypeError for anything else."""
    if not isinstance(optimizer, Optimizer):
        raise errors.MODULE_TYPE(message=f"{type(optimizer).__name__} is not an Optimizer")
    return optimizer


def _total(total: int | None, epochs: int | None, steps: int | None) -> int:
    given = {"total_steps": total} if total is not None else {"epochs": epochs, "steps_per_epoch": steps}
    if any(value is None for value in given.values()):
        raise errors.OPTIMIZER_ARGUMENT(message="You must define either total_steps OR (epochs AND steps_per_epoch)")
    result = 1
    for name, value in given.items():
        if not isinstance(value, int) or value <= 0:
            raise errors.OPTIMIZER_ARGUMENT(message=f"Expected positive integer {name}, but got {value}")
        result *= value
    return result


def _phases(part: float, total: int, three: bool) -> list[dict[str, Any]]:
    """Where each phase ends, and between which values it goes."""
    up = ("initial_lr", "max_lr", "max_momentum", "base_momentum")
    ends = [(float(part * total) - 1, up)]
    if three:
        ends.append((float(2 * part * total) - 2, ("max_lr", "initial_lr", "base_momentum", "max_momentum")))
        ends.append((total - 1, ("initial_lr", "min_lr", "max_momentum", "max_momentum")))
    else:
        ends.append((total - 1, ("max_lr", "min_lr", "base_momentum", "max_momentum")))
    names = ("start_lr", "end_lr", "start_momentum", "end_momentum")
    return [{"end_step": end, **dict(zip(names, values, strict=True))} for end, values in ends]


class CyclicLR(_WithMomentum):
    """Between two learning rates, up and down again and again."""

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: Any,
        max_lr: Any,
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: Any = 0.8,
        max_momentum: Any = 0.9,
        last_epoch: int = -1,
    ) -> None:
        self.optimizer = checked_optimizer(optimizer)
        lows = _for_groups("base_lr", optimizer, base_lr)
        if last_epoch == -1:
            for group, low in zip(optimizer.param_groups, lows, strict=True):
                group["lr"] = low
        self.max_lrs = _for_groups("max_lr", optimizer, max_lr)
        up, down = float(step_size_up), float(step_size_up if step_size_down is None else step_size_down)
        self.total_size, self.step_ratio = up + down, up / (up + down)
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise errors.OPTIMIZER_ARGUMENT(message="mode is invalid and scale_fn is None")
        self.mode, self.gamma, self._scale_fn_custom, self.scale_mode = mode, gamma, scale_fn, scale_mode
        if scale_fn is None:
            self.scale_mode = "iterations" if mode == "exp_range" else "cycle"
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.base_momentums, self.max_momentums = _begin_momentum(
                self, base_momentum, max_momentum, last_epoch == -1
            )
        super().__init__(optimizer, last_epoch)
        self.base_lrs = lows

    def scale_fn(self, x: float) -> float:
        """How high the cycle with this number goes, or this step."""
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        if self.mode == "exp_range":
            return self.gamma**x
        return 1 / (2.0 ** (x - 1)) if self.mode == "triangular2" else 1.0

    def get_lr(self) -> list[Any]:
        """The learning rates of this step; sets the momentum."""
        self.warn_outside()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        height = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        scaled = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            bounds = zip(self.base_momentums, self.max_momentums, self.optimizer.param_groups, strict=True)
            for low, high, group in bounds:
                _put_momentum(self, group, high - (high - low) * height * scaled)
        return [low + (high - low) * height * scaled for low, high in zip(self.base_lrs, self.max_lrs, strict=True)]

    def state_dict(self) -> dict[str, Any]:
        """All but the optimizer and the program's function."""
        own = super().state_dict()
        del own["_scale_fn_custom"]
        return {**own, "_scale_fn_custom": None}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take the state of another schedule, but for the function."""
        super().load_state_dict({k: v for k, v in state_dict.items() if k != "_scale_fn_custom"})


CLASSES = (OneCycleLR, CyclicLR)
