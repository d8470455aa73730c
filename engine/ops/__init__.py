"""Declarations of all operations. Importing this package builds them; a formula with an unknown name fails here."""

from engine.ops import create, index, linalg, pointwise, reduce, shape
from engine.registry import REGISTRY

REGISTRY.finish()

__all__ = ["create", "index", "linalg", "pointwise", "reduce", "shape"]
