"""``torch.utils.data``: samples by number, and loaders that put them together in batches."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from engine import errors
from engine.namespace import creation
from engine.namespace.generator import Generator as Handle
from engine.namespace.generator import source_of
from engine.random import Generator
from engine.registry import REGISTRY
from engine.tensor import Tensor


class Dataset:
    """Samples by number; programs define ``__getitem__`` and ``__len__``."""

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")


class IterableDataset(Dataset):
    """Samples one after another; programs define ``__iter__``."""

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError


class TensorDataset(Dataset):
    """The rows of tensors."""

    def __init__(self, *tensors: Tensor) -> None:
        if any(t._a.shape[0] != tensors[0]._a.shape[0] for t in tensors):
            raise errors.DATA_SIZES()
        self.tensors = tensors

    def __getitem__(self, index: Any) -> Any:
        return tuple(tensor[index] for tensor in self.tensors)  # type: ignore[index]  # installed by the namespace

    def __len__(self) -> int:
        return int(self.tensors[0]._a.shape[0])


class Subset(Dataset):
    """Some samples of another dataset."""

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, index: Any) -> Any:
        return self.dataset[self.indices[index]]

    def __len__(self) -> int:
        return len(self.indices)


def random_split(dataset: Any, lengths: Sequence[float], generator: Any = None) -> list[Subset]:
    """Subsets of these lengths (or fractions), drawn at random."""
    total = len(dataset)
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        counts = [math.floor(total * part) for part in lengths]
        for i in range(total - sum(counts)):
            counts[i % len(counts)] += 1
    else:
        counts = [int(n) for n in lengths]
    if sum(counts) != total:
        raise errors.MODULE_ARGUMENT(message="Sum of input lengths does not equal the length of the input dataset!")
    order = _source(generator).permutation(total).tolist()
    ends = itertools.accumulate(counts)
    return [Subset(dataset, order[end - count : end]) for end, count in zip(ends, counts, strict=True)]


def _source(generator: Any) -> Generator:
    return source_of(generator if isinstance(generator, Handle) else None)


def _seed(source: Generator) -> int:
    return int(source.words64(1)[0] & np.uint64(2**63 - 1))


def default_collate(batch: Sequence[Any]) -> Any:
    """Samples as one: tensors stacked, numbers as a tensor, tuples and dictionaries element by element."""
    first = batch[0]
    if isinstance(first, Tensor):
        return REGISTRY["stack"].call(list(batch), 0)
    if isinstance(first, np.ndarray | np.generic):
        return default_collate([creation.as_tensor(each) for each in batch])
    if isinstance(first, float):
        return creation.tensor(list(batch)).double()  # type: ignore[attr-defined]  # installed from the composites
    if isinstance(first, int):
        return creation.tensor(list(batch))
    if isinstance(first, Mapping):
        return {key: default_collate([each[key] for each in batch]) for key in first}
    if isinstance(first, tuple | list):
        return [default_collate(samples) for samples in zip(*batch, strict=True)]
    return list(batch)


class DataLoader:
    """Goes through a dataset in batches, in order or shuffled."""

    def __init__(
        self, dataset: Any, batch_size: int | None = 1, shuffle: bool | None = None, sampler: Any = None,
        batch_sampler: Any = None, num_workers: int = 0, collate_fn: Any = None, pin_memory: bool = False,
        drop_last: bool = False, timeout: float = 0, worker_init_fn: Any = None, multiprocessing_context: Any = None,
        generator: Any = None,
    ) -> None:  # fmt: skip
        if batch_size is not None and (not isinstance(batch_size, int) or batch_size <= 0):
            raise errors.MODULE_ARGUMENT(
                message=f"batch_size should be a positive integer value, but got batch_size={batch_size}"
            )
        self.dataset, self.batch_size, self.drop_last, self.num_workers = dataset, batch_size, drop_last, num_workers
        self.sampler, self.batch_sampler, self.generator = sampler, batch_sampler, generator
        self._shuffle = bool(shuffle)
        self.collate_fn = collate_fn or (default_collate if batch_size is not None else lambda sample: sample)

    def __len__(self) -> int:
        if self.batch_sampler is not None:
            return len(self.batch_sampler)
        count = len(self.sampler if self.sampler is not None else self.dataset)
        if self.batch_size is None:
            return count
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)

    def __iter__(self) -> Iterator[Any]:
        source = _source(self.generator)
        _seed(source)  # PyTorch draws a seed for its workers here, whether there are any or not
        return self._batches(source)

    def _batches(self, source: Generator) -> Iterator[Any]:
        if isinstance(self.dataset, IterableDataset):
            for samples in self._groups(iter(self.dataset)):
                yield self.collate_fn(samples)
            return
        groups = self.batch_sampler if self.batch_sampler is not None else self._groups(self._order(source))
        for group in groups:
            if self.batch_size is None:
                yield self.collate_fn(self.dataset[group])
            else:
                yield self.collate_fn([self.dataset[index] for index in group])

    def _order(self, source: Generator) -> Iterable[Any]:
        if self.sampler is not None:
            return self.sampler  # type: ignore[no-any-return]  # any iterable
        count = len(self.dataset)
        if not self._shuffle:
            return range(count)
        if self.generator is None:
            source = Generator(_seed(source))
        return source.permutation(count).tolist()  # type: ignore[no-any-return]  # a list of integers

    def _groups(self, order: Iterable[Any]) -> Iterator[Any]:
        if self.batch_size is None:
            yield from order
            return
        rest = iter(order)
        while group := list(itertools.islice(rest, self.batch_size)):
            if len(group) == self.batch_size or not self.drop_last:
                yield group


CLASSES = (Dataset, IterableDataset, TensorDataset, Subset, DataLoader)
FUNCTIONS = {"random_split": random_split, "default_collate": default_collate}
