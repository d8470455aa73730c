"""Declarations of all operations. Importing this package builds them; a formula with an unknown name fails here."""

from engine.ops import (
    arithmetic,
    choosing,
    copying,
    create,
    exponential,
    index,
    linalg,
    logic,
    powers,
    reduce,
    rounding,
    shape,
    trigonometric,
)
from engine.registry import REGISTRY

REGISTRY.finish()

__all__ = [
    "arithmetic", "choosing", "copying", "create", "exponential", "index", "linalg", "logic", "powers", "reduce",
    "rounding", "shape", "trigonometric",
]  # fmt: skip
