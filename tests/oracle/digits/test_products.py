"""Products of float32 matrices add in the order of PyTorch's library, on the processors on which that was seen."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.oracle.digits.test_norms import share

CPU: Final = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
LAYERS: Final = [
    (3, 4, 5), (8, 8, 8), (10, 10, 10), (5, 20, 3), (16, 16, 16),
    (16, 6, 16), (33, 16, 7), (4, 9, 6), (7, 12, 11),  # what lies before the first whole vector of a row
    (16, 4, 1), (8, 8, 1), (32, 16, 1), (64, 10, 1), (5, 40, 1), (8, 784, 1),  # one column
    (1, 8, 4), (1, 16, 3), (1, 40, 20), (1, 10, 5),  # one row
    (5, 32, 32), (16, 32, 12), (8, 64, 64), (4, 100, 40), (7, 38, 12),  # results that NumPy's library treats as small
    (5, 193, 20), (9, 257, 30), (8, 300, 16), (6, 400, 12), (16, 400, 64), (32, 784, 10),  # long sums, in parts
]  # fmt: skip
PRODUCTS: Final = {
    "matrix and vector": "a, x = leaf(9, 30), leaf(30)\nshown(a @ x, a, x)",
    "transposed matrix and vector": "a, x = leaf(30, 9), leaf(30)\nshown(a.T @ x, a, x)",
    "vector and matrix": "a, x = leaf(30, 9), leaf(30)\nshown(x @ a, a, x)",
    "row and column": "a, x = leaf(1, 50), leaf(50, 1)\nshown(a @ x, a, x)",
    "row and turned row": "a, x = leaf(1, 50), leaf(1, 50)\nshown(a @ x.T, a, x)",
    "turned column and column": "a, x = leaf(50, 1), leaf(50, 1)\nshown(a.T @ x, a, x)",
    "vectors": "for n in (1, 2, 3, 4, 5, 8, 11, 12, 16, 20, 24, 31, 33, 64, 100, 1000):\n  a, b = leaf(n), leaf(n)\n  shown(a @ b, a, b)",
    "zeros": "print([torch.dot(torch.tensor([0.0] * n), torch.tensor([-1.0] * n)).item() for n in (1, 2, 4, 5, 9)])",
    "batches": "a, b = leaf(3, 5, 40), leaf(3, 40, 24)\nshown(a @ b, a, b)",
    "scores of attention": "q, k = leaf(4, 20, 64), leaf(4, 20, 64)\nshown(q @ k.mT, q, k)",
}
pytestmark = pytest.mark.skipif("AMD" not in CPU, reason="MKL has other kernels on other processors")


@pytest.mark.parametrize(("rows", "inner", "columns"), LAYERS)
def test_no_digit_of_a_layer_differs(rows: int, inner: int, columns: int) -> None:
    program = f"x, w, b = leaf({rows}, {inner}), leaf({columns}, {inner}), leaf({columns})"
    assert share(f"{program}\nshown(F.linear(x, w, b), x, w, b)") == 0


@pytest.mark.parametrize("name", PRODUCTS)
def test_no_digit_of_a_product_differs(name: str) -> None:
    assert share(PRODUCTS[name]) == 0
