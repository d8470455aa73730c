"""Sums add in PyTorch's order: what is compared are all bits, recorded from PyTorch 2.13."""

from __future__ import annotations

import numpy as np
import pytest

from gradflow.engine.numerics.sums import (
    cascade_mean,
    cascade_sum,
    euclidean_norm,
    line_sum,
    sum_in_order,
    sum_of_losses,
)


def numbers(count: int, dtype: str) -> np.ndarray:
    return ((np.arange(count) * 7919 % 1009 - 504) / 37).astype(dtype)


def bits(values: object) -> str:
    return " ".join(float(value).hex() for value in np.asarray(values).ravel()[-3:])


@pytest.mark.parametrize(
    ("shape", "dtype", "axis", "expected"),
    [
        ((7,), "float32", None, "-0x1.2914c00000000p+4"),
        ((17,), "float64", None, "-0x1.8dd67c8a60dd8p+1"),
        ((6, 3), "float64", (0,), "-0x1.660dd67c8a60ep+4 0x1.d67c8a60dd67dp+2 0x1.39f22983759f0p+3"),
        ((16, 40), "float32", (0,), "0x1.54c1c00000000p+3 -0x1.f229800000000p-1 -0x1.9306f00000000p+3"),
        ((3, 33), "float32", (1,), "-0x1.dd67c00000000p+3 0x1.1914c40000000p+3 0x1.4dd6740000000p+2"),
        ((300, 3), "float32", (0,), "0x1.61baca0000000p+5 -0x1.7b3e3c0000000p+4 0x1.1759e40000000p+4"),
        ((4, 3, 5, 5), "float32", (0, 2, 3), "0x1.4c1bc00000000p+2 0x1.6453240000000p+1 0x1.8376800000000p-2"),
        ((2, 9, 5), "float64", (1,), "0x1.dd67c8a60dd54p+0 0x1.3306eb3e45306p+4 -0x1.206eb3e45306fp+4"),
        ((1000,), "float32", None, "0x1.2530980000000p+4"),
    ],
)
def test_sums_have_pytorchs_bits(
    shape: tuple[int, ...], dtype: str, axis: tuple[int, ...] | None, expected: str
) -> None:
    array = numbers(int(np.prod(shape)), dtype).reshape(shape)
    assert bits(cascade_sum(array, axis)) == expected


@pytest.mark.parametrize(
    ("shape", "dtype", "order", "axis", "expected"),
    [
        ((7,), "float32", 2, None, "0x1.61c3ac0000000p+4"),
        ((22,), "float32", 2, None, "0x1.3661ec0000000p+5"),
        ((200,), "float32", 2, None, "0x1.bfd61a0000000p+6"),
        ((11,), "float64", 2, None, "0x1.a998706f80d44p+4"),
        ((10, 30), "float32", 2, (1,), "0x1.665a000000000p+5 0x1.4cc1580000000p+5 0x1.62f4e80000000p+5"),
        ((30, 10), "float32", 2, (0,), "0x1.5f47500000000p+5 0x1.5b500a0000000p+5 0x1.55b7cc0000000p+5"),
        ((3, 5, 7), "float64", 2, (0, 2), "0x1.1f2ef3a596b38p+5 0x1.1c52b0b6b6b14p+5 0x1.22e9781994ca9p+5"),
        ((4, 6, 8), "float32", 2, (1, 2), "0x1.ae493c0000000p+5 0x1.adb80e0000000p+5 0x1.bc77500000000p+5"),
        ((60,), "float32", 1, None, "0x1.9d4c200000000p+8"),
        ((9, 33), "float32", 1, (1,), "0x1.c28a620000000p+7 0x1.c2c1bc0000000p+7 0x1.c2b3e80000000p+7"),
        ((3, 5, 7), "float64", 1, (0, 2), "0x1.1dc8a60dd67c8p+7 0x1.19e45306eb3e4p+7 0x1.1f22983759f23p+7"),
    ],
)
def test_norms_have_pytorchs_bits(
    shape: tuple[int, ...], dtype: str, order: int, axis: tuple[int, ...] | None, expected: str
) -> None:
    array = numbers(int(np.prod(shape)), dtype).reshape(shape)
    found = euclidean_norm(array, axis) if order == 2 else sum_in_order(np.abs(array), axis)
    assert bits(found) == expected
    kept = euclidean_norm(array, axis, True) if order == 2 else sum_in_order(np.abs(array), axis, True)
    assert kept.shape == array.sum(axis=axis, keepdims=True).shape


def test_a_transposed_array_adds_as_it_lies_in_memory() -> None:
    array = numbers(120, "float32").reshape(6, 20)
    assert bits(cascade_sum(array.T, (0,))) == bits(cascade_sum(array, (1,)))


@pytest.mark.parametrize("axis", [None, (0,), (-1,), (0, 2)])
def test_the_mean_is_the_sum_by_the_number(axis: tuple[int, ...] | None) -> None:
    array = numbers(210, "float32").reshape(5, 6, 7)
    kept = cascade_mean(array, None if axis is None else tuple(i % 3 for i in axis), keepdims=True)
    assert kept.shape == array.mean(axis=axis, keepdims=True).shape
    np.testing.assert_allclose(kept, array.mean(axis=axis, keepdims=True), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(
    "array", [np.arange(9), np.ones(9, np.float16), np.ones(9, np.complex64), np.zeros((0, 3), np.float32)]
)
def test_other_numbers_add_as_numpy_adds_them(array: np.ndarray) -> None:
    assert np.array_equal(cascade_sum(array, 0), array.sum(axis=0))


def test_repeated_elements_add_as_numpy_adds_them() -> None:
    array = np.broadcast_to(numbers(5, "float32"), (8, 5))
    assert np.array_equal(cascade_sum(array, None), array.sum())


def test_the_first_term_of_losses_is_added_last() -> None:
    terms = -numbers(60, "float32").reshape(20, 3)[np.arange(20), np.arange(20) % 3]
    assert bits(sum_of_losses(terms, np.ones(20, bool))) == "0x1.08a6100000000p+3"


@pytest.mark.parametrize("length", [3, 10, 16, 21, 40])
def test_lines_of_softmax_add_all_their_elements(length: int) -> None:
    array = numbers(4 * length, "float64").reshape(4, length)
    np.testing.assert_allclose(line_sum(array, -1), array.sum(-1, keepdims=True), rtol=1e-13)


@pytest.mark.parametrize("count", [1, 3, 9, 40])
def test_no_sum_is_a_negative_zero(count: int) -> None:
    zeros = -np.zeros((count, 2), np.float32)
    kept = np.ones(zeros.shape, bool)
    losses = sum_of_losses(zeros, kept), sum_of_losses(zeros, ~kept)
    for found in (cascade_sum(zeros, None), cascade_sum(zeros, (0,)), cascade_sum(zeros, (1,)), *losses):
        assert not np.signbit(found).any()
