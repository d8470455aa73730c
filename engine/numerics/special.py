"""Special functions on float64 arrays: the error function, the gamma function and the modified Bessel functions.

Smooth parts are Chebyshev series, fitted with 40 digits; the gamma family shifts its argument to where Stirling's series
converges (https://dlmf.nist.gov/5.11, 7.17, 10.40, 25.11).
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any, Final, TypeAlias

import numpy as np

Doubles: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]

_SQRT_PI: Final = math.sqrt(math.pi)
_chebval: Final = np.polynomial.chebyshev.chebval

_ERFCX: Final = np.array(
    [
        -0.6513268598908547,
        0.6419697923564902,
        0.019476473204185836,
        -0.009561514786808632,
        -0.0009465953444820369,
        0.00036683949785276145,
        4.252332480690777e-05,
        -2.0278578112534242e-05,
        -1.6242900046470256e-06,
        1.3036558355805232e-06,
        1.5626441722066142e-08,
        -8.523809591492654e-08,
        6.5290544390988515e-09,
        5.059343495551469e-09,
        -9.91364156493033e-10,
        -2.273651222931836e-10,
        9.646791102015527e-11,
        2.3940380830391146e-12,
        -6.886027526497553e-12,
        8.944879273090725e-13,
        3.130921399342958e-13,
        -1.1270822361367252e-13,
        3.810905255189232e-16,
        7.106097613609237e-15,
        -1.5230282014571043e-15,
        -9.457494571291233e-17,
        1.210237189224279e-16,
        -2.816663087747177e-17,
        5.003005559445902e-20,
        2.3281042579529253e-18,
    ]
)
_I0E_NEAR: Final = np.array(
    [
        0.33839763720473803,
        -0.3046826723431984,
        0.17162090152220877,
        -0.09490109704804764,
        0.04930528423967071,
        -0.02373741480589947,
        0.010546460394594998,
        -0.004324309995050576,
        0.0016394756169413357,
        -0.0005763755745385824,
        0.00018850288509584165,
        -5.754195010082104e-05,
        1.6448448070728896e-05,
        -4.4167383584587505e-06,
        1.1173875391201037e-06,
        -2.670793853940612e-07,
        6.046995022541919e-08,
        -1.300025009986248e-08,
        2.6598237246823866e-09,
        -5.189795601635263e-10,
        9.675809035373237e-11,
        -1.726826291441556e-11,
        2.95505266312964e-12,
        -4.856446783111929e-13,
        7.676185498604936e-14,
        -1.1685332877993451e-14,
        1.715391285555133e-15,
        -2.431279846547955e-16,
        3.3307945188222384e-17,
        -4.4153416464793395e-18,
    ]
)
_I0E_FAR: Final = np.array(
    [
        0.4022452055070544,
        0.0033691164782556943,
        6.889758346916825e-05,
        2.8913705208347567e-06,
        2.0489185894690638e-07,
        2.266668990498178e-08,
        3.3962320257083865e-09,
        4.94060238822497e-10,
        1.1889147107846439e-11,
        -3.1499165279632416e-11,
        -1.3215811840447713e-11,
        -1.7941785315068062e-12,
        7.180124451383666e-13,
        3.8527783827421426e-13,
        1.54008621752141e-14,
        -4.150569347287222e-14,
        -9.554846698828307e-15,
        3.8116806693526224e-15,
        1.7725601330565263e-15,
        -3.425485619677219e-16,
        -2.8276239805165836e-16,
        3.461222867697461e-17,
        4.46562142029676e-17,
        -4.830504485944182e-18,
        -7.233180487874754e-18,
        9.92147541217369e-19,
        1.1936508908459817e-18,
    ]
)
_I1E_NEAR: Final = np.array(
    [
        0.12629359322181682,
        -0.17641651835783406,
        0.1026436586898471,
        -0.05294598120809499,
        0.024726449030626516,
        -0.010564084894626197,
        0.004156422944312888,
        -0.0015135724506312532,
        0.0005122859561685758,
        -0.00016176081582589674,
        4.781565107550054e-05,
        -1.3273163656039436e-05,
        3.4702513081376785e-06,
        -8.568720264695455e-07,
        2.0032947535521353e-07,
        -4.445059128796328e-08,
        9.381537386495773e-09,
        -1.8872497517228294e-09,
        3.625590281552117e-10,
        -6.663489723502027e-11,
        1.1736186298890901e-11,
        -1.9839743977649436e-12,
        3.223793365945575e-13,
        -5.042185504727912e-14,
        7.600684294735408e-15,
        -1.1055969477353862e-15,
        1.5536319577362005e-16,
        -2.111421214358166e-17,
        2.7779141127610464e-18,
    ]
)
_I1E_FAR: Final = np.array(
    [
        0.38928811750914005,
        -0.009761097491361469,
        -0.00011058893876262371,
        -3.882564808877691e-06,
        -2.512236237870209e-07,
        -2.6314688468895196e-08,
        -3.835380385964237e-09,
        -5.589743462196584e-10,
        -1.8974958123505413e-11,
        3.2526035830154884e-11,
        1.4125807436613782e-11,
        2.0356285441470896e-12,
        -7.198551776245908e-13,
        -4.0835511110921974e-13,
        -2.1015418427726643e-14,
        4.272440016711951e-14,
        1.0420276984128802e-14,
        -3.8144030724370075e-15,
        -1.8803547755107825e-15,
        3.3082023109209285e-16,
        2.96262899764595e-16,
        -3.209525921993424e-17,
        -4.650305368489358e-17,
        4.414348323071708e-18,
        7.517296310842104e-18,
        -9.314178867326875e-19,
        -1.2421932751948906e-18,
    ]
)


# -- the error function ------------------------------------------------------------------------------------------------


def erfcx(x: Doubles) -> Doubles:
    """exp(x²) · erfc(x)."""
    size = np.abs(x)
    t = 2 / (2 + size)
    positive = np.where(np.isinf(size), 0.0, t * np.exp(_chebval(2 * t - 1, _ERFCX)))
    return np.where(x < 0, 2 * np.exp(x * x) - positive, positive)


def erfc(x: Doubles) -> Doubles:
    """1 - erf(x), exact in its tail: x² is squared in two parts there."""
    size = np.abs(x)
    coarse = np.asarray(size, np.float32).astype(np.float64)
    tail = np.exp(-coarse * coarse) * np.exp(-(size - coarse) * (size + coarse)) * erfcx(size)
    tail = np.where(size > 27, 0.0, tail)
    tail = np.where(np.isnan(x), x, tail)
    return np.where(size < 0.5, 1 - erf_series(x), np.where(x < 0, 2 - tail, tail))


def erf_series(x: Doubles) -> Doubles:
    """Taylor's series of erf, for |x| < 0.5."""
    small = np.where(np.abs(x) < 0.5, x, 0.0)
    square = small * small
    total = np.zeros_like(small)
    for n in range(14, -1, -1):
        total = total * square + (-1) ** n / (math.factorial(n) * (2 * n + 1))
    return total * small * (2 / _SQRT_PI)


