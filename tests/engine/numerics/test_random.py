"""Random numbers: one rounding of a product and a sum, states that go out and in, numbers drawn ahead and put back."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from gradflow.engine.numerics import distributions
from gradflow.engine.numerics.fused import fused
from gradflow.engine.numerics.mersenne_twister import STATE_SIZE, MersenneTwister


def nearest(value: Fraction, kind: type[np.floating]) -> np.floating:
    """The representable number next to an exact one, ties to even."""
    if kind is np.float64:
        return np.float64(float(value))
    low = np.float32(float(value))
    around = (np.nextafter(low, np.float32(-np.inf)), low, np.nextafter(low, np.float32(np.inf)))
    return min(around, key=lambda v: (abs(Fraction(float(v)) - value), int(v.view(np.int32)) & 1))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_a_fused_product_and_sum_is_rounded_once(kind: type[np.floating]) -> None:
    a, b, c = np.random.default_rng(0).normal(size=(3, 2000)).astype(kind)
    exact = [
        nearest(Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z)), kind)
        for x, y, z in zip(a, b, c, strict=True)
    ]
    np.testing.assert_array_equal(fused(a, b, c), exact)


def test_a_sum_halfway_between_two_numbers_looks_at_what_was_lost() -> None:
    a, b = np.array([1 + 2.0**-12], np.float32), np.array([1 + 2.0**-12], np.float32)
    c = np.array([2.0**-60], np.float32)
    for sign in (1, -1):
        expected = nearest(Fraction(float(a[0])) * Fraction(float(b[0])) + sign * Fraction(float(c[0])), np.float32)
        assert fused(a, b, sign * c)[0] == expected


@pytest.mark.parametrize("drawn", [0, 1, 3, 623, 624, 625, 1000])
def test_a_state_goes_out_and_in(drawn: int) -> None:
    source, other = MersenneTwister(5), MersenneTwister(6)
    source.words(drawn)
    source.normal_pairs(3)
    state = source.state()
    other.restore(state)
    assert state.size == STATE_SIZE
    assert np.array_equal(other.state(), state)
    assert np.array_equal(other.normal_pairs(5), source.normal_pairs(5))


def test_numbers_drawn_ahead_are_put_back() -> None:
    source, other = MersenneTwister(5), MersenneTwister(5)
    counts = distributions.poisson(source, np.array([0.0, 0.0]))  # takes no number at all
    assert counts.tolist() == [0.0, 0.0]
    assert np.array_equal(source.state(), other.state())
    distributions.binomial(source, np.array([3.0, 3.0]), np.array([0.0, 1.0]))
    assert np.array_equal(source.words(3), other.words(3))
