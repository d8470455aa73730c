"""What all optimizers have: groups of parameters with settings, and state for each parameter.

The steps are taken on the arrays themselves: they are no part of the graph. Products with a number are added as
PyTorch's fused multiply-add does it, with one rounding (`plus`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

import numpy as np

from engine import errors
from engine.guards import type_name
from engine.nn.loading import write, zero_grads
from engine.state import grad_mode
from engine.tensor import Tensor

Group = dict[str, Any]


class Optimizer:
    """The base of the optimizers."""

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self.state: dict[Tensor, dict[str, Any]] = defaultdict(dict)
        self.param_groups: list[Group] = []
        self.stepped = False
        if isinstance(params, Tensor):
            raise errors.PARAMETERS_TYPE(type=f"torch.{params.dtype.legacy}Tensor")
        groups = list(params)
        if not groups:
            raise errors.NO_PARAMETERS()
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def add_param_group(self, param_group: Group) -> None:
        """Add parameters with settings of their own."""
        params = param_group["params"]
        params = [params] if isinstance(params, Tensor) else list(params)
        params = [p[1] if isinstance(p, tuple) else p for p in params]
        for p in params:
            if not isinstance(p, Tensor):
                raise errors.PARAMETER_TYPE(type=type_name(p))
            if not p.is_leaf and not p.retains_grad:
                raise errors.OPTIMIZE_NON_LEAF(subject=p)
        known = {id(p) for group in self.param_groups for p in group["params"]}
        if any(id(p) in known for p in params):
            raise errors.OPTIMIZER_ARGUMENT(message="some parameters appear in more than one parameter group")
        given = {**param_group, "params": params}
        self.param_groups.append(given | {name: value for name, value in self.defaults.items() if name not in given})

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients, or set them to 0."""
        for group in self.param_groups:
            zero_grads(group["params"], set_to_none)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change the parameters once. ``closure`` computes the loss and its gradients anew."""
        loss, self.stepped = None, True
        if closure is not None:
            with grad_mode(True):
                loss = closure()
        with grad_mode(False):
            for group in self.param_groups:
                for p in group["params"]:
                    if p._grad is not None:
                        self.change(p, p._grad._a, self.state[p], group)
        return loss

    def change(self, p: Tensor, grad: np.ndarray, state: dict[str, Any], group: Group) -> None:
        """Change one parameter; every optimizer defines it."""
        raise NotImplementedError

    # -- state ----------------------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Settings and state, with numbers in place of the parameters."""
        order = {id(p): i for i, p in enumerate(p for group in self.param_groups for p in group["params"])}
        groups = [{**_settings(g), "params": [order[id(p)] for p in g["params"]]} for g in self.param_groups]
        return {"state": {order[id(p)]: held for p, held in self.state.items()}, "param_groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take settings and state from another optimizer of the same shape."""
        given = state_dict["param_groups"]
        if len(given) != len(self.param_groups):
            raise errors.OPTIMIZER_ARGUMENT(message="loaded state dict has a different number of parameter groups")
        if any(len(a["params"]) != len(b["params"]) for a, b in zip(given, self.param_groups, strict=True)):
            raise errors.OPTIMIZER_ARGUMENT(
                message="loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
            )
        order = [p for group in self.param_groups for p in group["params"]]
        for group, new in zip(self.param_groups, given, strict=True):
            group.update(deepcopy(_settings(new)))
        self.state = defaultdict(dict)
        self.state.update({order[i]: deepcopy(held) for i, held in state_dict["state"].items()})

    def __repr__(self) -> str:
        text = f"{type(self).__name__} ("
        for index, group in enumerate(self.param_groups):
            lines = [f"    {name}: {value}\n" for name, value in sorted(_settings(group).items())]
            text += f"\nParameter Group {index}\n" + "".join(lines)
        return text + ")"


def _settings(group: Group) -> Group:
    return {name: value for name, value in group.items() if name != "params"}


def plus(a: np.ndarray, b: np.ndarray, factor: float = 1.0) -> np.ndarray:
    """a + factor * b, rounded once."""
    if factor == 1:
        result: np.ndarray = a + b
    elif a.dtype != np.float32:
        result = a + a.dtype.type(factor) * b
    else:
        result = (a.astype(np.float64) + float(np.float32(factor)) * b.astype(np.float64)).astype(np.float32)
    return result


def times(a: np.ndarray, factor: float) -> np.ndarray:
    """factor * a in the precision of ``a``."""
    result: np.ndarray = a * a.dtype.type(factor)
    return result


def at_least_0(settings: dict[str, float], names: Iterable[tuple[str, str]]) -> None:
    """Raises ValueError for a setting below 0."""
    for name, title in names:
        if not settings[name] >= 0.0:
            raise errors.OPTIMIZER_ARGUMENT(message=f"Invalid {title}: {settings[name]}")


def buffer(state: dict[str, Any], name: str, p: Tensor) -> Tensor:
    """A tensor of the state, zeros at first."""
    if name not in state:
        state[name] = Tensor(np.zeros_like(p._a))
    held: Tensor = state[name]
    return held


def count_step(state: dict[str, Any]) -> int:
    """One step more."""
    if "step" not in state:
        state["step"] = Tensor(np.zeros((), np.float32))
    write(state["step"], state["step"]._a + np.float32(1))
    return int(state["step"]._a)


def decayed(p: Tensor, grad: np.ndarray, group: Group) -> np.ndarray:
    """The gradient, turned round where the goal is a maximum, with weight decay."""
    grad = -grad if group["maximize"] else grad
    return plus(grad, p._a, group["weight_decay"]) if group["weight_decay"] else grad
