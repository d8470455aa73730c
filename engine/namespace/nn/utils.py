"""``torch.nn.utils``: gradients kept small, parameters as one vector."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.namespace.functions import composite
from gradflow.engine.namespace.nn.module_attributes import full_name
from gradflow.engine.namespace.nn.state_dict import write
from gradflow.engine.namespace.tensor_arguments import has
from gradflow.engine.ops.reduce.statistics import vector_norm
from gradflow.engine.registry import REGISTRY
from gradflow.engine.sandbox.gate import type_name
from gradflow.engine.state import warn
from gradflow.engine.tensor import Tensor


def _grads(parameters: Any) -> list[Tensor]:
    tensors: Iterable[Tensor] = [parameters] if isinstance(parameters, Tensor) else parameters
    return [t._grad for t in tensors if (t if isinstance(t, Tensor) else _refused(t))._grad is not None]  # type: ignore[misc]


def _all_dense(grads: list[Tensor], name: str) -> None:
    """Raises NotImplementedError for sparse gradients, whose norms and bounds PyTorch does not compute."""
    if any(grad.is_sparse for grad in grads):  # type: ignore[attr-defined]  # on every tensor
        raise errors.SPARSE_REFUSED(name=f"`{name}`")


def _refused(given: Any) -> Tensor:
    """Raises AttributeError: only tensors have gradients."""
    raise AttributeError(f"'{type_name(given)}' object has no attribute 'grad'")


def _norm(array: np.ndarray, power: float) -> float:
    operation, settings = vector_norm(power)
    return float(operation.body(array.reshape(-1), *settings)) if array.size else 0.0


def _total(tensors: list[Tensor], power: float) -> np.ndarray:
    """The common norm, in the precision of the tensors."""
    dtype = tensors[0]._a.dtype if tensors else np.dtype(np.float32)
    return np.asarray(_norm(np.asarray([_norm(t._a, power) for t in tensors], dtype), power), dtype)


def get_total_norm(
    tensors: Any, norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: Any = None
) -> Tensor:
    """The norm of all tensors as one vector. Raises RuntimeError where it is not finite and that is asked for."""
    given, power = [tensors] if isinstance(tensors, Tensor) else list(tensors), float(norm_type)
    for each in given:
        has(each, "device")
    total = _total(given, power)
    if error_if_nonfinite and not math.isfinite(float(total)):
        raise errors.MODULE_RUNTIME(
            message=f"The total norm of order {power} for gradients from `parameters` is non-finite, so it cannot be"
            " clipped. To disable this error and scale the gradients by the non-finite norm anyway, set"
            " `error_if_nonfinite=False`"
        )
    return REGISTRY["tensor"].call(total)


def clip_grads_with_norm_(parameters: Any, max_norm: float, total_norm: Tensor, foreach: Any = None) -> None:
    """Scale all gradients by max_norm / total_norm where that is below 1."""
    dtype = has(total_norm, "clamp")._a.dtype
    factor = dtype.type(min(dtype.type(max_norm) / (total_norm._a + dtype.type(1e-6)), 1.0))
    factor = dtype.type(np.nan) if np.isnan(total_norm._a) else factor
    for grad in _grads(parameters):
        write(grad, grad._a * grad._a.dtype.type(factor))


def clip_grad_norm_(
    parameters: Any, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: Any = None
) -> Tensor:
    """Scale all gradients so that their common norm is at most ``max_norm``; gives the norm before."""
    tensors = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    _all_dense(_grads(tensors), "clip_grad_norm_")
    total = get_total_norm(_grads(tensors), norm_type, error_if_nonfinite, foreach)
    clip_grads_with_norm_(tensors, max_norm, total, foreach)
    return total


def clip_grad_norm(
    parameters: Any, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: Any = None
) -> Tensor:
    """The name of before of `clip_grad_norm_`."""
    warn(
        "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.",
        "FutureWarning",
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


def clip_grad_value_(parameters: Any, clip_value: float, foreach: Any = None) -> None:
    """Bring every element of the gradients between -clip_value and clip_value."""
    limit, grads = float(clip_value), _grads(parameters)
    _all_dense(grads, "clip_grad_value_")
    for grad in grads:
        write(grad, np.clip(grad._a, -limit, limit))


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All parameters as one vector."""
    result: Tensor = REGISTRY["cat"].call([composite.reshape(has(p, "device"), (-1,)) for p in parameters])
    return result


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Copy a vector back into parameters."""
    if not isinstance(vec, Tensor):
        raise errors.MODULE_TYPE(message=f"expected torch.Tensor, but got: {full_name(vec)}")
    start = 0
    for p in parameters:
        has(p, "device")
        part = Tensor(vec._a[start : start + p._a.size])
        write(p, REGISTRY["view"].call(part, *p._a.shape)._a)
        start += p._a.size


FUNCTIONS = {
    f.__name__: f
    for f in (
        clip_grad_norm_,
        clip_grad_norm,
        clip_grad_value_,
        clip_grads_with_norm_,
        get_total_norm,
        parameters_to_vector,
        vector_to_parameters,
    )
}
