"""How arrays travel: row-major numbers, words for what JSON has not, a summary of what is large."""

from __future__ import annotations

import json
from dataclasses import asdict

import numpy as np
import pytest

from gradflow.engine.recording.values import Detail, number, shortened, summary, value
from gradflow.engine.trace import Corner

DETAIL = Detail(0)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (1.5, 1.5),
        (float("nan"), "NaN"),
        (float("inf"), "Infinity"),
        (float("-inf"), "-Infinity"),
        (True, True),
        (2**53, 2**53),
        (1 + 2j, "(1+2j)"),
        (-0.0, -0.0),
    ],
)
def test_an_element_as_json_can_carry_it(given: object, expected: object) -> None:
    assert number(given) == expected
    assert str(number(given)) == str(expected)


@pytest.mark.parametrize(
    ("array", "dtype", "data"),
    [
        (np.arange(6, dtype=np.float32).reshape(2, 3).T, "float32", [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]),
        (np.array(2, np.int64), "int64", [2]),
        (np.array([True, False]), "bool", [True, False]),
        (np.zeros((0, 3)), "float64", []),
        (np.array([1.0, np.nan, -np.inf]), "float64", [1.0, "NaN", "-Infinity"]),
    ],
)
def test_a_small_array_is_given_in_full(array: np.ndarray, dtype: str, data: list[object]) -> None:
    told = value(array, Detail(6))
    assert (told.shape, told.dtype, told.data, told.summary) == (list(array.shape), dtype, data, None)
    assert type(json.loads(json.dumps(asdict(told)))["data"]) is list


def test_the_limit_is_the_number_of_elements() -> None:
    array = np.ones((2, 3))
    assert value(array, Detail(6)).data is not None
    assert value(array, Detail(5)).data is None


def test_a_large_array_is_summarised() -> None:
    array = np.arange(12.0).reshape(3, 4)
    told = value(array, Detail(11)).summary
    assert told is not None
    assert (told.min, told.max, told.mean, told.nan, told.inf) == (0.0, 11.0, 5.5, 0, 0)
    assert told.norm == pytest.approx(np.sqrt((array**2).sum()))
    assert told.corner == Corner([3, 4], array.reshape(-1).tolist())


def test_a_summary_counts_what_is_not_finite_apart() -> None:
    told = summary(np.array([np.nan, np.inf, -np.inf, 3.0, 4.0]), DETAIL)
    assert (told.min, told.max, told.mean, told.norm, told.nan, told.inf) == (3.0, 4.0, 3.5, 5.0, 1, 2)


def test_a_summary_of_nothing_finite_has_no_numbers() -> None:
    told = summary(np.array([np.nan]), DETAIL)
    assert (told.min, told.max, told.mean, told.norm) == (None, None, None, None)


def test_the_corner_is_that_of_the_last_two_dimensions() -> None:
    array = np.arange(3 * 20 * 30).reshape(3, 20, 30)
    corner = summary(array, DETAIL).corner
    assert corner.shape == [8, 8]
    assert corner.data == array[0, :8, :8].reshape(-1).tolist()


def test_a_norm_of_float32_does_not_overflow() -> None:
    assert summary(np.full(4, 1e30, np.float32), DETAIL).norm == pytest.approx(2e30, rel=1e-6)


def test_short_numbers_are_read_back_as_the_same_float32() -> None:
    rng = np.random.default_rng(0)
    array = rng.integers(0, 2**32, 20_000, dtype=np.uint32).view(np.float32)
    array[:6] = [0.0, -0.0, 0.1, 16777217.0, np.finfo(np.float32).max, np.float32(1e-45)]
    told = shortened(array)
    assert np.array_equal(told.astype(np.float32), array, equal_nan=True)
    assert np.array_equal(np.signbit(told), np.signbit(array))
    usual = told[(np.abs(array) > 1e-10) & (np.abs(array) < 1e10)].tolist()
    assert len(usual) > 5000
    assert all(number == float(f"{number:.9g}") for number in usual)
    wide = np.array([0.1, 1 / 3])
    assert shortened(wide) is wide
