"""How samples move with their parameters, against differences of the distribution function."""

from __future__ import annotations

import numpy as np
import pytest

from gradflow.engine.numerics import incomplete_gamma
from gradflow.engine.numerics.gamma_samples import beta_slope, gamma_slope
from gradflow.engine.numerics.special import lgamma

STEP = 1e-5


@pytest.mark.parametrize("alpha", [0.1, 0.7, 1.0, 5.0, 20.0, 100.0])
def test_a_gamma_sample_moves_as_its_distribution_function_says(alpha: float) -> None:
    x = alpha * np.array([0.8, 0.95, 1.05, 1.2])
    with np.errstate(all="ignore"):  # at zeros of the sine
        density = np.exp((alpha - 1) * np.log(x) - x - lgamma(np.array(alpha)))
        above, below = (incomplete_gamma.lower(np.array(alpha * (1 + step)), x) for step in (STEP, -STEP))
    expected = -(above - below) / (2 * STEP * alpha) / density
    np.testing.assert_allclose(gamma_slope(np.array(alpha), x), expected, rtol=1e-5)


@pytest.mark.parametrize("a", [0.3, 1.0, 2.5, 30.0])
def test_a_beta_sample_with_a_known_quantile_moves_as_that(a: float) -> None:
    """Where the second concentration is 1, the sample with probability u is u ** (1 / a)."""
    u = np.array([0.05, 0.3, 0.5, 0.9])
    x = u ** (1 / a)
    np.testing.assert_allclose(beta_slope(x, np.array(a), np.array(1.0)), -x * np.log(u) / a**2, rtol=1e-9)


def test_beta_samples_of_equal_weights_move_alike_from_both_sides() -> None:
    one, other = (beta_slope(np.array(x), np.array(2.0), np.array(2.0)) for x in (0.25, 0.75))
    assert one == pytest.approx(float(beta_slope(np.array(0.25), np.array(2.0), np.array(2.0))))
    assert one > 0 < other
