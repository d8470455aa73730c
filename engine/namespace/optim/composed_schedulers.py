"""Schedules of schedules, and the schedule that follows a measure."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Any

from gradflow.engine import errors
from gradflow.engine.namespace.optim.optimizer import Optimizer
from gradflow.engine.namespace.optim.schedulers import LRScheduler, note_step, take_state
from gradflow.engine.sandbox.gate import type_name

_PLATEAU = (
    "{name} does not support `ReduceLROnPlateau` scheduler as it requires additional kwargs to be specified when calling"
    " `step`, but got one at index {index} in the given schedulers sequence."
)
_OTHER = (
    "{name} expects all schedulers to belong to the same optimizer, but got scheduler {scheduler} at index {index} has"
    " {theirs}, which is different from {ours}."
)
_COUNTS = (
    "Sequential Schedulers expects number of schedulers provided to be one more than the number of milestone points, but"
    " got number of schedulers {schedulers} and the number of milestones to be equal to {milestones}"
)


class _OfSeveral(LRScheduler):
    """What holds several schedules of one optimizer."""

    _schedulers: Sequence[LRScheduler]

    def state_dict(self) -> dict[str, Any]:
        """All but the optimizer, with the states of the schedules."""
        own = {k: v for k, v in vars(self).items() if k not in ("optimizer", "_schedulers")}
        return {**own, "_schedulers": [each.state_dict() for each in self._schedulers]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take the state of another such schedule."""
        take_state(self, state_dict, "_schedulers")
        for each, state in zip(self._schedulers, state_dict["_schedulers"], strict=True):
            each.load_state_dict(state)

    def rates_now(self) -> list[Any]:
        """The learning rates in use."""
        return [group["lr"] for group in self.optimizer.param_groups]


def _check(scheduler: _OfSeveral, schedulers: Sequence[Any], optimizer: Any, what: str) -> None:
    name = type(scheduler).__name__
    if len(schedulers) < 1:
        raise errors.OPTIMIZER_ARGUMENT(message=f"{name} expects at least one scheduler{what}, but got no scheduler.")
    optimizer = optimizer or schedulers[0].optimizer
    for index, each in enumerate(schedulers):
        if not isinstance(each, LRScheduler):
            raise errors.MODULE_TYPE(message=f"{name} at index {index} should have `optimizer` as its attribute.")
        if isinstance(each, ReduceLROnPlateau):
            raise errors.OPTIMIZER_ARGUMENT(message=_PLATEAU.format(name=name, index=index))
        if each.optimizer is not optimizer:
            kinds = {"scheduler": type(each).__name__, "ours": type(optimizer).__name__}
            raise errors.OPTIMIZER_ARGUMENT(
                message=_OTHER.format(name=name, index=index, theirs=each.optimizer, **kinds)
            )


class ChainedScheduler(_OfSeveral):
    """Several schedules at once, one upon the other."""

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None) -> None:
        schedulers = list(schedulers)  # once: what is checked is what is kept
        _check(self, schedulers, optimizer, " to be chained")
        self._schedulers, self.optimizer = schedulers, optimizer or schedulers[0].optimizer
        self._last_lr = self.rates_now()

    def step(self) -> None:  # type: ignore[override]  # as in PyTorch
        """On to the next epoch in all of them."""
        note_step()
        for each in self._schedulers:
            each.step()
        self._last_lr = self.rates_now()


