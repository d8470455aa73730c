"""Optimizers that look at the rows and columns of a matrix.

Sources: N. Shazeer and M. Stern, Adafactor (2018); K. Jordan et al., Muon (2024).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.namespace.nn.state_dict import write
from gradflow.engine.namespace.optim.adam import towards
from gradflow.engine.namespace.optim.held_state import buffer, count_step, held_tensor, params_of
from gradflow.engine.namespace.optim.optimizer import (
    Group,
    Optimizer,
    plus,
    times,
)
from gradflow.engine.tensor import Tensor, dtypes


def _refuse(wrong: bool, message: str) -> None:
    if wrong:
        raise errors.OPTIMIZER_ARGUMENT(message=message)


class Adafactor(Optimizer):
    """Steps by the gradient over a mean square that is kept by row and by column only."""

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        _refuse(not lr >= 0.0, f"Learning rate should be >= 0 but is: {lr}")
        _refuse(not beta2_decay <= 0.0, f"beta2_decay should be <= 0 but is: {beta2_decay}")
        _refuse(eps[0] is not None and not eps[0] >= 0.0, f"epsilon1 should be >= 0 but is: {eps[0]}")
        _refuse(not eps[1] >= 0.0, f"epsilon2 should be >= 0 but is: {eps[1]}")
        _refuse(not d >= 1.0, f"Clipping threshold d should be >= 1 but is: {d}")
        _refuse(not weight_decay >= 0.0, f"weight_decay should be >= 0 but is: {weight_decay}")
        super().__init__(
            params,
            {
                "lr": lr,
                "beta2_decay": beta2_decay,
                "eps": eps,
                "d": d,
                "weight_decay": weight_decay,
                "foreach": foreach,
                "maximize": maximize,
            },
        )

    def _change(self, p: Tensor, grad: np.ndarray, state: dict[str, Any], group: Group) -> None:
        """One step of one parameter."""
        step, lr, scalar_type = count_step(state), float(group["lr"]), p._a.dtype.type
        grad = -grad if group["maximize"] else grad
        least, floor = group["eps"]
        least = float(dtypes.limits(p._a.dtype).eps) if least is None else least
        size = max(floor, _length(p._a) / p._a.size**0.5) * min(lr, 1 / step**0.5)
        if group["weight_decay"]:
            write(p, times(p._a, 1 - lr * group["weight_decay"]))
        square = _mean_square(state, grad, step ** group["beta2_decay"], scalar_type(least))
        way = grad / np.sqrt(np.maximum(square, scalar_type(least * least)))
        clip = max(1.0, _length(way) / (way.size**0.5 * group["d"]))
        write(p, plus(p._a, way, -size / clip))


def _length(array: np.ndarray) -> float:
    return float(array.dtype.type(math.sqrt(float(np.sum(np.square(array, dtype=np.float64))))))


def _mean_square(state: dict[str, Any], grad: np.ndarray, weight: float, least: Any) -> np.ndarray:
    """The running mean square, for matrices from the means of rows and columns."""
    if grad.ndim < 2:
        state.setdefault("variance", Tensor(np.zeros_like(grad)))
        held = held_tensor(state, "variance", "lerp_")
        write(held, towards(held._a, grad * grad, weight))
        variance: np.ndarray = held._a
        return variance
    means: list[np.ndarray] = []
    for name, axis in (("row_var", -1), ("col_var", -2)):
        mean = np.mean(np.square(grad), axis=axis, keepdims=True, dtype=np.float64).astype(grad.dtype)
        state.setdefault(name, Tensor(np.zeros_like(mean)))
        held = held_tensor(state, name, "lerp_")
        write(held, towards(held._a, mean, weight))
        means.append(held._a)
    rows, columns = means
    return (rows @ columns) / np.maximum(rows.mean(axis=-2, keepdims=True), least)


class Muon(Optimizer):
    """Momentum whose matrix is made nearly orthogonal before each step."""

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.7750, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        _refuse(not lr >= 0.0, f"Learning rate should be >= 0 but is: {lr}")
        _refuse(not momentum >= 0.0, f"momentum should be >= 0 but is: {momentum}")
        _refuse(not weight_decay >= 0.0, f"weight decay should be >= 0 but is: {weight_decay}")
        known = (None, "original", "match_rms_adamw")
        _refuse(adjust_lr_fn not in known, f"Adjust learning rate function {adjust_lr_fn} is not supported")
        super().__init__(
            params,
            {
                "lr": lr,
                "weight_decay": weight_decay,
                "momentum": momentum,
                "nesterov": nesterov,
                "ns_coefficients": ns_coefficients,
                "eps": eps,
                "ns_steps": ns_steps,
                "adjust_lr_fn": adjust_lr_fn,
            },
        )
        for p in (p for group in self.param_groups for p in params_of(group)):
            message = f"Muon only supports 2D parameters whereas we found a parameter with size: {p.shape}"
            _refuse(p._a.ndim != 2, message)

    def _change(self, p: Tensor, grad: np.ndarray, state: dict[str, Any], group: Group) -> None:
        """One step of one parameter."""
        _refuse(group["ns_steps"] >= 100, "Number of steps must be less than 100 for computational efficiency")
        held, lr = buffer(state, "momentum_buffer", p, "lerp_"), float(group["lr"])
        write(held, towards(held._a, grad, 1 - group["momentum"]))
        way = towards(grad, held._a, group["momentum"]) if group["nesterov"] else held._a
        way = _orthogonal(way, group["ns_coefficients"], group["ns_steps"], group["eps"])
        rows, columns = p._a.shape
        matched = group["adjust_lr_fn"] == "match_rms_adamw"
        ratio = 0.2 * math.sqrt(max(rows, columns)) if matched else math.sqrt(max(1, rows / columns))
        write(p, times(p._a, 1 - lr * group["weight_decay"]))
        write(p, plus(p._a, way.astype(p._a.dtype), -lr * ratio))


def _short(array: Any) -> np.ndarray:
    """Rounded to the eight bits of bfloat16, in which PyTorch computes this."""
    bits = np.asarray(array, np.float32).view(np.uint32)
    bits = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) & np.uint32(0xFFFF0000)
    return bits.view(np.float32)


def _orthogonal(matrix: np.ndarray, by: tuple[float, float, float], steps: int, eps: float) -> np.ndarray:
    """The matrix with its singular values near 1, by Newton and Schulz's iteration."""
    a, b, c = by
    x = _short(matrix)
    tall = x.shape[0] > x.shape[1]
    x = x.T if tall else x
    x = _short(x / np.maximum(_short(np.linalg.norm(x)), _short(np.float32(eps))))
    for _ in range(steps):
        gram = _short(x @ x.T)
        gram = _short(np.float32(b) * gram + np.float32(c) * (gram @ gram))
        x = _short(np.float32(a) * x + gram @ x)
    return x.T if tall else x
