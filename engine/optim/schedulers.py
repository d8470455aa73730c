"""``torch.optim.lr_scheduler``: how the learning rate changes from epoch to epoch.

Source of the cosine schedules: I. Loshchilov and F. Hutter, SGDR (2016).
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from typing import Any

from engine import errors
from engine.optim.optimizer import Group, Optimizer
from engine.state import warn

_ORDER = (
    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you should call"
    " them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to do this will result in"
    " PyTorch skipping the first value of the learning rate schedule. See more details at"
    " https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
)


class LRScheduler:
    """The base of the schedules: ``last_epoch`` counts the steps."""

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        self.optimizer, self.last_epoch = optimizer, last_epoch
        for group in optimizer.param_groups:
            group.setdefault("initial_lr", group["lr"])
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self._last_lr: list[float] = []
        self._step_count = 0
        optimizer.stepped = False
        self.step()

    def get_last_lr(self) -> list[float]:
        """The learning rates in use."""
        return self._last_lr

    def get_lr(self) -> list[Any]:
        """The learning rates of this epoch."""
        return [self.rate(group, base) for group, base in zip(self.optimizer.param_groups, self.base_lrs, strict=True)]

    def rate(self, group: Group, base: float) -> float:
        """The learning rate of one group; most schedules define this."""
        raise NotImplementedError

    def closed(self, base: float) -> float:
        """The learning rate of this epoch from the initial one, for a jump to an epoch."""
        return self.rate({"lr": base}, base)

    def step(self, epoch: int | None = None) -> None:
        """On to the next epoch, or to a given one."""
        if self._step_count == 1 and not self.optimizer.stepped:
            warn(_ORDER)
        self._step_count += 1
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        self.use(self.get_lr() if epoch is None else [self.closed(base) for base in self.base_lrs])

    def use(self, rates: list[float]) -> None:
        """Set the learning rates."""
        for group, lr in zip(self.optimizer.param_groups, rates, strict=True):
            group["lr"] = lr
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """All but the optimizer."""
        return {name: value for name, value in vars(self).items() if name != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take the state of another schedule."""
        vars(self).update({k: v for k, v in state_dict.items() if k in vars(self) and k != "optimizer"})


class StepLR(LRScheduler):
    """lr *= gamma every ``step_size`` epochs."""

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def rate(self, group: Group, base: float) -> float:
        """lr, or lr * gamma."""
        turn = self.last_epoch != 0 and self.last_epoch % self.step_size == 0
        return group["lr"] * self.gamma if turn else group["lr"]  # type: ignore[no-any-return]  # a float

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
        return group["lr"] * self.gamma**times if times else group["lr"]  # type: ignore[no-any-return]  # a float

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
        return group["lr"] * self.gamma if self.last_epoch else group["lr"]  # type: ignore[no-any-return]  # a float

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


class LambdaLR(_WithFunctions):
    """The initial learning rate times a function of the epoch."""

    def get_lr(self) -> list[Any]:
        """base * f(epoch)."""
        return [base * f(self.last_epoch) for f, base in zip(self.lr_lambdas, self.base_lrs, strict=True)]


