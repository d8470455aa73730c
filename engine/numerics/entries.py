"""A dense array that remembers of which entries it was made: the gradient of a table of which few rows were read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, TypeGuard

import numpy as np


class Entries(np.ndarray[Any, Any]):
    """Zeros with entries added. ``places``: (dimensions, entries) int64; ``values``: an array for each entry.

    What NumPy computes of it is an array like any other, but for the sum of two.
    """

    places: np.ndarray[Any, Any] | None
    values: np.ndarray[Any, Any] | None
    as_tensor: ClassVar[Callable[[Entries], Any]]
    """Makes a sparse tensor of it; set by those who have such tensors."""
    added_to: ClassVar[Callable[[Any, Any], Any]]
    """The sum of a sparse tensor and a gradient; set likewise."""
    joined: ClassVar[Callable[[Entries, Entries, np.ndarray[Any, Any]], Entries]]
    """The sum of two, of which the dense one is given; set likewise."""

    def __array_finalize__(self, source: Any) -> None:
        self.places = self.values = None

    def __add__(self, other: Any) -> Any:
        total = np.asarray(self) + np.asarray(other)
        if not isinstance(other, Entries) or not (self.is_sparse and other.is_sparse):
            return total
        return Entries.joined(self, other, total)

    @property
    def is_sparse(self) -> bool:
        """Whether the entries are still known."""
        return self.places is not None


def entries(dense: np.ndarray[Any, Any], places: np.ndarray[Any, Any], values: np.ndarray[Any, Any]) -> Entries:
    """An array with the entries that it was made of."""
    made: Entries = dense.view(Entries)
    made.places, made.values = places, values
    return made


def is_entries(array: Any) -> TypeGuard[Entries]:
    """Whether a gradient is to become a sparse tensor."""
    return array.__class__ is Entries and array.is_sparse
