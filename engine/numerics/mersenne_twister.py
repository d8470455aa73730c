"""PyTorch's random numbers on the CPU: the Mersenne Twister, and how its 32-bit words become samples.

Source: M. Matsumoto and T. Nishimura, Mersenne Twister (1998).
"""

from __future__ import annotations

import math
import struct
from typing import Final

import numpy as np

from gradflow.engine.numerics.box_muller import BLOCK, box_muller
from gradflow.engine.numerics.fused import fused

DEFAULT_SEED: Final = 0
"""The seed of a run that sets none, so that it can be repeated."""
OWN_SEED: Final = 67280421310721
"""The seed of a ``torch.Generator()`` that was given none, and what an unseeded program sees as its seed."""

_WORDS: Final = 624
_STATE: Final = struct.Struct(f"<QiiQ{_WORDS}Q3di4xf?3x")
"""PyTorch's layout of a generator's state: seed, words left, seeded, place, the words, what is kept of a pair."""
STATE_SIZE: Final = _STATE.size


class MersenneTwister:
    """A source of random words. ``seeded``: whether the program set the seed itself."""

    def __init__(self, seed: int = OWN_SEED) -> None:
        self.seeded = True
        self.start(seed)

    def reset(self) -> None:
        """As at the beginning of a run."""
        self.start(DEFAULT_SEED)
        self.seeded, self.seed = False, OWN_SEED

    def start(self, seed: int) -> None:
        """Begin again from a seed."""
        self.seed = seed & (2**64 - 1)
        self._first: int | None = seed & 0xFFFFFFFF
        self.fresh = True
        self.spare: float | None = None

    @property
    def bits(self) -> np.random.MT19937:
        """The words to come. Most programs draw none, so that the first drawing makes them."""
        if self._first is not None:
            self._bits = np.random.MT19937()
            self._bits._legacy_seeding(self._first)
            self._first = None
        return self._bits

    # -- the state ----------------------------------------------------------------------------------------------------

    def state(self) -> np.ndarray:
        """The state as bytes, in PyTorch's layout."""
        inner = self.bits.state["state"]
        place = 0 if self.fresh else int(inner["pos"])
        left = 1 if self.fresh else _WORDS + 1 - place
        spare, kept = self.spare or 0.0, self.spare is not None
        packed = _STATE.pack(self.seed, left, 1, place, *inner["key"].tolist(), 0.0, spare, 0.0, kept, 0.0, False)
        return np.frombuffer(packed, np.uint8).copy()

    def restore(self, state: np.ndarray) -> None:
        """Go on from a state."""
        seed, left, _, place, *rest = _STATE.unpack(state.tobytes())
        key = np.array(rest[:_WORDS], np.uint64).astype(np.uint32)
        self._bits, self._first = np.random.MT19937(), None
        self._bits.state = {"bit_generator": "MT19937", "state": {"key": key, "pos": _WORDS if left == 1 else place}}
        self.seed, self.fresh, self.seeded = seed, left == 1 and place == 0, True
        self.spare = rest[_WORDS + 1] if rest[_WORDS + 3] else None

    # -- words --------------------------------------------------------------------------------------------------------

    def words(self, count: int) -> np.ndarray:
        """``count`` words of 32 bits."""
        self.fresh = self.fresh and not count
        return self.bits.random_raw(count).astype(np.uint64)

    def words64(self, count: int) -> np.ndarray:
        """``count`` words of 64 bits, the first of two words on top."""
        pairs = self.words(2 * count).reshape(count, 2)
        words: np.ndarray = (pairs[:, 0] << np.uint64(32)) | pairs[:, 1]
        return words

    # -- samples ------------------------------------------------------------------------------------------------------

    def uniform(self, count: int, dtype: np.dtype) -> np.ndarray:
        """``count`` samples from [0, 1): 24 random bits for float32, 53 for float64."""
        if dtype == np.float64:
            return (self.words64(count) & np.uint64(2**53 - 1)).astype(np.float64) * 2.0**-53
        return ((self.words(count) & np.uint64(2**24 - 1)).astype(np.float32) * np.float32(2.0**-24)).astype(dtype)

    def uniform_between(self, count: int, dtype: np.dtype, low: float, high: float) -> np.ndarray:
        """``count`` samples from [low, high)."""
        exact = np.dtype(np.float64) if dtype == np.float64 else np.dtype(np.float32)
        start, end = (float(exact.type(bound)) for bound in (low, high))
        return fused(self.uniform(count, exact), float(exact.type(end - start)), start).astype(dtype, copy=False)

    def normal(
        self, count: int, dtype: np.dtype, mean: float = 0.0, std: float = 1.0, *, blocks: bool = True
    ) -> np.ndarray:
        """``count`` samples from a normal distribution. ``blocks``: 16 and more lie side by side, and are made together."""
        if count < BLOCK or not blocks:
            return fused(self.normal_pairs(count), std, mean).astype(dtype)
        if dtype.itemsize == 2:
            return self._normal_half(count, dtype, mean, std)
        data = self.uniform(count, dtype)
        whole = count // BLOCK * BLOCK
        data[:whole] = box_muller(data[:whole], mean, std)
        if whole < count:
            data[-BLOCK:] = box_muller(self.uniform(BLOCK, dtype), mean, std)
        return data

    def _normal_half(self, count: int, dtype: np.dtype, mean: float, std: float) -> np.ndarray:
        """As in float32, but what does not fill a block is never drawn."""
        single, whole = np.dtype(np.float32), count // BLOCK * BLOCK
        data = np.empty(count, dtype)
        data[:whole] = self.normal(whole, single, mean, std)
        if whole < count:
            data[-BLOCK:] = self.normal(BLOCK, single, mean, std)
        return data

    def normal_pairs(self, count: int) -> np.ndarray:
        """``count`` standard normal samples in double precision, made two at a time; the last may be kept for later."""
        kept = [] if self.spare is None else [self.spare]
        pairs = self.uniform(2 * ((count - len(kept[:count]) + 1) // 2), np.dtype(np.float64)).reshape(-1, 2)
        radius, angle = np.sqrt(-2.0 * np.log1p(-pairs[:, 1])), 2.0 * math.pi * pairs[:, 0]
        made = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1).reshape(-1)
        samples = np.concatenate([np.array(kept), made])
        self.spare = float(samples[count]) if len(samples) > count else None
        return samples[:count]

    def integers(self, low: int, high: int, count: int) -> np.ndarray:
        """``count`` integers from low up to high - 1."""
        span = high - low
        words = self.words64(count) if span >= 2**28 else self.words(count)
        return ((words % np.uint64(span)) + np.uint64(low % 2**64)).astype(np.int64)

    def permutation(self, count: int) -> np.ndarray:
        """The numbers below ``count`` in random order."""
        order = list(range(count))
        if count > 1:
            for i, step in enumerate((self.words(count - 1) % np.arange(count, 1, -1, dtype=np.uint64)).tolist()):
                order[i], order[i + step] = order[i + step], order[i]
        return np.array(order, np.int64)


GENERATOR: Final = MersenneTwister()
"""The one that is used where a call names none."""
GENERATOR.reset()
