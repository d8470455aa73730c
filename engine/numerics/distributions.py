"""Samples of the distributions beyond the uniform and the normal one, from the same words as PyTorch's.

All take the generator, a count and the parameters, and compute in double precision. Sources of the rejection methods:
W. Hörmann, The transformed rejection method for generating Poisson random variables (1993) and The generation of binomial
random variates (1993).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import numpy as np

from gradflow.engine.numerics.fused import fused
from gradflow.engine.numerics.limits import limits
from gradflow.engine.numerics.mersenne_twister import MersenneTwister

_F64: Final = np.dtype(np.float64)
_STIRLING: Final = (
    0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509, 0.0166446911898211,
    0.0138761288230707, 0.0118967099458917, 0.0104112652619720, 0.00925546218271273, 0.00833056343336287,
)  # fmt: skip
"""What Stirling's formula leaves of the logarithm of k!, for k from 0."""

Draw = Callable[[], float]


def exponential(source: MersenneTwister, count: int, rate: float) -> np.ndarray:
    """Waiting times."""
    return np.asarray(-1.0 / rate * np.log1p(-source.uniform(count, _F64)))


def geometric(source: MersenneTwister, count: int, p: float) -> np.ndarray:
    """The number of trials until the first success."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.ceil(np.log(source.uniform(count, _F64)) / np.log1p(-p)))


def cauchy(source: MersenneTwister, count: int, median: float, sigma: float) -> np.ndarray:
    """Tangents of random angles."""
    return fused(np.tan(math.pi * (source.uniform(count, _F64) - 0.5)), sigma, median)


def log_normal(source: MersenneTwister, count: int, mean: float, std: float) -> np.ndarray:
    """Numbers whose logarithms are normal."""
    return np.asarray(np.exp(fused(source.normal_pairs(count), std, mean)))


def largest(dtype: np.dtype) -> int:
    """The largest integer up to which a dtype holds all."""
    return int(2 ** (limits(dtype).nmant + 1) if dtype.kind in "fV" else np.iinfo(dtype).max)


def anything(source: MersenneTwister, count: int, dtype: np.dtype) -> np.ndarray:
    """Integers from 0 up to the largest that a dtype holds exactly."""
    bound = 2 if dtype.kind == "b" else largest(dtype) + 1
    words = source.words64(count) if dtype.itemsize == 8 else source.words(count)
    return np.asarray((words % np.uint64(bound)).astype(dtype))


# -- one at a time: how many numbers a sample takes is not known before ------------------------------------------------


@contextmanager
def _numbers(source: MersenneTwister) -> Iterator[Draw]:
    """Uniform numbers one after another; they are drawn ahead, and what is left is put back."""
    before, chunk, used, left = source.state(), 64, 0, iter([0.0][:0])

    def draw() -> float:
        nonlocal chunk, used, left
        used += 1
        for number in left:
            return float(number)
        chunk = min(2 * chunk, 1 << 16)
        left = iter(source.uniform(chunk, _F64).tolist())
        return float(next(left))

    seeded = source.seeded
    try:
        yield draw
    finally:
        source.restore(before)
        source.words(2 * used)
        source.seeded = seeded


def poisson(source: MersenneTwister, rates: np.ndarray) -> np.ndarray:
    """Numbers of events, for each rate."""
    with _numbers(source) as draw:
        return np.array([_poisson(rate, draw) for rate in rates.tolist()], np.float64)


def _poisson(rate: float, draw: Draw) -> int:
    if rate >= 10:
        return _poisson_rejected(rate, draw)
    if rate == 0:
        return 0
    count, product, bound = 0, draw(), math.exp(-rate)
    while product > bound:
        count += 1
        product *= draw()
    return count


def _poisson_rejected(rate: float, draw: Draw) -> int:
    log_rate = math.log(rate)
    b = 0.931 + 2.53 * math.sqrt(rate)
    a = -0.059 + 0.02483 * b
    log_inverse_alpha = math.log(1.1239 + 1.1328 / (b - 3.4))
    tight = 0.9277 - 3.6224 / (b - 2)
    while True:
        u, v = draw() - 0.5, draw()
        us = 0.5 - abs(u)
        if us == 0:
            continue
        k = math.floor((2 * a / us + b) * u + rate + 0.43)
        if us >= 0.07 and v <= tight:
            return k
        if k < 0 or (us < 0.013 and v > us):
            continue
        likelihood = -rate + k * log_rate - math.lgamma(k + 1)
        if (math.log(v) if v else -math.inf) + log_inverse_alpha - math.log(a / (us * us) + b) <= likelihood:
            return k


def binomial(source: MersenneTwister, counts: np.ndarray, probabilities: np.ndarray) -> np.ndarray:
    """Numbers of successes among ``counts`` trials."""
    with _numbers(source) as draw:
        pairs = zip(counts.tolist(), probabilities.tolist(), strict=True)
        return np.array([_binomial(n, p, draw) for n, p in pairs], np.float64)


def _binomial(n: float, p: float, draw: Draw) -> float:
    if math.isnan(n) or math.isnan(p):
        return math.nan
    if n <= 0 or p <= 0:
        return 0.0
    if p >= 1:
        return n
    rare = min(p, 1 - p) if p > 0.5 else p
    successes = _binomial_rejected(n, rare, draw) if n * rare >= 10 else _binomial_by_gaps(n, rare, draw)
    return n - successes if p > 0.5 else successes


def _binomial_by_gaps(n: float, p: float, draw: Draw) -> float:
    """The gaps between successes are geometric."""
    scale, trials, successes = math.log1p(-p), 0.0, 0
    while True:
        u = draw()
        trials += math.ceil(math.log(u) / scale) if u else math.inf
        if trials > n:
            return successes
        successes += 1


def _binomial_rejected(n: float, p: float, draw: Draw) -> float:
    deviation = math.sqrt(n * p * (1 - p))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * p
    tight, ratio, alpha = 0.92 - 4.2 / b, p / (1 - p), (2.83 + 5.1 / b) * deviation
    mode = math.floor((n + 1) * p)
    while True:
        u, v = draw() - 0.5, draw()
        us = 0.5 - abs(u)
        if us == 0:
            continue
        k = math.floor((2 * a / us + b) * u + n * p + 0.5)
        if k < 0 or k > n:
            continue
        if us >= 0.07 and v <= tight:
            return k
        accepted = v * alpha / (a / (us * us) + b)
        if not accepted or math.log(accepted) <= _binomial_bound(n, k, mode, ratio):
            return k


def _binomial_bound(n: float, k: int, mode: int, ratio: float) -> float:
    return (
        (mode + 0.5) * math.log((mode + 1) / (ratio * (n - mode + 1)))
        + (n + 1) * math.log((n - mode + 1) / (n - k + 1))
        + (k + 0.5) * math.log(ratio * (n - k + 1) / (k + 1))
        + _stirling_tail(mode)
        + _stirling_tail(n - mode)
        - _stirling_tail(k)
        - _stirling_tail(n - k)
    )


def _stirling_tail(k: float) -> float:
    if k <= 9:
        return _STIRLING[int(k)]
    square = (k + 1) * (k + 1)
    return (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1)


# -- categories --------------------------------------------------------------------------------------------------------


def multinomial(source: MersenneTwister, rows: np.ndarray, count: int, replacement: bool) -> np.ndarray:
    """``count`` columns of each row, each drawn with the probability that stands in it."""
    if replacement and count > 1:
        return _with_replacement(source, rows, count)
    waiting = exponential(source, rows.size, 1.0).astype(rows.dtype).reshape(rows.shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        first = rows / waiting
    return np.asarray(np.argsort(-first, axis=1, kind="stable")[:, :count])


def _with_replacement(source: MersenneTwister, rows: np.ndarray, count: int) -> np.ndarray:
    cumulative = np.cumsum(rows, axis=1, dtype=rows.dtype)
    cumulative = (cumulative / cumulative[:, -1:]).astype(np.float64)
    numbers = source.uniform(rows.shape[0] * count, _F64).reshape(-1, count)
    drawn = [np.searchsorted(row, number, side="left") for row, number in zip(cumulative, numbers, strict=True)]
    return np.array(drawn, np.int64).reshape(rows.shape[0], count)
