"""``torch.optim.lr_scheduler``: how the learning rate changes from epoch to epoch.

Source of the cosine schedules: I. Loshchilov and F. Hutter, SGDR (2016).
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.namespace.nn.state_dict import write
from gradflow.engine.namespace.optim.optimizer import Group, Optimizer
from gradflow.engine.sandbox.rules import is_closed
from gradflow.engine.sandbox.special_names import is_special
from gradflow.engine.state import STATE, warn
from gradflow.engine.tensor import Tensor

_ORDER = (
    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you should call"
    " them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to do this will result in"
    " PyTorch skipping the first value of the learning rate schedule. See more details at"
    " https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
)


_EPOCH = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please use"
    " `scheduler.step()` to step the scheduler. During the deprecation, if epoch is different from None, the closed form"
    " is used instead of the new chainable form, where available. Please open an issue if you are unable to replicate your"
    " use case: https://github.com/pytorch/pytorch/issues/new/choose."
)
_OUTSIDE = "To get the last learning rate computed by the scheduler, please use `get_last_lr()`."
_RESUME = (
    "param 'initial_lr' is not specified in param_groups[{index}] when resuming scheduler with last_epoch >= 0.\n"
    "This typically happens when:\n"
    "1. You're trying to resume training from a checkpoint but haven't properly loaded the optimizer state\n"
    "2. You're using last_epoch >= 0 for a fresh training run (not recommended)"
)


def note_step() -> None:
    """Leave a mark in the trace: a schedule goes on."""
    if STATE.recorder is not None:
        STATE.recorder.chronology.marked()


class LRScheduler:
    """The base of the schedules: ``last_epoch`` counts the steps."""

    _get_lr_called_within_step = False

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        if not isinstance(optimizer, Optimizer):
            raise errors.MODULE_TYPE(message=f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer = optimizer
        for index, group in enumerate(optimizer.param_groups):
            if last_epoch != -1 and "initial_lr" not in group:
                raise errors.RESUMED_SCHEDULE(message=_RESUME.format(index=index))
            group.setdefault("initial_lr", group["lr"])
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self._last_lr: list[float]
        if not optimizer._tracked:
            optimizer._tracked, optimizer._stepped = True, False
        self.begin()

    def begin(self) -> None:
        """The first step, which sets the learning rates of the beginning."""
        self._step_count = 0
        self._is_initial = True
        self.step()
        self._is_initial = False

    def get_last_lr(self) -> list[float]:
        """The learning rates in use."""
        return self._last_lr

    def warn_outside(self) -> None:
        """Warn where a program asks for the rates of an epoch itself."""
        if not self._get_lr_called_within_step:
            warn(_OUTSIDE)

    def get_lr(self) -> list[Any]:
        """The learning rates of this epoch."""
        self.warn_outside()
        return [self.rate(group, base) for group, base in zip(self.optimizer.param_groups, self.base_lrs, strict=True)]

    def rate(self, group: Group, base: float) -> float:
        """The learning rate of one group; most schedules define this."""
        raise NotImplementedError

    def closed(self, base: float) -> float:
        """The learning rate of this epoch from the initial one, for a jump to an epoch."""
        return self.rate({"lr": base}, base)

    def step(self, epoch: int | None = None) -> None:
        """On to the next epoch, or to a given one."""
        note_step()
        if self._step_count == 1 and not self.optimizer._stepped:
            warn(_ORDER)
        self._step_count += 1
        if epoch is not None:
            warn(_EPOCH)
        self.update(epoch)

    def update(self, epoch: int | None) -> None:
        """Set the learning rates of the next epoch, or of a given one."""
        self._get_lr_called_within_step = True
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        own = epoch is None or type(self).get_lr is not LRScheduler.get_lr
        rates = self.get_lr() if own else [self.closed(base) for base in self.base_lrs]
        self._get_lr_called_within_step = False
        for group, lr in zip(self.optimizer.param_groups, rates, strict=True):
            if isinstance(group["lr"], Tensor):
                write(group["lr"], np.asarray(lr._a if isinstance(lr, Tensor) else lr))
            else:
                group["lr"] = lr
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """All but the optimizer."""
        return {name: value for name, value in vars(self).items() if name != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take the state of another schedule."""
        take_state(self, state_dict, "optimizer")


def take_state(schedule: LRScheduler, state: dict[str, Any], but: str) -> None:
    """What a schedule has by the names of a state, but one, and none that its class keeps for itself."""
    given = {k: v for k, v in state.items() if type(k) is str}  # others could pass for one name and be another
    kept = {but, *(k for k in given if is_special(k) or is_closed(type(schedule), k))}
    vars(schedule).update({k: v for k, v in given.items() if k in vars(schedule) and k not in kept})


