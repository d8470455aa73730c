"""Relatives of Adam: by the largest gradient, with Nesterov's momentum, and rectified.

Sources: D. Kingma and J. Ba, Adam (2014); T. Dozat, Incorporating Nesterov momentum into Adam (2016); L. Liu et al., On
the variance of the adaptive learning rate and beyond (2019).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine.namespace.nn.state_dict import write
from gradflow.engine.namespace.optim.adam import quotient, squares, towards
from gradflow.engine.namespace.optim.held_state import buffer, count_step, singleton
from gradflow.engine.namespace.optim.optimizer import (
    Group,
    Optimizer,
    at_least_0,
    beta_range,
    decayed,
    plus,
    times,
)
from gradflow.engine.numerics.libraries.square_root import square_root
from gradflow.engine.tensor import Tensor

_USUAL = (("lr", "learning rate"), ("eps", "epsilon value"))
_DECAY = (("weight_decay", "weight_decay value"),)


class Adamax(Optimizer):
    """Adam with the largest gradient so far, fading, in place of the root of the mean square."""

    def __init__(
        self,
        params: Any,
        lr: Any = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        at_least_0(defaults, _USUAL)
        beta_range(betas)
        at_least_0(defaults, _DECAY)
        super().__init__(params, defaults)

    def _change(self, p: Tensor, grad: np.ndarray, state: dict[str, Any], group: Group) -> None:
        """One step of one parameter."""
        step, grad, (first, second) = count_step(state), decayed(p, grad, group), group["betas"]
        mean, largest = buffer(state, "exp_avg", p, "lerp_"), buffer(state, "exp_inf", p)
        write(mean, towards(mean._a, grad, 1 - first))
        write(largest, np.maximum(times(largest._a, second), np.abs(grad) + grad.dtype.type(group["eps"])))
        quotient(p, mean._a, largest._a, -float(group["lr"]) / (1 - first**step))


def _decoupled(p: Tensor, grad: np.ndarray, group: Group) -> np.ndarray:
    """The gradient to use, after a weight decay apart from it where that is wanted."""
    if not group["decoupled_weight_decay"]:
        return decayed(p, grad, group)
    if group["weight_decay"]:
        write(p, times(p._a, 1 - float(group["lr"]) * group["weight_decay"]))
    return -grad if group["maximize"] else grad


class NAdam(Optimizer):
    """Adam with Nesterov's momentum."""

    def __init__(
        self,
        params: Any,
        lr: Any = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
        }
        at_least_0(defaults, _USUAL)
        beta_range(betas)
        at_least_0(defaults, (*_DECAY, ("momentum_decay", "momentum_decay value")))
        super().__init__(params, defaults)

    def _change(self, p: Tensor, grad: np.ndarray, state: dict[str, Any], group: Group) -> None:
        """One step of one parameter."""
        step, (first, second), lr = count_step(state), group["betas"], float(group["lr"])
        state.setdefault("mu_product", Tensor(np.ones((), np.float32)))
        product = singleton(state, "mu_product", "mu_products")
        grad = _decoupled(p, grad, group)
        mean, square = buffer(state, "exp_avg", p, "lerp_"), buffer(state, "exp_avg_sq", p)
        now, after = (first * (1.0 - 0.5 * 0.96 ** (n * group["momentum_decay"])) for n in (step, step + 1))
        write(product, product._a * np.float32(now))
        write(mean, towards(mean._a, grad, 1 - first))
        write(square, squares(square._a, grad, second))
        scalar_type = p._a.dtype.type
        under = square_root(square._a / scalar_type(1 - second**step)) + scalar_type(group["eps"])
        held = float(product._a)
        quotient(p, grad, under, -lr * (1.0 - now) / (1.0 - held))
        quotient(p, mean._a, under, -lr * after / (1.0 - held * after))


class RAdam(Optimizer):
    """Adam that does without the mean square until enough gradients were seen."""

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable,
        }
        at_least_0(defaults, _USUAL)
        beta_range(betas)
        at_least_0(defaults, _DECAY)
        super().__init__(params, defaults)

    def _change(self, p: Tensor, grad: np.ndarray, state: dict[str, Any], group: Group) -> None:
        """One step of one parameter."""
        step, (first, second), lr = count_step(state), group["betas"], float(group["lr"])
        grad = _decoupled(p, grad, group)
        mean, square = buffer(state, "exp_avg", p, "lerp_"), buffer(state, "exp_avg_sq", p)
        write(mean, towards(mean._a, grad, 1 - first))
        write(square, squares(square._a, grad, second))
        kind, rest = p._a.dtype.type, 1 - second**step
        way = times(mean._a / kind(1 - first**step), lr)
        length = 2 / (1 - second) - 1
        seen = length - 2 * step * second**step / rest
        if seen > 5.0:
            way = way * (kind(rest**0.5) / (square_root(square._a) + kind(group["eps"])))
            way = times(way, ((seen - 4) * (seen - 2) * length / ((length - 4) * (length - 2) * seen)) ** 0.5)
        write(p, plus(p._a, way, -1.0))
