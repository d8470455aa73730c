"""Distances between points and angles between vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.dispatch import autocast
from gradflow.engine.namespace.functional.activation import call
from gradflow.engine.namespace.functional.loss import broadcast_alike
from gradflow.engine.namespace.functions import composite
from gradflow.engine.namespace.tensor_arguments import need
from gradflow.engine.numerics.broadcasting import check_broadcast
from gradflow.engine.tensor import Tensor, check_dim


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between two vectors along a dimension."""
    need(x1, "cosine_similarity", "x1", 1)
    need(x2, "cosine_similarity", "x2", 2)
    check_broadcast(x1._a.shape, x2._a.shape)
    b, a = broadcast_alike(x2, x1)  # the second is expanded first, and so has the earlier function
    if a._a.dtype.kind not in "fV":
        raise errors.COSINE_DTYPE(dtype=a.dtype.legacy)
    if eps < 0:
        raise errors.LOSS_REFUSED(message=f"eps must be non-negative, got: {eps:g}")
    check_dim(dim, a._a.ndim)
    length, other_length = _length(a, dim, eps), _length(b, dim, eps)
    other_unit = call("div", b, other_length)
    return composite.sum(call("mul", call("div", a, length), other_unit), dim)


def _length(x: Tensor, dim: int, eps: float) -> Tensor:
    size: Tensor = call("clone", composite.norm(x, 2, dim, True))
    size._a[...] = np.maximum(size._a, size._a.dtype.type(eps))
    return size


@autocast.takes("float32")
def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: Any = None) -> Tensor:
    """The distance of every row of ``x1`` from every row of ``x2``."""
    need(x1, "cdist", "x1", 1)
    need(x2, "cdist", "x2", 2)
    for name, each in (("X1", x1), ("X2", x2)):
        if each._a.ndim < 2:
            raise errors.CDIST_DIMENSIONS(name=name, ndim=each._a.ndim)
    if x1._a.shape[-1] != x2._a.shape[-1]:
        raise errors.CDIST_COLUMNS(x1=x1._a.shape[-1], x2=x2._a.shape[-1])
    if p < 0:
        raise errors.CDIST_POWER()
    if x1.dtype is not x2.dtype:
        found = f"expected scalar type {x1.dtype.legacy} but found {x2.dtype.legacy}"
        raise errors.MODULE_RUNTIME(message=found)
    if _by_product(x1, x2, p, compute_mode):
        return _euclidean(x1, x2)
    return call("cdist", x1, x2, float(p))


def _by_product(x1: Tensor, x2: Tensor, p: float, mode: Any) -> bool:
    """Whether Euclidean distances come from one product of matrices. Raises ValueError for an unknown mode."""
    modes = (None, "use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist")
    if mode not in modes:
        raise errors.CDIST_MODE(mode=mode)
    rows = (x1._a.shape[-2], x2._a.shape[-2])
    wanted = mode == modes[2] or (mode in modes[:2] and max(rows) > 25)
    return p == 2 and wanted and x1._a.size > 0 < x2._a.size and x1.dtype is x2.dtype


def _euclidean(x1: Tensor, x2: Tensor) -> Tensor:
    batch = np.broadcast_shapes(x1._a.shape[:-2], x2._a.shape[:-2])
    pair = [x1, x2]
    if int(np.prod(batch)) != 1:
        pair = [composite.reshape(call("expand", x, (*batch, *x._a.shape[-2:])), (-1, *x._a.shape[-2:])) for x in pair]
    found = call("euclidean_dist", *pair)
    return call("view", found, *batch, x1._a.shape[-2], x2._a.shape[-2])


def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """The distances between the rows, each pair once."""
    need(input, "pdist", "input", 1)
    if input._a.ndim != 2:
        raise errors.PDIST_DIMENSIONS(ndim=input._a.ndim)
    return call("pdist", input, float(p))