class SequentialLR(_OfSeveral):
    """One schedule after another, changed at the milestones."""

    def __init__(
        self, optimizer: Optimizer, schedulers: list[LRScheduler], milestones: list[int], last_epoch: int = -1
    ) -> None:
        schedulers = list(schedulers)
        _check(self, schedulers, optimizer, "")
        if len(milestones) != len(schedulers) - 1:
            raise errors.OPTIMIZER_ARGUMENT(
                message=_COUNTS.format(schedulers=len(schedulers), milestones=len(milestones))
            )
        self._schedulers, self._milestones = schedulers, milestones
        self.last_epoch, self.optimizer = last_epoch + 1, optimizer
        for group in optimizer.param_groups:
            group["lr"] = group["initial_lr"]
        _undo(schedulers)
        first = schedulers[bisect_right(milestones, 0)]
        first.begin()
        self._last_lr = first.get_last_lr()

    def step(self) -> None:  # type: ignore[override]  # as in PyTorch
        """On to the next epoch."""
        note_step()
        self.last_epoch += 1
        index = bisect_right(self._milestones, self.last_epoch)
        now = self._schedulers[index]
        if index > 0 and self._milestones[index - 1] == self.last_epoch:
            now.update(0)
        else:
            now.step()
        self._last_lr = now.get_last_lr()


def _undo(schedules: Iterable[Any]) -> None:
    """Take back the first step of every schedule. Raises TypeError for anything else, which a program could have put there."""
    for each in schedules:
        if not issubclass(type(each), LRScheduler):
            raise TypeError(f"a schedule is expected, not {type_name(each)}")
        if isinstance(each, _OfSeveral):
            _undo(each._schedulers)
        else:
            each.last_epoch -= 1


class ReduceLROnPlateau(LRScheduler):
    """lr *= factor when a measure has not improved for ``patience`` epochs."""

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: Any = 0,
        eps: float = 1e-8,
    ) -> None:
        if factor >= 1.0:
            raise errors.OPTIMIZER_ARGUMENT(message="Factor should be < 1.0.")
        if mode not in ("min", "max"):
            raise errors.OPTIMIZER_ARGUMENT(message=f"mode {mode} is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise errors.OPTIMIZER_ARGUMENT(message=f"threshold mode {threshold_mode} is unknown!")
        if not isinstance(optimizer, Optimizer):
            raise errors.MODULE_TYPE(message=f"{type(optimizer).__name__} is not an Optimizer")
        groups = optimizer.param_groups
        self.factor, self.optimizer = factor, optimizer  # in the order in which the state is shown
        self.default_min_lr = min_lr if not isinstance(min_lr, list | tuple) else None
        self.min_lrs = list(min_lr) if isinstance(min_lr, list | tuple) else [min_lr] * len(groups)
        self.patience, self.cooldown, self.eps, self.last_epoch = patience, cooldown, eps, 0
        self._last_lr = [group["lr"] for group in groups]
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self.mode, self.threshold, self.threshold_mode = mode, threshold, threshold_mode
        self._reset()

    def _reset(self) -> None:
        self.best, self.cooldown_counter, self.num_bad_epochs = self.mode_worse, 0, 0

    @property
    def in_cooldown(self) -> bool:
        """Whether the rate was reduced not long ago."""
        return self.cooldown_counter > 0

    def is_better(self, a: float, best: float) -> bool:
        """Whether a measure is better by more than the threshold."""
        by = 1 if self.mode == "max" else -1
        bound = best * (1 + by * self.threshold) if self.threshold_mode == "rel" else best + by * self.threshold
        return a > bound if self.mode == "max" else a < bound

    def step(self, metrics: Any, epoch: int | None = None) -> None:  # type: ignore[override]  # as in PyTorch
        """On to the next epoch, with the measure of this one."""
        note_step()
        current = float(metrics)
        self.last_epoch += 1
        if self.is_better(current, self.best):
            self.best, self.num_bad_epochs = current, 0
        else:
            self.num_bad_epochs += 1
        if self.cooldown_counter > 0:
            self.cooldown_counter, self.num_bad_epochs = self.cooldown_counter - 1, 0
        if self.num_bad_epochs > self.patience:
            _reduce(self)
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]


def _reduce(scheduler: ReduceLROnPlateau) -> None:
    for group, least in zip(scheduler.optimizer.param_groups, scheduler.min_lrs, strict=True):
        new = max(group["lr"] * scheduler.factor, least)
        if group["lr"] - new > scheduler.eps:
            group["lr"] = new


CLASSES = (ChainedScheduler, SequentialLR, ReduceLROnPlateau)
