"""Division by the root of the mean square, composed as PyTorch composes it on the CPU."""

from __future__ import annotations

from typing import Any, Final

from gradflow.engine.namespace.functional.activation import call
from gradflow.engine.namespace.functional.python_functions import given
from gradflow.engine.namespace.functions import composite
from gradflow.engine.ops.nn.activation import floating
from gradflow.engine.ops.nn.normalization import check_shape
from gradflow.engine.state import warn
from gradflow.engine.tensor import Tensor, dtypes

_MISMATCH: Final = (
    "Mismatch dtype between input and weight: input dtype = {first}, weight dtype = {second},"
    " Cannot dispatch to fused implementation."
)


def rms_norm(input: Tensor, normalized_shape: Any, weight: Tensor | None = None, eps: float | None = None) -> Tensor:
    """The input divided by the root of its mean square over its last dimensions; a lower precision is computed in float32."""
    input, shape, weight, eps = given("rms_norm", input, normalized_shape, weight, eps)
    shape = tuple(shape)
    check_shape(input._a, shape, gap="", weight=None if weight is None else weight._a)
    floating(input._a, "rms_norm", "fc")
    if weight is not None and weight._a.dtype != input._a.dtype:
        first, second = (dtypes.C_NAMES[t._a.dtype.name] for t in (input, weight))
        warn(_MISMATCH.format(first=first, second=second), once=True)
    lower = input._a.dtype.itemsize == 2
    wide: Tensor = call("to_dtype", input, dtypes.float32) if lower else input
    least = float(dtypes.limits(wide._a.dtype).eps) if eps is None else eps
    square = composite.mean(composite.pow(wide, 2), tuple(range(-len(shape), 0)), True)
    result: Tensor = call("mul", wide, call("rsqrt", call("add_scalar", square, least)))
    result = result if weight is None else call("mul", result, weight)
    return result if result.dtype is input.dtype else call("to_dtype", result, input.dtype)
