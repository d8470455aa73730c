"""``torch.utils.data.sampler``: in which order the samples of a dataset are taken, drawn as PyTorch draws it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.namespace.functions import creation
from gradflow.engine.namespace.random import creation as drawing
from gradflow.engine.namespace.random import random_in_place
from gradflow.engine.namespace.random.generator import Generator, source_of
from gradflow.engine.numerics.mersenne_twister import MersenneTwister
from gradflow.engine.tensor import Tensor, dtypes

_CHUNK = 32
"""With replacement, this many numbers are drawn at a time."""


def seed_from(source: MersenneTwister) -> int:
    """A seed for another generator."""
    return int(source.words64(1)[0] & np.uint64(2**63 - 1))


def named(generator: Any) -> Generator | None:
    """A generator that was passed, if it is one."""
    return generator if isinstance(generator, Generator) else None


def _positive(name: str, value: Any, *, or_bool: bool = False) -> None:
    if not isinstance(value, int) or (isinstance(value, bool) and not or_bool) or value <= 0:
        raise errors.MODULE_ARGUMENT(message=f"{name} should be a positive integer value, but got {name}={value}")


def _boolean(name: str, value: Any) -> None:
    if not isinstance(value, bool):
        raise errors.MODULE_ARGUMENT(message=f"{name} should be a boolean value, but got {name}={value}")


class Sampler:
    """The numbers of samples, one after another; programs define ``__iter__``."""

    def __init__(self, data_source: Any = None) -> None:
        pass

    def __class_getitem__(cls, item: Any) -> Any:
        return cls

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError


class DistributedSampler(Sampler):
    """The part of one process of all samples, in an order that depends on the epoch."""

    def __init__(
        self,
        dataset: Any,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        if num_replicas is None or rank is None:
            raise errors.MODULE_ARGUMENT(message=_NO_GROUP)
        if not 0 <= rank < num_replicas:
            raise errors.MODULE_ARGUMENT(
                message=f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]"
            )
        self.dataset, self.num_replicas, self.rank, self.epoch = dataset, num_replicas, rank, 0
        self.drop_last, self.shuffle, self.seed = drop_last, shuffle, seed
        uneven = len(dataset) % num_replicas
        self.num_samples = len(dataset) // num_replicas + (1 if uneven and not drop_last else 0)
        self.total_size = self.num_samples * num_replicas

    def __iter__(self) -> Iterator[int]:
        length = len(self.dataset)
        indices = list(range(length))
        if self.shuffle:
            source = Generator().manual_seed(self.seed + self.epoch)
            indices = drawing.randperm(length, generator=source).tolist()
        padding = self.total_size - len(indices)
        if not self.drop_last and padding > 0:
            indices += (indices * math.ceil(padding / len(indices)))[:padding]
        return iter(indices[self.rank : self.total_size : self.num_replicas])

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Which order is drawn next."""
        self.epoch = epoch


_NO_GROUP = "Default process group has not been initialized, please make sure to call init_process_group."


class SequentialSampler(Sampler):
    """All samples in order."""

    def __init__(self, data_source: Any) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler):
    """Samples in random order; with replacement, each draw is from all of them."""

    def __init__(
        self, data_source: Any, replacement: bool = False, num_samples: int | None = None, generator: Any = None
    ) -> None:
        self.data_source, self.replacement, self._num_samples = data_source, replacement, num_samples
        self.generator = generator
        if not isinstance(replacement, bool):
            message = f"replacement should be a boolean value, but got replacement={replacement}"
            raise errors.SAMPLER_TYPE(message=message)
        _positive("num_samples", self.num_samples, or_bool=True)

    @property
    def num_samples(self) -> int:
        """How many samples are taken: all, if nothing else was asked for."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        handle = named(self.generator)
        source = source_of(handle) if handle is not None else MersenneTwister(seed_from(source_of(None)))
        count, wanted = len(self.data_source), self.num_samples
        if self.replacement:
            for _ in range(wanted // _CHUNK):
                yield from source.integers(0, count, _CHUNK).tolist()
            yield from source.integers(0, count, wanted % _CHUNK).tolist()
            return
        for _ in range(wanted // count):
            yield from source.permutation(count).tolist()
        yield from source.permutation(count).tolist()[: wanted % count]

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler):
    """The given samples in random order."""

    def __init__(self, indices: Sequence[Any], generator: Any = None) -> None:
        self.indices, self.generator = indices, generator

    def __iter__(self) -> Iterator[Any]:
        for index in source_of(named(self.generator)).permutation(len(self.indices)).tolist():
            yield self.indices[index]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler):
    """Samples drawn with the given weights."""

    def __init__(self, weights: Any, num_samples: int, replacement: bool = True, generator: Any = None) -> None:
        _positive("num_samples", num_samples)
        _boolean("replacement", replacement)
        self.weights: Tensor = creation.as_tensor(weights, dtype=dtypes.float64)
        if self.weights._a.ndim != 1:
            shape = tuple(self.weights._a.shape)
            message = f"weights should be a 1d sequence but given weights have shape {shape}"
            raise errors.MODULE_ARGUMENT(message=message)
        self.num_samples, self.replacement, self.generator = num_samples, replacement, generator

    def __iter__(self) -> Iterator[int]:
        drawn = random_in_place.multinomial(
            self.weights, self.num_samples, self.replacement, generator=named(self.generator)
        )
        yield from drawn.tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler):
    """The numbers that another sampler gives, in lists of one length."""

    def __init__(self, sampler: Iterable[Any], batch_size: int, drop_last: bool) -> None:
        _positive("batch_size", batch_size)
        _boolean("drop_last", drop_last)
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self) -> Iterator[list[Any]]:
        rest = iter(self.sampler)
        while batch := list(itertools.islice(rest, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self) -> int:
        count = len(self.sampler)  # type: ignore[arg-type]  # where the sampler has a length
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)


CLASSES = (
    Sampler,
    SequentialSampler,
    DistributedSampler,
    RandomSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
    BatchSampler,
)
