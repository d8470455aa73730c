"""``torch.optim.swa_utils``: averages of the parameters that a training comes through.

Source: P. Izmailov et al., Averaging weights leads to wider optima and better generalization (2018).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any

from gradflow.engine import errors
from gradflow.engine.namespace.layers.norm import _BatchNorm
from gradflow.engine.namespace.nn.module import Module
from gradflow.engine.namespace.nn.state_dict import write
from gradflow.engine.namespace.optim.optimizer import Group, Optimizer
from gradflow.engine.namespace.optim.schedulers import LRScheduler
from gradflow.engine.namespace.tensor_arguments import has
from gradflow.engine.registry import REGISTRY
from gradflow.engine.sandbox.library.copies import deepcopy
from gradflow.engine.state import grad_mode
from gradflow.engine.tensor import Tensor

Average = Callable[[Any, Any, Any], Any]


class AveragedModel(Module):
    """A copy of a model whose parameters are averages of those that the model has had."""

    n_averaged: Tensor

    def __init__(
        self,
        model: Module,
        device: Any = None,
        avg_fn: Average | None = None,
        multi_avg_fn: Average | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise errors.MODULE_ASSERTION(message="Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        self.register_buffer("n_averaged", REGISTRY["full"].call((), 0, None))
        self.avg_fn, self.multi_avg_fn, self.use_buffers = avg_fn, multi_avg_fn, use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the averaged model computes."""
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Module) -> None:
        """Take the parameters of the model into the averages."""
        own, new = (
            list(chain[Tensor](m.parameters(), m.buffers() if self.use_buffers else ())) for m in (self.module, model)
        )
        averages, current = ([has(p, "detach").detach() for p in part] for part in (own, new))
        with grad_mode(False):
            if int(self.n_averaged._a) == 0:
                _copy(averages, current)
            elif self.multi_avg_fn is not None:
                for part in _by_dtype(averages, current):
                    self.multi_avg_fn(*part, self.n_averaged)
            else:
                function = self.avg_fn or get_swa_avg_fn()
                _copy(averages, [function(a, c, self.n_averaged) for a, c in zip(averages, current, strict=True)])
            if not self.use_buffers:
                _copy(list(self.module.buffers()), list(model.buffers()))
        write(self.n_averaged, self.n_averaged._a + 1)


def _by_dtype(averages: list[Tensor], current: list[Tensor]) -> Iterator[tuple[list[Tensor], list[Tensor]]]:
    """The pairs in groups of one dtype: counts, too, lie among the buffers."""
    for dtype in dict.fromkeys(each._a.dtype for each in averages):
        places = [place for place, each in enumerate(averages) if each._a.dtype == dtype]
        yield [averages[place] for place in places], [current[place] for place in places]


def _copy(targets: Iterable[Tensor], values: Iterable[Tensor]) -> None:
    for target, value in zip(targets, values, strict=True):
        write(target, has(value, "detach")._a)


def _checked(decay: float) -> None:
    if decay < 0.0 or decay > 1.0:
        raise errors.OPTIMIZER_ARGUMENT(
            message=f"Invalid decay value {decay} provided. Please provide a value in [0,1] range."
        )


def get_ema_avg_fn(decay: float = 0.999) -> Average:
    """decay * average + (1 - decay) * parameter."""
    _checked(decay)

    def ema_update(ema_param: Any, current_param: Any, num_averaged: Any) -> Any:
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn() -> Average:
    """The mean of all parameters so far."""

    def swa_update(averaged_param: Any, current_param: Any, num_averaged: Any) -> Any:
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


def get_ema_multi_avg_fn(decay: float = 0.999) -> Average:
    """`get_ema_avg_fn` for all parameters at once."""
    _checked(decay)
    return _at_once(lambda _: 1 - decay)


def get_swa_multi_avg_fn() -> Average:
    """`get_swa_avg_fn` for all parameters at once."""
    return _at_once(lambda count: 1 / (float(count) + 1))


def _at_once(weight: Callable[[Any], float]) -> Average:
    def update(averages: Any, current: Any, num_averaged: Any) -> None:
        with grad_mode(False):
            for average, new in zip(averages, current, strict=True):
                share = weight(num_averaged)
                if has(average, "lerp_")._a.dtype.kind in "fcV":
                    average.lerp_(new, share)
                else:
                    average.copy_(average * (1 - share) + new * share)

    return update


def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Running statistics of all batch normalisations from the batches of a loader."""
    layers = {module: module.momentum for module in model.modules() if isinstance(module, _BatchNorm)}
    if not layers:
        return
    training = model.training
    model.train()
    with grad_mode(False):
        for layer in layers:
            layer.reset_running_stats()
            layer.momentum = None
        for batch in loader:
            model(batch[0] if isinstance(batch, list | tuple) else batch)
    for layer, momentum in layers.items():
        layer.momentum = momentum
    model.train(training)


class SWALR(LRScheduler):
    """The learning rate goes to a constant over some epochs."""

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: Any,
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        rates = list(swa_lr) if isinstance(swa_lr, list | tuple) else [swa_lr] * len(optimizer.param_groups)
        for rate, group in zip(rates, optimizer.param_groups, strict=True):
            group["swa_lr"] = rate
        if anneal_strategy not in ("cos", "linear"):
            message = f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            raise errors.OPTIMIZER_ARGUMENT(message=message)
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            message = f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}"
            raise errors.OPTIMIZER_ARGUMENT(message=message)
        self._anneal_strategy, self.anneal_epochs = anneal_strategy, anneal_epochs
        super().__init__(optimizer, last_epoch)

    def rate(self, group: Group, base: float) -> float:
        """The learning rate of one group."""
        step = self._step_count - 1
        step = max(1, step) if self.anneal_epochs == 0 else step
        before, now, goal = _share(self, step - 1), _share(self, step), group["swa_lr"]
        first = goal if before == 1 else (group["lr"] - before * goal) / (1 - before)
        return goal * now + first * (1 - now)


def _share(scheduler: SWALR, step: int) -> float:
    t = max(0, min(1, step / max(1, scheduler.anneal_epochs)))
    return (1 - math.cos(math.pi * t)) / 2 if scheduler._anneal_strategy == "cos" else t


CLASSES = (AveragedModel, SWALR)
FUNCTIONS = {
    f.__name__: f for f in (get_ema_avg_fn, get_swa_avg_fn, get_ema_multi_avg_fn, get_swa_multi_avg_fn, update_bn)
}
