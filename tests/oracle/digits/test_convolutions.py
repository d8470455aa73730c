"""Convolutions of float32 add in the order of PyTorch's library, on the processors on which that was seen."""

from __future__ import annotations

from typing import Final

import pytest

from tests.oracle.digits.test_norms import share
from tests.oracle.digits.test_products import CPU

THREADS: Final = 2  # between which PyTorch divides the images, as on the machines that this is for
PLANES: Final = [  # images, channels, filters, size, then the arguments
    (8, 1, 4, 8, "padding=1"), (8, 3, 8, 8, "padding=1"), (4, 8, 16, 8, "stride=2, padding=1"), (4, 16, 16, 8, "padding=1"),
    (2, 32, 16, 8, "padding=1"), (4, 16, 32, 8, "padding=1"), (2, 17, 5, 7, "padding=1"), (3, 32, 32, 6, "padding=1"),
    (4, 3, 8, 9, "stride=2, padding=1"), (2, 4, 32, 8, "stride=2, padding=1"), (4, 3, 6, 9, "padding=2, dilation=2"),
    (4, 8, 8, 6, "padding=1, groups=8"), (16, 1, 2, 20, ""), (2, 3, 4, 5, "stride=3"),
    (4, 12, 8, 6, "padding=1"), (1, 3, 8, 8, "padding=1"), (8, 1, 1, 6, "padding=1"),
]  # fmt: skip
KERNELS: Final = [  # images, channels, filters, size, kernel, then the arguments
    (4, 4, 8, 6, (1, 1), ""), (8, 32, 64, 4, (1, 1), ""), (2, 64, 16, 5, (1, 1), ""), (4, 16, 32, 8, (1, 1), "stride=2"),
    (4, 1, 8, 12, (5, 5), ""), (4, 2, 6, 8, (4, 4), "stride=2, padding=1"), (4, 8, 8, 8, (2, 2), "stride=2"),
    (1, 8, 8, 8, (5, 5), "padding=2"), (3, 4, 8, 6, (1, 3), "padding=(0, 1)"), (16, 1, 2, 16, (5, 5), "padding=2"),
]  # fmt: skip
TRANSPOSED: Final = [
    (3, 8, 4, 5, 2, "stride=2"), (4, 16, 8, 4, 3, "stride=2, padding=1, output_padding=1"), (4, 32, 16, 4, 4, "stride=2, padding=1"),
    (2, 8, 8, 6, 3, "padding=1"), (4, 4, 1, 7, 4, "stride=2, padding=1"), (4, 64, 32, 1, 4, ""),
]  # fmt: skip
pytestmark = pytest.mark.skipif(
    "AMD" not in CPU or "avx512f" not in CPU, reason="oneDNN has other kernels on other processors"
)


def differing(call: str, x: tuple[int, ...], w: tuple[int, ...], bias: int, arguments: str) -> float:
    """The share of the results and gradients of a convolution that differ in any bit, with a bias and without."""
    begin = f"x, w, b = leaf{x}, leaf{w}, leaf({bias})\n"
    return share(f"{begin}shown(F.{call}(x, w, b, {arguments}), x, w, b)", THREADS) + share(
        f"{begin}shown(F.{call}(x, w, None, {arguments}), x, w)", THREADS
    )


@pytest.mark.parametrize("case", PLANES, ids=str)
def test_no_digit_of_a_window_of_three_differs(case: tuple[int, int, int, int, str]) -> None:
    n, channels, filters, size, arguments = case
    groups = 8 if "groups" in arguments else 1
    assert differing("conv2d", (n, channels, size, size), (filters, channels // groups, 3, 3), filters, arguments) == 0


@pytest.mark.parametrize("case", KERNELS, ids=str)
def test_no_digit_of_other_windows_differs(case: tuple[int, int, int, int, tuple[int, int], str]) -> None:
    n, channels, filters, size, kernel, arguments = case
    assert differing("conv2d", (n, channels, size, size), (filters, channels, *kernel), filters, arguments) == 0


@pytest.mark.parametrize(("n", "channels", "filters", "size"), [(4, 4, 8, 10), (4, 16, 32, 20), (4, 3, 16, 16)])
def test_no_digit_of_one_dimension_differs(n: int, channels: int, filters: int, size: int) -> None:
    assert differing("conv1d", (n, channels, size), (filters, channels, 3), filters, "padding=1") == 0


@pytest.mark.parametrize("case", TRANSPOSED, ids=str)
def test_no_digit_of_a_transposed_one_differs(case: tuple[int, int, int, int, int, str]) -> None:
    n, channels, filters, size, kernel, arguments = case
    shapes = (n, channels, size, size), (channels, filters, kernel, kernel)
    assert differing("conv_transpose2d", *shapes, filters, arguments) == 0