def erf(x: Doubles) -> Doubles:
    """The error function."""
    return np.where(np.abs(x) < 0.5, erf_series(x), np.sign(x) * (1 - erfc(np.abs(x))))


def erfinv(y: Doubles) -> Doubles:
    """The inverse of erf: Winitzki's approximation, made exact by Halley's steps."""
    size = np.abs(y)
    log = np.log1p(-size * size)
    middle = 2 / (math.pi * 0.147) + log / 2
    x = np.sqrt(np.sqrt(middle * middle - log / 0.147) - middle)
    for _ in range(3):
        error = np.where(size < 0.5, erf(x) - size, (1 - size) - erfc(x))
        step = error * np.exp(x * x) * (_SQRT_PI / 2)
        x = x - step / (1 + x * step)
    x = np.where(size == 1, np.inf, np.where(size == 0, 0.0, x))
    return np.copysign(x, y)


def log_ndtr(x: Doubles) -> Doubles:
    """The logarithm of the normal distribution's area left of x."""
    t = x * math.sqrt(0.5)
    return np.where(x < -1, np.log(erfcx(-t) / 2) - t * t, np.log1p(-erfc(t) / 2))


def ndtri(p: Doubles) -> Doubles:
    """The inverse of the normal distribution function: Newton's steps on the logarithm of the smaller tail."""
    tail = np.minimum(p, 1 - p)
    log = np.log(tail)
    far = -2 * log
    x = np.where(tail > 0.01, math.sqrt(2) * erfinv(2 * tail - 1), -np.sqrt(far - np.log(far) - math.log(2 * math.pi)))
    for _ in range(5):
        area = log_ndtr(x)
        x = x - (area - log) * np.exp(area + x * x / 2) * math.sqrt(2 * math.pi)
    x = np.where(tail == 0, -np.inf, np.where(tail == 0.5, 0.0, x))
    return np.where(p > 0.5, -x, x)


# -- the gamma function ------------------------------------------------------------------------------------------------

_SHIFT: Final = 12
_BERNOULLI: Final = (
    1 / 6,
    -1 / 30,
    1 / 42,
    -1 / 30,
    5 / 66,
    -691 / 2730,
    7 / 6,
    -3617 / 510,
    43867 / 798,
    -174611 / 330,
)


def lgamma(x: Doubles) -> Doubles:
    """log |Γ(x)|; infinite at 0 and at the negative integers."""
    reflected = x < 0.5
    upper = np.where(reflected, 1 - x, x)
    product = np.ones_like(upper)
    shifted = upper.copy()
    for _ in range(_SHIFT):
        low = shifted < _SHIFT
        product = np.where(low, product * shifted, product)
        shifted = np.where(low, shifted + 1, shifted)
    value = np.where(np.isinf(upper), np.inf, _stirling(shifted) - np.log(product))
    sine = np.abs(np.sin(math.pi * (x - np.round(x))))
    below = math.log(math.pi) - np.log(sine) - value
    result = np.where(np.isinf(x), np.inf, np.where(reflected, below, value))
    for zero in (1.0, 2.0):
        near = np.abs(x - zero) < 0.2
        if near.any():
            result = np.where(near, _lgamma_beside(np.where(near, x - zero, 0.0), zero), result)
    return result


