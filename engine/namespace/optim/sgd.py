"""Stochastic gradient descent. Source: I. Sutskever et al., On the importance of initialization and momentum (2013)."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.namespace.nn.state_dict import write
from gradflow.engine.namespace.optim.optimizer import (
    Group,
    Optimizer,
    at_least_0,
    check_fused,
    decayed,
    plus,
    times,
)
from gradflow.engine.namespace.tensor_arguments import has
from gradflow.engine.tensor import Tensor


class SGD(Optimizer):
    """p -= lr * grad, with momentum where wanted."""

    _takes_sparse = True

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
            "foreach": foreach,
            "differentiable": differentiable,
            "fused": fused,
        }
        names = (("lr", "learning rate"), ("momentum", "momentum value"), ("weight_decay", "weight_decay value"))
        at_least_0(defaults, names, below=True)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise errors.OPTIMIZER_ARGUMENT(message="Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, defaults)
        check_fused(defaults)

    def _check_layout(self, grad: Tensor, group: Group) -> None:
        """Raises RuntimeError for a sparse gradient together with a decay, which is dense."""
        if grad.is_sparse and group["weight_decay"]:  # type: ignore[attr-defined]  # on every tensor
            raise errors.MODULE_RUNTIME(message="add(sparse, dense) is not supported. Use add(dense, sparse) instead.")

    def _keeps_state(self, group: Group) -> bool:
        """Only momentum is kept."""
        return bool(group["momentum"])

    def _change(self, p: Tensor, grad: np.ndarray, state: dict[str, Any], group: Group) -> None:
        """One step of one parameter."""
        grad, momentum = decayed(p, grad, group), group["momentum"]
        if momentum:
            held = state.get("momentum_buffer")
            if held is None:
                held = state["momentum_buffer"] = Tensor(grad.copy())
            else:
                write(has(held, "mul_"), plus(times(held._a, momentum), grad, 1 - group["dampening"]))
            grad = plus(grad, held._a, momentum) if group["nesterov"] else held._a
        write(p, plus(p._a, grad, -float(group["lr"])))
