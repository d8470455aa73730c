"""The dropout family: which elements become 0 is drawn as PyTorch draws it."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.namespace.functional.activation import call, call_inplace
from gradflow.engine.namespace.random.creation import laid_out
from gradflow.engine.namespace.random.generator import source_of
from gradflow.engine.namespace.tensor_arguments import has, need
from gradflow.engine.state import warn
from gradflow.engine.tensor import Tensor, dtypes, memory_format

_ALPHA = 1.7580993408473766  # what selu goes to on the far left, with the sign changed

_DIMENSIONS_2D = (
    "dropout2d: Received a {n}-D input to dropout2d, which is deprecated"
    " and will result in an error in a future release."
    " To retain the behavior and silence this warning, please use dropout"
    " instead. Note that dropout2d exists to provide"
    " channel-wise dropout on inputs with 2 spatial dimensions, a channel dimension, and an optional batch dimension"
    " (i.e. 3D or 4D inputs)."
)
_ASSUMED_2D = (
    "dropout2d: Received a 3D input to dropout2d and assuming that"
    " channel-wise 1D dropout behavior is desired - input is"
    " interpreted as shape (N, C, L), where C is the channel dim. This behavior will change in a future release to"
    " interpret the input as one without a batch dimension, i.e. shape (C,"
    " H, W). To maintain the 1D channel-wise dropout"
    " behavior, please switch to using dropout1d instead."
)
_DIMENSIONS_3D = (
    "dropout3d: Received a {n}-D input to dropout3d, which is deprecated"
    " and will result in an error in a future release."
    " To retain the behavior and silence this warning, please use dropout"
    " instead. Note that dropout3d exists to provide"
    " channel-wise dropout on inputs with 3 spatial dimensions, a channel dimension, and an optional batch dimension"
    " (i.e. 4D or 5D inputs)."
)


def kept(like: np.ndarray, p: float) -> np.ndarray:
    """Which elements are kept: each with probability 1 - p."""
    return laid_out(like, source_of(None).uniform(like.size, np.dtype(np.float64)) < 1 - p)


def _drop(
    input: Tensor, p: float, training: bool, inplace: bool, *, features: bool = False, alpha: bool = False
) -> Tensor:
    array = need(input, f"{'feature_' * (features and alpha)}{'alpha_' * alpha}dropout")._a
    if p == 0 or not training or not array.size:
        return input
    multiply, plus = (call_inplace, call_inplace) if inplace else (call, call)
    if p == 1:
        return multiply("mul", input, call("tensor", np.zeros((), array.dtype)))
    if array.dtype.kind not in "fcV":
        raise errors.RESULT_CAST(result="Float", output=dtypes.of(array).legacy, subject=input)
    noise = _noise(array, p, features)
    if not alpha:
        return multiply("mul", input, call("tensor", noise / array.dtype.type(1 - p)))
    slope = 1.0 / np.sqrt((_ALPHA * _ALPHA * p + 1) * (1 - p))
    shift = (noise - array.dtype.type(1)) * array.dtype.type(_ALPHA * slope) + array.dtype.type(_ALPHA * slope * p)
    return plus("add", multiply("mul", input, call("tensor", noise * array.dtype.type(slope))), call("tensor", shift))


def _noise(array: np.ndarray, p: float, features: bool) -> np.ndarray:
    if features and array.ndim < 2:
        raise errors.FEATURE_DROPOUT()
    shape = (*array.shape[:2], *(1 for _ in array.shape[2:]))
    return kept(np.empty(shape) if features else memory_format.empty(array, None), p).astype(array.dtype)


def _probability(p: float) -> None:
    if not 0 <= p <= 1:
        raise errors.DROPOUT_PROBABILITY(p=p)


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Elements become 0 with probability ``p``, the others are divided by 1 - p; not in training, the input itself."""
    _probability(p)
    return _drop(input, p, training, inplace)


def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Dropout that keeps mean and variance of what selu gives."""
    _probability(p)
    return _drop(input, p, training, inplace, alpha=True)


def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """`alpha_dropout` of whole channels."""
    _probability(p)
    return _drop(input, p, training, inplace, features=True, alpha=True)


def _channels(input: Tensor, p: float, training: bool, inplace: bool, batched: bool) -> Tensor:
    """Whole channels become 0; an input without a batch is given one for the time."""
    if batched:
        return _drop(input, p, training, inplace, features=True)
    result = _drop(call("unsqueeze", input, 0), p, training, inplace, features=True)
    return call("squeeze_dim", result, 0)


def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Whole channels become 0: of (N, C, L) or (C, L)."""
    _probability(p)
    if has(input, "dim")._a.ndim not in (2, 3):
        raise errors.DROPOUT1D_DIMENSIONS(ndim=input._a.ndim)
    return _channels(input, p, training, inplace, input._a.ndim == 3)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Whole channels become 0: of (N, C, H, W)."""
    _probability(p)
    if has(input, "dim")._a.ndim not in (3, 4):
        warn(_DIMENSIONS_2D.format(n=input._a.ndim))
    if input._a.ndim == 3:
        warn(_ASSUMED_2D)
    return _drop(input, p, training, inplace, features=True)


def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Whole channels become 0: of (N, C, D, H, W) or (C, D, H, W)."""
    _probability(p)
    if has(input, "dim")._a.ndim not in (4, 5):
        warn(_DIMENSIONS_3D.format(n=input._a.ndim))
    return _channels(input, p, training, inplace, input._a.ndim != 4)


def _dropped(features: bool, alpha: bool, in_place: bool) -> Any:
    def drop(input: Tensor, p: float, train: bool) -> Tensor:
        if not 0 <= p <= 1:
            raise errors.DROPOUT_PROBABILITY_TORCH(p=f"{p:g}")
        return _drop(input, p, train, in_place, features=features, alpha=alpha)

    drop.__doc__ = "Elements, or whole channels, become 0 at random; all arguments have to be given."
    return drop


TORCH: dict[str, Any] = {
    f"{'feature_' * features}{'alpha_' * alpha}dropout{'_' * in_place}": _dropped(features, alpha, in_place)
    for features in (False, True)
    for alpha in (False, True)
    for in_place in (False, True)
}
"""The family as it stands in ``torch``."""

FUNCTIONS: dict[str, Any] = {
    f.__name__: f for f in (dropout, alpha_dropout, feature_alpha_dropout, dropout1d, dropout2d, dropout3d)
}