class StepLR(LRScheduler):
    """lr *= gamma every ``step_size`` epochs."""

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def rate(self, group: Group, base: float) -> float:
        """lr, or lr * gamma."""
        turn = self.last_epoch != 0 and self.last_epoch % self.step_size == 0
        return group["lr"] * self.gamma if turn else group["lr"]

    def closed(self, base: float) -> float:
        """The learning rate of this epoch."""
        return base * self.gamma ** (self.last_epoch // self.step_size)


class MultiStepLR(LRScheduler):
    """lr *= gamma at each milestone."""

    def __init__(
        self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.milestones, self.gamma = Counter(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def rate(self, group: Group, base: float) -> float:
        """lr * gamma for each milestone at this epoch."""
        times = self.milestones.get(self.last_epoch, 0)
        return group["lr"] * self.gamma**times if times else group["lr"]

    def closed(self, base: float) -> float:
        """The learning rate of this epoch."""
        return base * self.gamma ** bisect_right(sorted(self.milestones.elements()), self.last_epoch)


class ExponentialLR(LRScheduler):
    """lr *= gamma every epoch."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def rate(self, group: Group, base: float) -> float:
        """lr * gamma."""
        return group["lr"] * self.gamma if self.last_epoch else group["lr"]

    def closed(self, base: float) -> float:
        """The learning rate of this epoch."""
        return base * self.gamma**self.last_epoch


class _WithFunctions(LRScheduler):
    """One function of the epoch, or one for each group."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Any, last_epoch: int = -1) -> None:
        count = len(optimizer.param_groups)
        self.lr_lambdas = list(lr_lambda) if isinstance(lr_lambda, list | tuple) else [lr_lambda] * count
        if len(self.lr_lambdas) != count:
            raise errors.OPTIMIZER_ARGUMENT(message=f"Expected {count} lr_lambdas, but got {len(self.lr_lambdas)}")
        super().__init__(optimizer, last_epoch)

    def state_dict(self) -> dict[str, Any]:
        """All but the optimizer and the functions."""
        own = super().state_dict()
        del own["lr_lambdas"]
        return {**own, "lr_lambdas": [None] * len(self.lr_lambdas)}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take the state of another schedule, but for the functions."""
        super().load_state_dict({k: v for k, v in state_dict.items() if k != "lr_lambdas"})


class LambdaLR(_WithFunctions):
    """The initial learning rate times a function of the epoch."""

    def get_lr(self) -> list[Any]:
        """base * f(epoch)."""
        self.warn_outside()
        return [base * f(self.last_epoch) for f, base in zip(self.lr_lambdas, self.base_lrs, strict=True)]


class MultiplicativeLR(_WithFunctions):
    """lr *= a function of the epoch."""

    def get_lr(self) -> list[Any]:
        """lr * f(epoch)."""
        self.warn_outside()
        groups = zip(self.optimizer.param_groups, self.lr_lambdas, strict=True)
        return [g["lr"] * f(self.last_epoch) if self.last_epoch > 0 else g["lr"] for g, f in groups]


class CosineAnnealingLR(LRScheduler):
    """From the initial learning rate to ``eta_min`` along half a cosine of ``T_max`` epochs."""

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def rate(self, group: Group, base: float) -> float:
        """The next point of the cosine, from the last one."""
        epoch, length, least, lr = self.last_epoch, self.T_max, self.eta_min, group["lr"]
        if epoch == 0:
            return lr
        if (epoch - 1 - length) % (2 * length) == 0:
            return lr + (base - least) * (1 - math.cos(math.pi / length)) / 2
        now, before = (1 + math.cos(math.pi * e / length) for e in (epoch, epoch - 1))
        return now / before * (lr - least) + least

    def closed(self, base: float) -> float:
        """The learning rate of this epoch."""
        part = (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / 2
        return self.eta_min + (base - self.eta_min) * part


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half a cosine, begun anew every ``T_0`` epochs, each ``T_mult`` times as long as the one before."""

    def __init__(
        self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        if not isinstance(T_0, int) or T_0 <= 0:
            raise errors.OPTIMIZER_ARGUMENT(message=f"Expected positive integer T_0, but got {T_0}")
        if not isinstance(T_mult, int) or T_mult < 1:
            raise errors.OPTIMIZER_ARGUMENT(message=f"Expected integer T_mult >= 1, but got {T_mult}")
        self.T_0, self.T_i, self.T_mult, self.eta_min, self.T_cur = T_0, T_0, T_mult, eta_min, last_epoch
        super().__init__(optimizer, last_epoch)

    def step(self, epoch: Any = None) -> None:
        """On to the next epoch, or to a place between two epochs."""
        note_step()
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur -= self.T_i
                self.T_i *= self.T_mult
        else:
            _jump(self, epoch)
        self.last_epoch = math.floor(epoch)
        self._get_lr_called_within_step = True
        rates = self.get_lr()
        self._get_lr_called_within_step = False
        for group, lr in zip(self.optimizer.param_groups, rates, strict=True):
            group["lr"] = lr
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    def rate(self, group: Group, base: float) -> float:
        """The point of the cosine."""
        return self.eta_min + (base - self.eta_min) * (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2


def _jump(scheduler: CosineAnnealingWarmRestarts, epoch: Any) -> None:
    """To a given place."""
    if epoch < 0:
        raise errors.OPTIMIZER_ARGUMENT(message=f"Expected non-negative epoch, but got {epoch}")
    if epoch < scheduler.T_0:
        scheduler.T_i, scheduler.T_cur = scheduler.T_0, epoch
    elif scheduler.T_mult == 1:
        scheduler.T_i, scheduler.T_cur = scheduler.T_0, epoch % scheduler.T_0
    else:
        n = int(math.log(epoch / scheduler.T_0 * (scheduler.T_mult - 1) + 1, scheduler.T_mult))
        scheduler.T_cur = epoch - scheduler.T_0 * (scheduler.T_mult**n - 1) / (scheduler.T_mult - 1)
        scheduler.T_i = scheduler.T_0 * scheduler.T_mult**n


class LinearLR(LRScheduler):
    """A factor that goes from one value to another in ``total_iters`` epochs."""

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if not 0 < start_factor <= 1.0:
            raise errors.OPTIMIZER_ARGUMENT(
                message="Starting multiplicative factor expected to be greater than 0 and less or equal to 1."
            )
        if not 0 <= end_factor <= 1.0:
            raise errors.OPTIMIZER_ARGUMENT(message="Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    def rate(self, group: Group, base: float) -> float:
        """The next point of the line, from the last one."""
        lr, epoch, start = group["lr"], self.last_epoch, self.start_factor
        if epoch == 0:
            return lr * start
        if epoch > self.total_iters:
            return lr
        width = self.end_factor - start
        return lr * (1.0 + width / (self.total_iters * start + (epoch - 1) * width))

    def closed(self, base: float) -> float:
        """The learning rate of this epoch."""
        width = self.end_factor - self.start_factor
        return base * (self.start_factor + width * min(self.total_iters, self.last_epoch) / self.total_iters)


class ConstantLR(LRScheduler):
    """A factor for the first ``total_iters`` epochs."""

    def __init__(
        self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1
    ) -> None:
        if not 0 <= factor <= 1.0:
            raise errors.OPTIMIZER_ARGUMENT(message="Constant multiplicative factor expected to be between 0 and 1.")
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def rate(self, group: Group, base: float) -> float:
        """lr with the factor, or without it again."""
        lr = group["lr"]
        if self.last_epoch == 0:
            return lr * self.factor
        return lr * (1.0 / self.factor) if self.last_epoch == self.total_iters else lr

    def closed(self, base: float) -> float:
        """The learning rate of this epoch."""
        return base * (self.factor + (self.last_epoch >= self.total_iters) * (1 - self.factor))


class PolynomialLR(LRScheduler):
    """To 0 in ``total_iters`` epochs, along a power."""

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def rate(self, group: Group, base: float) -> float:
        """The next point of the curve, from the last one."""
        epoch, total = self.last_epoch, self.total_iters
        if epoch == 0 or epoch > total:
            return group["lr"]
        decay = ((1.0 - epoch / total) / (1.0 - (epoch - 1) / total)) ** self.power
        return group["lr"] * decay

    def closed(self, base: float) -> float:
        """The learning rate of this epoch."""
        part = min(self.total_iters, self.last_epoch) / self.total_iters
        return base * (1.0 - part) ** self.power


CLASSES: tuple[type[LRScheduler], ...] = (
    LRScheduler, StepLR, MultiStepLR, ExponentialLR, LambdaLR, MultiplicativeLR, CosineAnnealingLR,
    CosineAnnealingWarmRestarts, LinearLR, ConstantLR, PolynomialLR,
)  # fmt: skip
