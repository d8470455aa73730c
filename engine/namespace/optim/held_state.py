"""What an optimizer reads of its groups and of its state, into which programs write what they like: tensors, or nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.namespace.nn.state_dict import made_tensor, write
from gradflow.engine.namespace.tensor_arguments import has
from gradflow.engine.tensor import Tensor


def params_of(group: dict[str, Any]) -> list[Tensor]:
    """The parameters of a group, its list gone through once. Raises TypeError for what is no tensor."""
    return [made_tensor(p) for p in group["params"]]


def held_tensor(state: dict[str, Any], name: str, method: str = "mul_") -> Tensor:
    """A tensor of the state. Raises AttributeError for anything else: PyTorch calls this method of it."""
    held: Tensor = has(state[name], method)
    return held


def buffer(state: dict[str, Any], name: str, p: Tensor, method: str = "mul_") -> Tensor:
    """A tensor of the state, zeros at first. Raises AttributeError where something else is there."""
    if name not in state:
        state[name] = Tensor(np.zeros_like(p._a))
    return held_tensor(state, name, method)


def singleton(state: dict[str, Any], name: str, argument: str) -> Tensor:
    """A tensor of one element. Raises RuntimeError where something else is in the state, in PyTorch's words."""
    held = state[name]
    if not isinstance(held, Tensor):
        message = f"API has changed, `{argument}` argument must contain a list of singleton tensors"
        raise errors.MODULE_RUNTIME(message=message)
    return held


def count_step(state: dict[str, Any]) -> int:
    """One step more."""
    if "step" not in state:
        state["step"] = Tensor(np.zeros((), np.float32))
    steps = singleton(state, "step", "state_steps")
    write(steps, steps._a + np.float32(1))
    return int(steps._a)


def as_of(p: Tensor | None, state: Any) -> Any:
    """Loaded state in the dtype of its parameter, but for the count of steps."""
    for name, held in list(state.items()) if isinstance(state, dict) else ():
        if isinstance(held, Tensor) and name != "step" and p is not None and held._a.dtype != p._a.dtype:
            state[name] = Tensor(held._a.astype(p._a.dtype))
    return state
