"""Fourier transforms: the lengths, dimensions and kinds of numbers that they take."""

from __future__ import annotations

from typing import Final

from gradflow.engine.errors.error_kind import ErrorKind

FOURIER_REFUSED: Final = ErrorKind(
    "fourier-refused",
    RuntimeError,
    "{message}",
    """The transform does not take this tensor with these settings.
    Look at its dtype, at the number of points and at the dimensions.""",
    """变换不接受这样的张量或设置。
    请检查它的 dtype、点数和维度。""",
)
