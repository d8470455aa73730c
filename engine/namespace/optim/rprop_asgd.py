"""Steps by the sign of the gradient, and an average over the steps.

Sources: M. Riedmiller and H. Braun, RPROP (1993); B. Polyak and A. Juditsky, Acceleration of stochastic approximation by
averaging (1992).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.namespace.nn.state_dict import write
from gradflow.engine.namespace.optim.held_state import buffer, count_step, held_tensor
from gradflow.engine.namespace.optim.optimizer import (
    Group,
    Optimizer,
    at_least_0,
    decayed,
    plus,
    times,
)
from gradflow.engine.tensor import Tensor


class Rprop(Optimizer):
    """Each element has a step length of its own, which grows while the gradient keeps its sign."""

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "etas": etas,
            "step_sizes": step_sizes,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        at_least_0(defaults, (("lr", "learning rate"),))
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise errors.OPTIMIZER_ARGUMENT(message=f"Invalid eta values: {etas[0]}, {etas[1]}")
        super().__init__(params, defaults)

    def _change(self, p: Tensor, grad: np.ndarray, state: dict[str, Any], group: Group) -> None:
        """One step of one parameter."""
        count_step(state)
        grad = -grad if group["maximize"] else grad
        before = buffer(state, "prev", p, "copy_")
        if "step_size" not in state:
            state["step_size"] = Tensor(np.full_like(p._a, float(group["lr"])))
        size = held_tensor(state, "step_size")
        (less, more), (least, most), scalar_type = group["etas"], group["step_sizes"], p._a.dtype.type
        same = np.sign(grad * before._a)
        factor = np.where(same > 0, scalar_type(more), np.where(same < 0, scalar_type(less), scalar_type(1)))
        write(size, np.clip(size._a * factor, scalar_type(least), scalar_type(most)))
        grad = np.where(same < 0, scalar_type(0), grad)
        write(p, p._a - np.sign(grad) * size._a)
        write(before, grad)


class ASGD(Optimizer):
    """Stochastic gradient descent that also keeps the mean of the parameters over its steps."""

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "lambd": lambd,
            "alpha": alpha,
            "t0": t0,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        at_least_0(defaults, (("lr", "learning rate"), ("weight_decay", "weight_decay value")))
        super().__init__(params, defaults)

    def _change(self, p: Tensor, grad: np.ndarray, state: dict[str, Any], group: Group) -> None:
        """One step of one parameter."""
        step, grad, lr = count_step(state), decayed(p, grad, group), float(group["lr"])
        if "eta" not in state:
            state["eta"], state["mu"] = Tensor(np.array(lr, np.float32)), Tensor(np.ones((), np.float32))
        mean = buffer(state, "ax", p, "copy_")
        held_eta, held_mu = held_tensor(state, "eta", "copy_"), held_tensor(state, "mu", "item")
        eta, mu = float(held_eta._a), float(held_mu._a)
        write(p, times(p._a, 1 - group["lambd"] * eta))
        write(p, plus(p._a, grad, -eta))
        write(mean, p._a if mu == 1 else mean._a + times(p._a - mean._a, mu))
        write(held_eta, np.asarray(float(lr / (1 + group["lambd"] * lr * step) ** group["alpha"])))
        write(held_mu, np.asarray(float(1 / max(1, step - group["t0"]))))
