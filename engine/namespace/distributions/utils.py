"""``torch.distributions.utils``: parameters of one shape, probabilities and logits, triangles of matrices as vectors."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Final

from gradflow.engine import errors
from gradflow.engine.namespace.functions import creation
from gradflow.engine.namespace.functions.joining import broadcast_tensors
from gradflow.engine.namespace.random import random_in_place
from gradflow.engine.namespace.tensor_arguments import has, need
from gradflow.engine.registry import REGISTRY
from gradflow.engine.sandbox.gate import exact_name, is_program_class, is_public, read_attribute, type_name
from gradflow.engine.sandbox.rules import is_closed
from gradflow.engine.sandbox.special_names import is_special
from gradflow.engine.state import grad_mode, unrecorded
from gradflow.engine.tensor import Tensor, dtypes

EULER: Final = 0.57721566490153286060


def own_attribute(owner: Any, name: object) -> Any:
    """The attribute of this name, which a class of the program may have given: an exact text, without an underscore."""
    return read_attribute(owner, own_name(owner, name))


def own_name(owner: Any, name: object) -> str:
    """The name of an attribute, if a class of the program may give it. TypeError, AttributeError."""
    if not is_public(known := exact_name(name)):
        raise errors.NO_ATTRIBUTE(type=type_name(owner), name=known, value=owner)
    return known


def made_once(cls: type) -> None:
    """Have the constructor of a class of the engine make no other of an object that there is: some live as long as the process."""
    make: Callable[..., None] | None = vars(cls).get("__init__")
    if make is None or not cls.__module__.startswith("gradflow."):
        return

    @wraps(make)
    def __init__(self: Any, *given: Any, **named: Any) -> None:
        if vars(self) and not is_program_class(type(self)):
            raise errors.CALL_REFUSED(name=f"__init__ of {type(self).__name__.lstrip('_')} once more")
        make(self, *given, **named)

    cls.__init__ = __init__  # type: ignore[misc]  # a class that is being made


def engines(owner: Any, name: str) -> Any:
    """What the engine's own class says under a name that PyTorch's have not, and programs may use for themselves."""
    lines = (vars(kind) for kind in type(owner).__mro__ if not is_program_class(kind))
    return next(line[name] for line in lines if name in line)


def call(name: str, *arguments: Any) -> Any:
    """The result of an operation, by its name."""
    return REGISTRY[name].call(*arguments)


def where(condition: Any, value: Any, other: Any) -> Any:
    """``value`` where the condition holds, ``other`` elsewhere: tensors or numbers."""
    if not isinstance(value, Tensor):
        value = creation.full_like(other, value) if isinstance(other, Tensor) else creation.tensor(value)
    return value.where(condition, other)


def stack(parts: Sequence[Any], dim: int) -> Any:
    """Tensors of one shape side by side along a new dimension."""
    return call("stack", list(parts), dim)


def cat(parts: Sequence[Any], dim: int) -> Any:
    """Tensors one after another along a dimension."""
    return call("cat", list(parts), dim)


def is_number(value: object) -> bool:
    """Whether this is a number of Python's."""
    return isinstance(value, int | float)


def broadcast_all(*values: Any) -> Sequence[Any]:
    """Parameters as tensors of one shape; numbers take the dtype of the first tensor.

    Raises ValueError for what is neither a number nor a tensor.
    """
    if not all(isinstance(value, Tensor | int | float) for value in values):
        raise errors.MODULE_ARGUMENT(
            message="Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__."
        )
    dtype = next((v.dtype for v in values if isinstance(v, Tensor)), None) or dtypes.BY_NUMPY[dtypes.DEFAULT]
    tensors = [v if isinstance(v, Tensor) else creation.tensor(v, dtype=dtype) for v in values]
    found: Sequence[Any] = broadcast_tensors(*tensors)
    return found


def eps_of(value: Any) -> float:
    """The distance from 1 to the next number of a tensor's dtype."""
    return float(dtypes.limits(has(value, "dtype")._a.dtype).eps)


