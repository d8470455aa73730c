"""Square roots of float32 have the digits of PyTorch's library, on the processors on which they were seen."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from gradflow.engine.numerics.libraries.square_root import square_root
from tests.oracle.digits.test_norms import share
from tests.oracle.digits.test_products import CPU

pytestmark = pytest.mark.skipif("AMD" not in CPU, reason="MKL has other kernels on other processors")


def agrees(bits: np.ndarray) -> bool:
    """Whether the roots of the numbers with these bits are PyTorch's."""
    numbers = bits.astype(np.uint32).view(np.float32)
    with np.errstate(all="ignore"):
        return np.array_equal(square_root(numbers), torch.sqrt(torch.from_numpy(numbers)).numpy(), equal_nan=True)


def test_all_numbers_from_one_to_four_have_the_root_of_pytorch() -> None:
    assert agrees(0x3F800000 + np.arange(1 << 24))


def test_numbers_of_all_sizes_have_it() -> None:
    assert agrees(np.random.default_rng(0).integers(0, 1 << 32, 1_000_000))
    assert agrees(np.arange(0x7F7FE000, 0x7F800003))  # the greatest, infinity, NaN
    assert agrees(np.array([0, 1 << 31, 1, 0x007FFFFF, 0x00800000, 0xBF800000, 0xFF800000]))


@pytest.mark.parametrize("rule", ["sqrt()", "pow(0.5)", "T.sqrt()", "rsqrt()"])
def test_operations_have_it(rule: str) -> None:
    assert share(f"x = leaf(40, 30)\nshown(x.abs().{rule}, x)") == 0


@pytest.mark.parametrize("name", ["Adam", "AdamW", "NAdam", "RAdam", "RMSprop", "Adagrad", "Adadelta"])
def test_optimizers_have_it(name: str) -> None:
    steps = "for _ in range(9):\n  p.grad = torch.randn(100)\n  o.step()\n"
    assert share(f"p = leaf(100)\no = torch.optim.{name}([p], lr=0.01)\n{steps}shown(p)") == 0
