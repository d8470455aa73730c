"""``torch.nn.utils``: gradients kept small, parameters as one vector."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from engine.namespace import composite
from engine.nn.loading import write
from engine.ops.create import checked
from engine.registry import REGISTRY
from engine.tensor import Tensor


def _grads(parameters: Any) -> list[Tensor]:
    tensors: Iterable[Tensor] = [parameters] if isinstance(parameters, Tensor) else parameters
    return [t._grad for t in tensors if t._grad is not None]


def _norm(array: np.ndarray, power: float) -> float:
    return float(np.linalg.norm(array.reshape(-1), power)) if array.size else 0.0


def clip_grad_norm_(
    parameters: Any, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: Any = None
) -> Tensor:
    """Scale all gradients so that their common norm is at most ``max_norm``; gives the norm before."""
    grads, limit, power = _grads(parameters), float(max_norm), float(norm_type)
    norms = [_norm(g._a, power) for g in grads]
    kind = grads[0]._a.dtype if grads else np.dtype(np.float32)
    total = np.asarray(_norm(np.asarray(norms, kind), power), kind)
    if error_if_nonfinite and not math.isfinite(float(total)):
        raise RuntimeError(
            f"The total norm of order {power} for gradients from `parameters` is non-finite, so it cannot be clipped."
            " To disable this error and scale the gradients by the non-finite norm anyway, set"
            " `error_if_nonfinite=False`"
        )
    factor = kind.type(min(kind.type(limit) / (total + kind.type(1e-6)), 1.0))
    for grad in grads:
        write(grad, grad._a * factor)
    return REGISTRY["tensor"].call(total)  # type: ignore[no-any-return]  # a Tensor


def clip_grad_value_(parameters: Any, clip_value: float, foreach: Any = None) -> None:
    """Bring every element of the gradients between -clip_value and clip_value."""
    for grad in _grads(parameters):
        write(grad, np.clip(grad._a, -float(clip_value), float(clip_value)))


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All parameters as one vector."""
    result: Tensor = REGISTRY["cat"].call([composite.reshape(p, (-1,)) for p in parameters])
    return result


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Copy a vector back into parameters."""
    start = 0
    for p in parameters:
        write(p, vec._a[start : start + p._a.size].reshape(checked(p._a.shape)))
        start += p._a.size


FUNCTIONS = {
    f.__name__: f for f in (clip_grad_norm_, clip_grad_value_, parameters_to_vector, vector_to_parameters)
}  # fmt: skip