def tiny_of(value: Any) -> float:
    """The smallest normal number of a tensor's dtype."""
    return float(dtypes.limits(has(value, "dtype")._a.dtype).tiny)


def clamp_probs(probs: Any) -> Any:
    """Probabilities, none of which is 0 or 1."""
    eps = eps_of(probs)
    return probs.clamp(min=eps, max=1 - eps)


def logits_to_probs(logits: Any, is_binary: bool = False) -> Any:
    """Probabilities from their logarithms along the last dimension, or from the logarithms of odds."""
    return need(logits, "sigmoid").sigmoid() if is_binary else call("softmax_dim", logits, -1)


def probs_to_logits(probs: Any, is_binary: bool = False) -> Any:
    """The logarithms of probabilities, or of their odds."""
    inside = clamp_probs(probs)
    return inside.log() - (-inside).log1p() if is_binary else inside.log()


def sum_last(value: Any, count: int) -> Any:
    """The sum over the last ``count`` dimensions."""
    return value if count == 0 else value.reshape((*value.shape[:-count], -1)).sum(-1)


def standard_normal(shape: Any, like: Any) -> Any:
    """Normal noise of a shape, in the dtype of a tensor."""
    return random_in_place.normal(creation.zeros(tuple(shape), dtype=like.dtype), 1.0)


def all_true(value: Any) -> bool:
    """Whether a tensor of bools holds nothing else."""
    return bool(value._a.all())


class lazy_property:
    """An attribute that is computed when it is first read, with gradients, and then kept."""

    def __init__(self, wrapped: Callable[[Any], Any]) -> None:
        self.wrapped = wrapped
        self.name: str | None = None

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = self.name or name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        with grad_mode(True):
            value = self.wrapped(instance)
        kept = self.name is None or is_special(self.name) or is_closed(type(instance), self.name)
        if self.name is not None and not kept and not isinstance(instance, Tensor):
            vars(instance)[self.name] = value
        return value


class Declared:
    """The constraints of the parameters, by name: each reader is given a dict of its own."""

    def __init__(self, **constraints: Any) -> None:
        self.constraints = constraints

    def __get__(self, instance: object, owner: type | None = None) -> dict[str, Any]:
        return dict(self.constraints)


def _triangle(size: int, diag: int) -> Any:
    with unrecorded():
        order = creation.arange(size)
        return order < order.view(-1, 1) + (diag + 1)  # type: ignore[attr-defined]  # installed


def tril_matrix_to_vec(mat: Any, diag: int = 0) -> Any:
    """The entries below a diagonal, row by row: (..., n, n) -> (..., count). Raises ValueError for another diagonal."""
    n = mat.shape[-1]
    if diag < -n or diag >= n:
        raise errors.MODULE_ARGUMENT(message=f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    return mat[(..., _triangle(n, diag))]


def vec_to_tril_matrix(vec: Any, diag: int = 0) -> Any:
    """Matrices with these entries below a diagonal, row by row: (..., count) -> (..., n, n).

    Raises ValueError where no square matrix has so many entries there.
    """
    count, double = has(vec, "shape").shape[-1], 1 + 2 * diag
    n = (math.sqrt(double**2 + 8 * count + 4 * abs(diag) * (diag + 1)) - double) / 2
    if round(n) - n > eps_of(vec):
        raise errors.MODULE_ARGUMENT(
            message=f"The size of last dimension is {count} which cannot be expressed as "
            "the lower triangular part of a square D x D matrix."
        )
    size = round(n)
    matrix = vec.new_zeros((*vec.shape[:-1], size, size))
    matrix[(..., _triangle(size, diag))] = vec
    return matrix


NAMES: Final = {
    f.__name__: f
    for f in (broadcast_all, clamp_probs, logits_to_probs, probs_to_logits, tril_matrix_to_vec, vec_to_tril_matrix)
} | {"lazy_property": lazy_property, "euler_constant": EULER}
