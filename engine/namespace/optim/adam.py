"""Optimizers with a step length for each element: Adam and its kin.

Sources: D. Kingma and J. Ba, Adam (2014); I. Loshchilov and F. Hutter, AdamW (2017); J. Duchi et al., Adagrad (2011);
T. Tieleman and G. Hinton, RMSprop (2012); M. Zeiler, Adadelta (2012).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.namespace.nn.state_dict import write
from gradflow.engine.namespace.optim.held_state import buffer, count_step, held_tensor, params_of
from gradflow.engine.namespace.optim.optimizer import (
    Group,
    Optimizer,
    at_least_0,
    beta_range,
    check_fused,
    decayed,
    divided,
    plus,
    times,
)
from gradflow.engine.numerics.fused import fused
from gradflow.engine.numerics.libraries.square_root import square_root
from gradflow.engine.tensor import Tensor


def squares(held: np.ndarray, grad: np.ndarray, rest: float, share: float | None = None) -> np.ndarray:
    """held * rest + grad * grad * share, which is 1 - rest where it is not given."""
    share = 1 - rest if share is None else share
    if held.dtype.kind == "V":
        slower = times(held, rest).astype(np.float32)
        return (slower + np.float32(share) * grad.astype(np.float32) * grad.astype(np.float32)).astype(held.dtype)
    scalar_type = held.dtype.type
    return fused(scalar_type(share) * grad, grad, held * scalar_type(rest))


def towards(held: np.ndarray, grad: np.ndarray, weight: float) -> np.ndarray:
    """From ``held`` towards ``grad`` by a part of the way."""
    if held.dtype.kind == "V":
        return towards(held.astype(np.float32), grad.astype(np.float32), weight).astype(held.dtype)
    scalar_type = held.dtype.type
    way = grad - held
    if weight < 0.5:
        return fused(way, scalar_type(weight), held)
    return fused(way, -scalar_type(1 - weight), grad)


def quotient(p: Tensor, over: np.ndarray, under: np.ndarray, factor: float) -> None:
    """p += factor * over / under."""
    if p._a.dtype.kind == "V":
        over, under = over.astype(np.float32), under.astype(np.float32)
        write(p, p._a.astype(np.float32) + np.float32(factor) * over / under)
        return
    write(p, p._a + p._a.dtype.type(factor) * over / under)


class Adam(Optimizer):
    """Steps by the running mean of the gradient over the root of the running mean of its square."""

    _sparse_refused = "Adam does not support sparse gradients, please consider SparseAdam instead"

    _decoupled = False

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
            "fused": fused,
            "decoupled_weight_decay": self._decoupled or decoupled_weight_decay,
        }
        at_least_0(defaults, (("lr", "learning rate"), ("eps", "epsilon value")))
        beta_range(betas)
        at_least_0(defaults, (("weight_decay", "weight_decay value"),))
        super().__init__(params, defaults)
        check_fused(defaults)

    def _change(self, p: Tensor, grad: np.ndarray, state: dict[str, Any], group: Group) -> None:
        """One step of one parameter."""
        step, (first, second), lr = count_step(state), group["betas"], float(group["lr"])
        if group["decoupled_weight_decay"]:
            grad = -grad if group["maximize"] else grad
            if group["weight_decay"]:
                write(p, times(p._a, 1 - lr * group["weight_decay"]))
        else:
            grad = decayed(p, grad, group)
        mean, square = buffer(state, "exp_avg", p, "lerp_"), buffer(state, "exp_avg_sq", p)
        write(mean, towards(mean._a, grad, 1 - first))
        write(square, squares(square._a, grad, second))
        largest = square
        if group["amsgrad"]:
            largest = buffer(state, "max_exp_avg_sq", p)
            write(largest, np.maximum(largest._a, square._a))
        under = divided(square_root(largest._a), math.sqrt(1 - second**step)) + p._a.dtype.type(group["eps"])
        quotient(p, mean._a, under, -lr / (1 - first**step))


class AdamW(Adam):
    """Adam with weight decay apart from the gradient."""

    _decoupled = True

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params,
            lr,
            betas,
            eps,
            weight_decay,
            amsgrad,
            foreach=foreach,
            maximize=maximize,
            capturable=capturable,
            differentiable=differentiable,
            fused=fused,
        )


class RMSprop(Optimizer):
    """Steps by the gradient over the root of the running mean of its square."""

    def __init__(
        self,
        params: Any,
        lr: float = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "alpha": alpha,
            "eps": eps,
            "centered": centered,
            "weight_decay": weight_decay,
            "capturable": capturable,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
        }
        at_least_0(
            defaults,
            (
                ("lr", "learning rate"),
                ("eps", "epsilon value"),
                ("momentum", "momentum value"),
                ("weight_decay", "weight_decay value"),
                ("alpha", "alpha value"),
            ),
        )
        super().__init__(params, defaults)

    def _change(self, p: Tensor, grad: np.ndarray, state: dict[str, Any], group: Group) -> None:
        """One step of one parameter."""
        count_step(state)
        grad, lr = decayed(p, grad, group), float(group["lr"])
        square = buffer(state, "square_avg", p)
        if group["momentum"] > 0:
            buffer(state, "momentum_buffer", p)
        write(square, squares(square._a, grad, group["alpha"]))
        under = square._a
        if group["centered"]:
            mean = buffer(state, "grad_avg", p, "lerp_")
            write(mean, towards(mean._a, grad, 1 - group["alpha"]))
            under = under - mean._a * mean._a
        under = square_root(under) + p._a.dtype.type(group["eps"])
        if group["momentum"] > 0:
            held = buffer(state, "momentum_buffer", p)
            write(held, times(held._a, group["momentum"]) + grad / under)
            write(p, plus(p._a, held._a, -lr))
        else:
            quotient(p, grad, under, -lr)


class Adagrad(Optimizer):
    """Steps by the gradient over the root of the sum of its squares so far."""

    _takes_sparse = True

    def __init__(
        self,
        params: Any,
        lr: float = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        defaults = {
            "lr": lr,
            "lr_decay": lr_decay,
            "eps": eps,
            "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "fused": fused,
        }
        at_least_0(
            defaults,
            (
                ("lr", "learning rate"),
                ("lr_decay", "lr_decay value"),
                ("weight_decay", "weight_decay value"),
                ("initial_accumulator_value", "initial_accumulator_value value"),
                ("eps", "epsilon value"),
            ),
        )
        super().__init__(params, defaults)
        check_fused(defaults)
        for group in self.param_groups:
            for p in params_of(group):
                start = np.full_like(p._a, group["initial_accumulator_value"])
                self.state[p] = {"step": Tensor(np.zeros((), np.float32)), "sum": Tensor(start)}

    def _change(self, p: Tensor, grad: np.ndarray, state: dict[str, Any], group: Group) -> None:
        """One step of one parameter."""
        step, grad = count_step(state), decayed(p, grad, group)
        held = held_tensor(state, "sum", "addcmul_")
        write(held, squares(held._a, grad, 1.0, 1.0))
        rate = float(group["lr"]) / (1 + (step - 1) * group["lr_decay"])
        quotient(p, grad, square_root(held._a) + p._a.dtype.type(group["eps"]), -rate)


class Adadelta(Optimizer):
    """Steps by the gradient times the ratio of the running sizes of steps and gradients."""

    def __init__(
        self,
        params: Any,
        lr: float = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "rho": rho,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "capturable": capturable,
            "foreach": foreach,
            "differentiable": differentiable,
        }
        at_least_0(defaults, (("lr", "learning rate"),))
        if not 0.0 <= rho <= 1.0:
            raise errors.OPTIMIZER_ARGUMENT(message=f"Invalid rho value: {rho}")
        names = (("eps", "epsilon value"), ("weight_decay", "weight_decay value"))
        at_least_0(defaults, names)
        super().__init__(params, defaults)

    def _change(self, p: Tensor, grad: np.ndarray, state: dict[str, Any], group: Group) -> None:
        """One step of one parameter."""
        count_step(state)
        grad, rho, eps = decayed(p, grad, group), group["rho"], p._a.dtype.type(group["eps"])
        square, moved = buffer(state, "square_avg", p), buffer(state, "acc_delta", p, "add")
        write(square, squares(square._a, grad, rho))
        delta = square_root(moved._a + eps) / square_root(square._a + eps) * grad
        write(moved, squares(moved._a, delta, rho))
        write(p, plus(p._a, delta, -float(group["lr"])))


class SparseAdam(Optimizer):
    """Adam for sparse gradients: of parameters and their averages, it changes only what has entries."""

    _takes_sparse = True

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:
        for value, title in ((lr, "learning rate"), (eps, "epsilon value")):
            if not value > 0.0:
                raise errors.OPTIMIZER_ARGUMENT(message=f"Invalid {title}: {value}")
        beta_range(betas)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize})

    def _change(self, p: Tensor, grad: np.ndarray, state: dict[str, Any], group: Group) -> None:
        """One step of one parameter. Raises RuntimeError for a dense gradient."""
        found: Any = p._grad
        if not found.is_sparse:
            raise errors.MODULE_RUNTIME(
                message="SparseAdam does not support dense gradients, please consider Adam instead"
            )
        entries = found.coalesce()
        at, values = tuple(entries._places), entries._held._a
        state["step"] = step = state.get("step", 0) + 1
        mean, square = buffer(state, "exp_avg", p, "lerp_"), buffer(state, "exp_avg_sq", p)
        (beta1, beta2), number = group["betas"], p._a.dtype.type
        values = -values if group["maximize"] else values
        for held, new, beta in ((mean, values, beta1), (square, values * values, beta2)):
            moved = held._a.copy()
            moved[at] += (new - moved[at]) * number(1 - beta)
            write(held, moved)
        size = group["lr"] * math.sqrt(1 - beta2**step) / (1 - beta1**step)
        result = p._a.copy()
        result[at] += number(-size) * (mean._a[at] / (square_root(square._a[at]) + number(group["eps"])))
        write(p, result)