@cache
def _zeta_numbers() -> list[float]:
    """ζ(k) for k from 2."""
    return [float(hurwitz(float(k), np.ones(1))[0]) for k in range(2, 28)]


def _lgamma_beside(distance: Doubles, zero: float) -> Doubles:
    """log Γ where it vanishes, at 1 and at 2, by its Taylor series (https://dlmf.nist.gov/5.7.3)."""
    total, power = -np.euler_gamma * distance, -distance
    for k, number in enumerate(_zeta_numbers(), 2):
        power = power * -distance
        total = total + number / k * power
    return total if zero == 1 else total + np.log1p(distance)


def _stirling(x: Doubles) -> Doubles:
    total = (x - 0.5) * np.log(x) - x + 0.5 * math.log(2 * math.pi)
    for k, number in enumerate(_BERNOULLI, 1):
        total = total + number / (2 * k * (2 * k - 1)) / x ** (2 * k - 1)
    return total


def digamma(x: Doubles) -> Doubles:
    """The derivative of `lgamma`: NaN at the negative integers, -∞ at 0 (∞ at -0)."""
    reflected = x < 0.5
    upper = np.where(reflected, 1 - x, x)
    total = np.zeros_like(upper)
    for _ in range(_SHIFT):
        low = upper < _SHIFT
        total = np.where(low, total - 1 / upper, total)
        upper = np.where(low, upper + 1, upper)
    value = total + np.log(upper) - 0.5 / upper
    for k, number in enumerate(_BERNOULLI, 1):
        value = value - number / (2 * k) / upper ** (2 * k)
    value = np.where(np.isinf(x) & (x > 0), np.inf, value)
    below = value - math.pi / np.tan(math.pi * (x - np.round(x)))
    pole = (x < 0) & (x == np.floor(x))
    result = np.where(reflected, np.where(pole, np.nan, below), value)
    return np.where(x == 0, np.copysign(np.inf, -x), result)


MOST_SHIFTS: Final = 4096
"""Further left than this, `hurwitz` gives NaN."""


def hurwitz(s: float, q: Doubles) -> Doubles:
    """Hurwitz's zeta function Σ (q + k) ** -s for a whole s > 1: Euler's and Maclaurin's formula behind the first terms."""
    total = np.zeros_like(q)
    upper = q.copy()
    shifts = int(np.clip(_SHIFT - np.min(q, initial=_SHIFT, where=np.isfinite(q)), 0, MOST_SHIFTS)) + 1
    for _ in range(shifts):
        low = upper < _SHIFT
        total = np.where(low, total + upper**-s, total)
        upper = np.where(low, upper + 1, upper)
    total = total + upper ** (1 - s) / (s - 1) + 0.5 * upper**-s
    factor = s
    for k, number in enumerate(_BERNOULLI, 1):
        total = total + number / math.factorial(2 * k) * factor * upper ** (-s - 2 * k + 1)
        factor = factor * ((s + 2 * k - 1) * (s + 2 * k))
    pole = (q <= 0) & (q == np.floor(q))
    return np.where(pole, np.inf, np.where((upper < _SHIFT) | np.isinf(q), np.nan, total))


def polygamma(order: int, x: Doubles) -> Doubles:
    """The ``order``-th derivative of `digamma`."""
    if order == 0:
        return digamma(x)
    if order == 1:
        return trigamma(x)
    return (-1.0) ** (order + 1) * math.factorial(order) * hurwitz(order + 1, x)


def trigamma(x: Doubles) -> Doubles:
    """Six shifts and four terms: as exact as PyTorch's, nine digits, so that both show the same ones."""
    reflected = x < 0.5
    upper = np.where(reflected, 1 - x, x)
    total = np.where(reflected, -((math.pi / np.sin(math.pi * x)) ** 2), 0.0)
    for _ in range(6):
        total = total + 1 / (upper * upper)
        upper = upper + 1
    square = 1 / (upper * upper)
    total = total + (1 + 1 / (2 * upper) + square * (1 / 6 - square * (1 / 30 - square / 42))) / upper
    return np.where(reflected, -total, total).astype(x.dtype)


# -- modified Bessel functions -----------------------------------------------------------------------------------------


def i0e(x: Doubles) -> Doubles:
    """exp(-|x|) · I₀(x)."""
    size = np.abs(x)
    near = _chebval(np.minimum(size, 8) / 4 - 1, _I0E_NEAR)
    far = _chebval(16 / np.maximum(size, 8) - 1, _I0E_FAR) / np.sqrt(np.maximum(size, 8))
    result: Doubles = np.where(size <= 8, near, far)
    return result


def i1e(x: Doubles) -> Doubles:
    """exp(-|x|) · I₁(x)."""
    size = np.abs(x)
    near = _chebval(np.minimum(size, 8) / 4 - 1, _I1E_NEAR) * size
    far = _chebval(16 / np.maximum(size, 8) - 1, _I1E_FAR) / np.sqrt(np.maximum(size, 8))
    result: Doubles = np.where(size <= 8, near, far) * np.sign(x)
    return result
