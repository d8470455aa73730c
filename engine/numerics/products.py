"""Products of matrices, with the signs of PyTorch's zeros."""

from __future__ import annotations

import numpy as np


def matrix_product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """``a @ b``. Of a column and a row PyTorch adds nothing up: a product that is -0 stays so, and is not 0 + -0.

    Shapes as NumPy takes them. Seen with PyTorch 2.13: of matrices of one column and one row, both longer than one.
    """
    is_outer = a.shape[-1] == 1 and a.ndim == b.ndim == 2 and a.shape[0] > 1 and b.shape[-1] > 1 and a.dtype.kind == "f"
    product: np.ndarray = np.multiply(a, b, order="C") if is_outer else a @ b
    return product
