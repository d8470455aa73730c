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
    cumulative,
    distance,
    embedding,
    exponential,
    gathering,
    index,
    linalg,
    linear,
    logic,
    loss,
    loss_margin,
    moving,
    normalization,
    padding,
    parts,
    pool,
    powers,
    reduce,
    resample,
    rounding,
    shape,
    slices,
    softmax,
    sorting,
    special,
    statistics,
    taking,
    trigonometric,
    vision,
)
from engine.registry import REGISTRY

REGISTRY.finish()

__all__ = [
    "activation", "activation_smooth", "arithmetic", "choosing", "complex", "conv", "copying", "create",
    "cross_entropy", "cumulative", "distance", "embedding", "exponential", "gathering", "index", "linalg", "linear",
    "logic", "loss", "loss_margin", "moving", "normalization", "padding", "parts", "pool", "powers", "reduce",
    "resample", "rounding", "shape", "slices", "softmax", "sorting", "special", "statistics", "taking",
    "trigonometric", "vision",
]  # fmt: skip