class MultiplicativeLR(_WithFunctions):
    """lr *= a function of the epoch."""

    def get_lr(self) -> list[Any]:
        """lr * f(epoch)."""
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
            return lr  # type: ignore[no-any-return]  # a float
        if (epoch - 1 - length) % (2 * length) == 0:
            return lr + (base - least) * (1 - math.cos(math.pi / length)) / 2  # type: ignore[no-any-return]  # a float
        now, before = (1 + math.cos(math.pi * e / length) for e in (epoch, epoch - 1))
        return now / before * (lr - least) + least  # type: ignore[no-any-return]  # a float

    def closed(self, base: float) -> float:
        """The learning rate of this epoch."""
        part = (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / 2
        return self.eta_min + (base - self.eta_min) * part


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half a cosine, begun anew every ``T_0`` epochs, each ``T_mult`` times as long as the one before."""

    def __init__(
        self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        self.T_0, self.T_i, self.T_mult, self.eta_min, self.T_cur = T_0, T_0, T_mult, eta_min, last_epoch
        super().__init__(optimizer, last_epoch)

    def step(self, epoch: int | None = None) -> None:
        """On to the next epoch."""
        self.T_cur += 1
        if self.T_cur >= self.T_i:
            self.T_cur -= self.T_i
            self.T_i *= self.T_mult
        super().step(epoch)

    def rate(self, group: Group, base: float) -> float:
        """The point of the cosine."""
        return self.eta_min + (base - self.eta_min) * (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2


class LinearLR(LRScheduler):
    """A factor that goes from one value to another in ``total_iters`` epochs."""

    def __init__(
        self, optimizer: Optimizer, start_factor: float = 1.0 / 3, end_factor: float = 1.0, total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:  # fmt: skip
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    def rate(self, group: Group, base: float) -> float:
        """The next point of the line, from the last one."""
        lr, epoch, start = group["lr"], self.last_epoch, self.start_factor
        if epoch == 0:
            return lr * start  # type: ignore[no-any-return]  # a float
        if epoch > self.total_iters:
            return lr  # type: ignore[no-any-return]  # a float
        width = self.end_factor - start
        return lr * (1.0 + width / (self.total_iters * start + (epoch - 1) * width))  # type: ignore[no-any-return]  # a float

    def closed(self, base: float) -> float:
        """The learning rate of this epoch."""
        width = self.end_factor - self.start_factor
        return base * (self.start_factor + width * min(self.total_iters, self.last_epoch) / self.total_iters)


class ConstantLR(LRScheduler):
    """A factor for the first ``total_iters`` epochs."""

    def __init__(
        self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1
    ) -> None:
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def rate(self, group: Group, base: float) -> float:
        """lr with the factor, or without it again."""
        lr = group["lr"]
        if self.last_epoch == 0:
            return lr * self.factor  # type: ignore[no-any-return]  # a float
        return lr * (1.0 / self.factor) if self.last_epoch == self.total_iters else lr  # type: ignore[no-any-return]  # a float

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
            return group["lr"]  # type: ignore[no-any-return]  # a float
        decay = ((1.0 - epoch / total) / (1.0 - (epoch - 1) / total)) ** self.power
        return group["lr"] * decay  # type: ignore[no-any-return]  # a float

    def closed(self, base: float) -> float:
        """The learning rate of this epoch."""
        part = min(self.total_iters, self.last_epoch) / self.total_iters
        return base * (1.0 - part) ** self.power  # type: ignore[no-any-return]  # a float


class SequentialLR(LRScheduler):
    """One schedule after another, changed at the milestones."""

    def __init__(
        self, optimizer: Optimizer, schedulers: list[LRScheduler], milestones: list[int], last_epoch: int = -1
    ) -> None:
        self.schedulers, self.milestones = schedulers, milestones
        self.optimizer, self.last_epoch = optimizer, last_epoch + 1
        for group in optimizer.param_groups:
            group["lr"] = group["initial_lr"]
        for scheduler in schedulers:
            scheduler.last_epoch -= 1
        schedulers[0]._step_count = 0
        schedulers[0].step()
        self._last_lr = schedulers[0].get_last_lr()

    def step(self, epoch: int | None = None) -> None:
        """On to the next epoch."""
        self.last_epoch += 1
        index = bisect_right(self.milestones, self.last_epoch)
        now = self.schedulers[index]
        now.step(0) if index > 0 and self.milestones[index - 1] == self.last_epoch else now.step()
        self._last_lr = now.get_last_lr()


class ReduceLROnPlateau(LRScheduler):
    """lr *= factor when a measure has not improved for ``patience`` epochs."""

    def __init__(
        self, optimizer: Optimizer, mode: str = "min", factor: float = 0.1, patience: int = 10, threshold: float = 1e-4,
        threshold_mode: str = "rel", cooldown: int = 0, min_lr: Any = 0, eps: float = 1e-8,
    ) -> None:  # fmt: skip
        if factor >= 1.0:
            raise errors.OPTIMIZER_ARGUMENT(message="Factor should be < 1.0.")
        if mode not in ("min", "max"):
            raise errors.OPTIMIZER_ARGUMENT(message=f"mode {mode} is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise errors.OPTIMIZER_ARGUMENT(message=f"threshold mode {threshold_mode} is unknown!")
        self.optimizer, self.mode, self.factor, self.patience = optimizer, mode, factor, patience
        self.threshold, self.threshold_mode, self.cooldown, self.eps = threshold, threshold_mode, cooldown, eps
        groups = optimizer.param_groups
        self.min_lrs = list(min_lr) if isinstance(min_lr, list | tuple) else [min_lr] * len(groups)
        self.best = math.inf if mode == "min" else -math.inf
        self.num_bad_epochs = self.cooldown_counter = self.last_epoch = 0
        self._last_lr = [group["lr"] for group in groups]

    def is_better(self, a: float, best: float) -> bool:
        """Whether a measure is better by more than the threshold."""
        by = 1 if self.mode == "max" else -1
        bound = best * (1 + by * self.threshold) if self.threshold_mode == "rel" else best + by * self.threshold
        return a > bound if self.mode == "max" else a < bound

    def step(self, metrics: Any, epoch: int | None = None) -> None:  # type: ignore[override]  # as in PyTorch
        """On to the next epoch, with the measure of this one."""
        current = float(metrics)
        self.last_epoch += 1
        if self.is_better(current, self.best):
            self.best, self.num_bad_epochs = current, 0
        else:
            self.num_bad_epochs += 1
        if self.cooldown_counter > 0:
            self.cooldown_counter, self.num_bad_epochs = self.cooldown_counter - 1, 0
        if self.num_bad_epochs > self.patience:
            self._reduce()
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    def _reduce(self) -> None:
        for group, least in zip(self.optimizer.param_groups, self.min_lrs, strict=True):
            new = max(group["lr"] * self.factor, least)
            if group["lr"] - new > self.eps:
                group["lr"] = new


CLASSES: tuple[type[LRScheduler], ...] = (
    LRScheduler, StepLR, MultiStepLR, ExponentialLR, LambdaLR, MultiplicativeLR, CosineAnnealingLR,
    CosineAnnealingWarmRestarts, LinearLR, ConstantLR, PolynomialLR, SequentialLR, ReduceLROnPlateau,
)  # fmt: skip
