"""Declarations of all operations. Importing this package builds them; a formula with an unknown name fails here."""

from engine.ops import (
    activation,
    arithmetic,
    choosing,
    complex,
    copying,
    create,
    cross_entropy,
    embedding,
    exponential,
    index,
    linalg,
    linear,
    logic,
    loss,
    loss_margin,
    normalization,
    powers,
    reduce,
    rounding,
    shape,
    softmax,
    special,
    trigonometric,
)
from engine.registry import REGISTRY

REGISTRY.finish()

__all__ = [
    "activation", "arithmetic", "choosing", "complex", "copying", "create", "cross_entropy", "embedding", "exponential",
    "index", "linalg", "linear", "logic", "loss", "loss_margin", "normalization", "powers", "reduce", "rounding",
    "shape", "softmax", "special", "trigonometric",
]  # fmt: skip
