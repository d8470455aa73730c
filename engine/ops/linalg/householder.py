"""Products of Householder reflections, which a QR decomposition in its compact form consists of."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics.strides import in_columns
from gradflow.engine.ops.linalg.decompositions import (
    TALL,
    A,
    B,
    H,
    conjugated,
    do,
    linalg,
    raw,
    refuse_integers,
)
from gradflow.engine.out_rules import exactly
from gradflow.engine.registry import REGISTRY, Array, helper, op
from gradflow.engine.tensor import Tensor

TAU = [1.25, 0.5]


def _columns(input: Any, tau: Any) -> tuple[list[Any], list[Any]]:
    """The vectors of the reflections as columns, and their factors as matrices of one element."""
    k = tau.shape[-1]
    identity = np.eye(input.shape[-2], k, dtype=raw(input).dtype)
    units = Tensor(identity) if isinstance(input, Tensor) else identity
    below = do("tril", do("slice", input, input.ndim - 1, 0, k, 1), -1) + units
    vectors = [do("slice", below, below.ndim - 1, i, i + 1, 1) for i in range(k)]
    factors = [do("unsqueeze", do("slice", tau, tau.ndim - 1, i, i + 1, 1), -1) for i in range(k)]
    return vectors, factors


def _order(count: int, adjoint: bool) -> list[int]:
    """The order in which the reflections meet what stands to their right."""
    return list(range(count)) if adjoint else list(range(count - 1, -1, -1))


def _steps(input: Any, tau: Any, other: Any, adjoint: bool) -> list[Any]:
    """What stands to the right before each reflection, and the product at last."""
    vectors, factors = _columns(input, tau)
    steps = [other]
    for i in _order(len(vectors), adjoint):
        factor = conjugated(factors[i]) if adjoint else factors[i]
        steps.append(steps[-1] - (factor * vectors[i]) @ (H(vectors[i]) @ steps[-1]))
    return steps


def _shares(g: Any, input: Any, tau: Any, other: Any, adjoint: bool) -> tuple[Any, Any, Any]:
    """The gradients of the vectors, of their factors, and of what stands to the right."""
    vectors, factors = _columns(input, tau)
    steps, order = _steps(input, tau, other, adjoint), _order(len(vectors), adjoint)
    of_vectors, of_factors = [None] * len(vectors), [None] * len(vectors)
    for before, i in zip(reversed(steps[:-1]), reversed(order), strict=True):
        v, factor = vectors[i], conjugated(factors[i]) if adjoint else factors[i]
        along, across = H(before) @ v, H(g) @ v
        turned = H(v) @ (g @ along)
        of_factors[i] = -(conjugated(turned) if adjoint else turned)
        of_vectors[i] = -(conjugated(factor) * (g @ along)) - factor * (before @ across)
        g = g - (conjugated(factor) * v) @ (H(v) @ g)
    return _together(of_vectors, of_factors, input, tau, g)


def _together(of_vectors: list[Any], of_factors: list[Any], input: Any, tau: Any, g: Any) -> tuple[Any, Any, Any]:
    if not of_vectors:
        return input * 0, tau * 0, g
    cat = REGISTRY["cat"].call if isinstance(g, Tensor) else np.concatenate
    below = do("tril", cat(of_vectors, -1), -1)
    missing = input.shape[-1] - below.shape[-1]
    if missing:
        below = cat([below, do("slice", input, input.ndim - 1, below.shape[-1], input.shape[-1], 1) * 0], -1)
    return below, do("squeeze_dim", cat(of_factors, -2), -1), g


def _start(input: Any) -> Any:
    """The first columns of the identity, for each matrix of a batch."""
    identity = np.eye(*input.shape[-2:], dtype=raw(input).dtype)
    whole = np.broadcast_to(identity, input.shape).copy()
    return Tensor(whole) if isinstance(input, Tensor) else whole


@helper(latex=r"\operatorname{reflect}^{*}\left(⟨0⟩\right)")
def reflections_share(g, input, tau):
    """The gradients of the vectors and of the factors of a product of reflections."""
    return _shares(g, input, tau, _start(input), False)


@op(
    refuses={"e": "orgqr_cpu"},
    **linalg(
        "householder_product",
        "H₁H₂…",
        {"input": "reflections_share(g, input, tau)[0]", "tau": "reflections_share(g, input, tau)[1]"},
        r"\prod_i \left(I-τ_i v_i v_i^{\top}\right)",
        ((TALL, TAU), (TALL, [1.5]), (A, TAU), ([A, B], [TAU, TAU])),
    ),
)
def linalg_householder_product(input: Array, tau: Array):
    """The first columns of the product of the reflections I - τ v v^H, with the vectors v below the diagonal."""
    name = "torch.linalg.householder_product"
    _check(input, tau, name)
    if input.shape[-2] < input.shape[-1]:
        raise errors.MATRIX_PROBLEM(problem=f"{name}: input.shape[-2] must be greater than or equal to input.shape[-1]")
    if input.shape[-1] < tau.shape[-1]:
        raise errors.MATRIX_PROBLEM(problem=f"{name}: input.shape[-1] must be greater than or equal to tau.shape[-1]")
    return in_columns(_steps(input, tau, _start(input), False)[-1])


def _check(input: np.ndarray, tau: np.ndarray, name: str) -> None:
    if input.ndim < 2:
        raise errors.MATRIX_PROBLEM(problem=f"{name}: input must have at least 2 dimensions.")
    if tau.ndim != input.ndim - 1:
        raise errors.MATRIX_PROBLEM(
            problem=f"{name}: Expected tau to have one dimension less than input, but got tau.ndim equal to {tau.ndim} "
            f"and input.ndim is equal to {input.ndim}"
        )


def _reflected(input: Any, tau: Any, other: Any, left: bool, transpose: bool) -> Any:
    if left:
        return _steps(input, tau, other, transpose)[-1]
    return H(_steps(input, tau, H(other), not transpose)[-1])


@helper(latex=r"\operatorname{reflect}^{*}\left(⟨0⟩\right)")
def reflect_share(g, input, tau, other, left, transpose):
    """The gradients of the vectors, of the factors and of what the reflections were applied to."""
    if left:
        return _shares(g, input, tau, other, transpose)
    of_vectors, of_factors, of_other = _shares(H(g), input, tau, H(other), not transpose)
    return of_vectors, of_factors, H(of_other)


@op(
    refuses={"e": "ormqr_cpu"},
    gradients={
        name: f"reflect_share(g, input, tau, other, left, transpose)[{i}]"
        for i, name in enumerate(("input", "tau", "other"))
    },
    latex=r"Q\,⟨2⟩",
    symbol="Qb",
    samples=((TALL, TAU, A), (TALL, TAU, A, False), (TALL, TAU, A, True, True), (TALL, TAU, A, False, True)),
    out=exactly(
        "torch.{name}: Expected input and result to have the same dtype, but input has dtype{R} and result has dtype {O}"
    ),
)
def ormqr(input: Array, tau: Array, other: Array, left=True, transpose=False):
    """The product of a matrix with the orthogonal matrix Q of reflections, from either side."""
    _check(input, tau, "torch.ormqr")
    k = min(other.shape[-2 if left else -1], input.shape[-1])
    side = "other.shape[-2]" if left else "other.shape[-1]"
    if tau.shape[-1] != k:
        raise errors.MATRIX_PROBLEM(problem=f"torch.ormqr: tau.shape[-1] must be equal to min({side}, input.shape[-1])")
    if input.shape[-2] != other.shape[-2 if left else -1]:
        raise errors.MATRIX_PROBLEM(problem=f"torch.ormqr: input.shape[-2] must be equal to {side}")
    return in_columns(_reflected(input, tau, other, left, transpose))


@helper(latex="")
def no_derivative_of_geqrf(g):
    """Raises NotImplementedError."""
    raise errors.WITHOUT_DERIVATIVE(name="geqrf")


@op(
    refuses={"e": "geqrf_cpu"},
    gradients={"input": "no_derivative_of_geqrf(g)"},
    latex=r"\operatorname{qr}\left(⟨0⟩\right)",
    symbol="QR",
    outputs=("a", "tau"),
    edges=(),
)
def geqrf(input: Array):
    """A QR decomposition in its compact form: R above the vectors of the reflections, and their factors."""
    if input.ndim < 2:
        raise errors.MATRIX_PROBLEM(problem="torch.geqrf: input must have at least 2 dimensions.")
    refuse_integers(input, "geqrf_cpu")
    if input.size == 0:
        return input.copy(), np.zeros((*input.shape[:-2], min(input.shape[-2:])), input.dtype)
    compact, tau = np.linalg.qr(input, "raw")
    return in_columns(compact.mT), tau
