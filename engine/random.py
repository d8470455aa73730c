"""PyTorch's random numbers on the CPU: the Mersenne Twister, and how its 32-bit words become samples.

Sources: M. Matsumoto and T. Nishimura, Mersenne Twister (1998); G. Box and M. Muller (1958).
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

DEFAULT_SEED: Final = 0
"""The seed of a run that sets none, so that it can be repeated."""

BLOCK: Final = 16
"""Normal samples are made in blocks of this size; fewer than one block are made one by one."""


class Generator:
    """A source of random words. ``seeded``: whether the program set the seed itself."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """As at the beginning of a run."""
        self.seeded = False
        self.start(DEFAULT_SEED)

    def start(self, seed: int) -> None:
        """Begin again from a seed."""
        self.bits = np.random.MT19937()
        self.bits._legacy_seeding(seed & 0xFFFFFFFF)
        self.spare: float | None = None

    def words(self, count: int) -> np.ndarray:
        """``count`` words of 32 bits."""
        return self.bits.random_raw(count).astype(np.uint64)

    def words64(self, count: int) -> np.ndarray:
        """``count`` words of 64 bits, the first of two words on top."""
        pairs = self.words(2 * count).reshape(count, 2)
        words: np.ndarray = (pairs[:, 0] << np.uint64(32)) | pairs[:, 1]
        return words

    def uniform(self, count: int, dtype: np.dtype) -> np.ndarray:
        """``count`` samples from [0, 1): 24 random bits for float32, 53 for float64."""
        if dtype == np.float64:
            return (self.words64(count) & np.uint64(2**53 - 1)).astype(np.float64) * 2.0**-53
        return ((self.words(count) & np.uint64(2**24 - 1)).astype(np.float32) * np.float32(2.0**-24)).astype(dtype)

    def normal(self, count: int, dtype: np.dtype) -> np.ndarray:
        """``count`` samples from the standard normal distribution."""
        if count < BLOCK:
            return np.array([self._one() for _ in range(count)], np.float64).astype(dtype)
        data = self.uniform(count, dtype)
        whole = count // BLOCK * BLOCK
        data[:whole] = _box_muller(data[:whole])
        if whole < count:
            data[-BLOCK:] = _box_muller(self.uniform(BLOCK, dtype))
        return data

    def _one(self) -> float:
        if self.spare is not None:
            sample, self.spare = self.spare, None
            return sample
        first, second = self.uniform(2, np.dtype(np.float64)).tolist()
        radius = math.sqrt(-2.0 * math.log1p(-second))
        self.spare = radius * math.sin(2.0 * math.pi * first)
        return radius * math.cos(2.0 * math.pi * first)

    def integers(self, low: int, high: int, count: int) -> np.ndarray:
        """``count`` integers from low up to high - 1."""
        span = high - low
        words = self.words64(count) if span >= 2**32 else self.words(count)
        return (words % np.uint64(span)).astype(np.int64) + low

    def permutation(self, count: int) -> np.ndarray:
        """The numbers below ``count`` in random order."""
        order = np.arange(count)
        if count > 1:
            words = self.words(count - 1).tolist()
            for i, word in enumerate(words):
                other = i + word % (count - i)
                order[i], order[other] = order[other], order[i]
        return order


def _box_muller(data: np.ndarray) -> np.ndarray:
    """Uniform samples to normal ones: within each block, element j pairs with element j + 8."""
    pairs = data.reshape(-1, 2, BLOCK // 2).astype(np.float64)
    radius = np.sqrt(-2.0 * np.log(1.0 - pairs[:, 0]))
    angle = 2.0 * math.pi * pairs[:, 1]
    both = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    return both.reshape(-1).astype(data.dtype)


GENERATOR: Final = Generator()
