"""Declarations of all operations. Importing this package builds them; a formula with an unknown name fails here."""

from engine.ops import (
    activation,
    activation_smooth,
    arithmetic,
    choosing,
    complex,
    conv,
    copying,
    create,
    cross_entropy,
    distance,
    embedding,
    exponential,
    index,
    linalg,
    linear,
    logic,
    loss,
    loss_margin,
    normalization,
    padding,
    pool,
    powers,
    reduce,
    resample,
    rounding,
    shape,
    softmax,
    special,
    trigonometric,
    vision,
)
from engine.registry import REGISTRY

REGISTRY.finish()

__all__ = [
    "activation", "activation_smooth", "arithmetic", "choosing", "complex", "conv", "copying", "create",
    "cross_entropy", "distance", "embedding", "exponential", "index", "linalg", "linear", "logic", "loss",
    "loss_margin", "normalization", "padding", "pool", "powers", "reduce", "resample", "rounding", "shape",
    "softmax", "special", "trigonometric", "vision",
]  # fmt: skip
