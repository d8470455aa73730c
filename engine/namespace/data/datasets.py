"""``torch.utils.data``: samples by number, and loaders that put them together in batches."""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.dispatch.argument_messages import type_title
from gradflow.engine.namespace.data import samplers
from gradflow.engine.namespace.data.samplers import (
    BatchSampler,
    RandomSampler,
    SequentialSampler,
    named,
    seed_from,
)
from gradflow.engine.namespace.functions import creation
from gradflow.engine.namespace.random.generator import source_of
from gradflow.engine.registry import REGISTRY
from gradflow.engine.sandbox.gate import type_name, type_of
from gradflow.engine.state import warn
from gradflow.engine.tensor import Tensor, dtypes


class Dataset:
    """Samples by number; programs define ``__getitem__`` and ``__len__``."""

    def __class_getitem__(cls, item: Any) -> Any:
        return cls

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Any) -> Any:
        return ConcatDataset([self, other])


class IterableDataset(Dataset):
    """Samples one after another; programs define ``__iter__``."""

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError

    def __add__(self, other: Any) -> Any:
        return ChainDataset([self, other])


class TensorDataset(Dataset):
    """The rows of tensors."""

    def __init__(self, *tensors: Tensor) -> None:
        if any(t.size(0) != tensors[0].size(0) for t in tensors):
            raise errors.DATA_SIZES()
        self.tensors = tensors

    def __getitem__(self, index: Any) -> Any:
        return tuple(tensor[index] for tensor in self.tensors)  # type: ignore[index]  # installed by the namespace

    def __len__(self) -> int:
        return int(self.tensors[0]._a.shape[0])


class StackDataset(Dataset):
    """The samples of several datasets side by side, as tuples or as dictionaries."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args and kwargs:
            raise errors.MODULE_ARGUMENT(
                message="Supported either ``tuple``- (via ``args``) or``dict``- (via ``kwargs``) like input/output, but"
                " both types are given."
            )
        if not args and not kwargs:
            raise errors.MODULE_ARGUMENT(message="At least one dataset should be passed")
        given = args or tuple(kwargs.values())
        if any(len(each) != len(given[0]) for each in given):
            raise errors.MODULE_ARGUMENT(message="Size mismatch between datasets")
        self.datasets: Any = args or kwargs

    def __getitem__(self, index: Any) -> Any:
        if isinstance(self.datasets, dict):
            return {key: dataset[index] for key, dataset in self.datasets.items()}
        return tuple(dataset[index] for dataset in self.datasets)

    def __len__(self) -> int:
        return len(next(iter(self.datasets.values())) if isinstance(self.datasets, dict) else self.datasets[0])


class ConcatDataset(Dataset):
    """Datasets one behind the other."""

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise errors.DATASETS(message="datasets should not be an empty iterable")
        if any(isinstance(each, IterableDataset) for each in self.datasets):
            raise errors.DATASETS(message="ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = list(itertools.accumulate(len(each) for each in self.datasets))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, index: Any) -> Any:
        if index < 0:
            if -index > len(self):
                raise errors.MODULE_ARGUMENT(message="absolute value of index should not exceed dataset length")
            index += len(self)
        number = bisect.bisect_right(self.cumulative_sizes, index)
        return self.datasets[number][index - (self.cumulative_sizes[number - 1] if number else 0)]


class ChainDataset(IterableDataset):
    """Iterable datasets one after the other."""

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = datasets

    def __iter__(self) -> Iterator[Any]:
        for each in _checked(self):
            yield from each

    def __len__(self) -> int:
        return sum(len(each) for each in _checked(self))


def _checked(chain: ChainDataset) -> Iterator[Any]:
    for each in chain.datasets:
        if not isinstance(each, IterableDataset):
            raise errors.DATASETS(message="ChainDataset only supports IterableDataset")
        yield each


class Subset(Dataset):
    """Some samples of another dataset."""

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, list):
            return self.dataset[[self.indices[i] for i in index]]
        return self.dataset[self.indices[index]]

    def __len__(self) -> int:
        return len(self.indices)


_OF_RANDPERM = """one of:
 * (int n, *, torch.Generator generator, Tensor out = None, torch.dtype dtype = None, torch.layout layout = None, torch.device device = None, bool pin_memory = False, bool requires_grad = False)
 * (int n, *, Tensor out = None, torch.dtype dtype = None, torch.layout layout = None, torch.device device = None, bool pin_memory = False, bool requires_grad = False)
"""


def random_split(dataset: Any, lengths: Sequence[float], generator: Any = None) -> list[Subset]:
    """Subsets of these lengths (or fractions), drawn at random."""
    total, lengths = len(dataset), list(lengths)
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        for index, part in enumerate(lengths):
            if part < 0 or part > 1:
                raise errors.MODULE_ARGUMENT(message=f"Fraction at index {index} is not between 0 and 1")
        counts = [math.floor(total * part) for part in lengths]
        for i in range(total - sum(counts)):
            counts[i % len(counts)] += 1
        for index, count in enumerate(counts):
            if not count:
                warn(f"Length of split at index {index} is 0. This might result in an empty dataset.")
    else:
        counts = lengths  # type: ignore[assignment]  # whole numbers, which is looked at below
    if sum(counts) != total:
        message = "Sum of input lengths does not equal the length of the input dataset!"
        raise errors.MODULE_ARGUMENT(message=message, whole=total, parts=lengths)
    if isinstance(sum(counts), float):  # ``[0.8 * n, 0.2 * n]``
        raise errors.INVALID_COMBINATION(
            function="randperm", given="float, generator=torch._C.Generator", expected=_OF_RANDPERM
        )
    order = source_of(named(generator)).permutation(total).tolist()
    counts = [int(n) for n in counts]
    ends = itertools.accumulate(counts)
    return [Subset(dataset, order[end - count : end]) for end, count in zip(ends, counts, strict=True)]


_UNKNOWN = "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {type}"


def default_collate(batch: Sequence[Any]) -> Any:
    """Samples as one: tensors stacked, numbers as a tensor, tuples and dictionaries element by element."""
    first = batch[0]
    if isinstance(first, Tensor):
        odd = next(((index, each) for index, each in enumerate(batch) if not isinstance(each, Tensor)), None)
        if odd is not None:
            raise errors.SEQUENCE_ELEMENT(index=odd[0], argument=0, actual=type_title(odd[1]))
        return REGISTRY["stack"].call(list(batch), 0)
    if isinstance(first, np.ndarray):
        return default_collate([creation.as_tensor(each) for each in batch])
    if isinstance(first, float):
        return creation.tensor(list(batch), dtype=dtypes.float64)
    if isinstance(first, int | np.generic):
        return creation.tensor(list(batch))
    if isinstance(first, str | bytes):
        return batch
    if isinstance(first, Mapping):
        return {key: _part([each[key] for each in batch], batch) for key in first}
    if isinstance(first, Sequence):
        return _side_by_side(first, batch)
    raise errors.SAMPLER_TYPE(message=_UNKNOWN.format(type=type_of(first)))


def _side_by_side(first: Sequence[Any], batch: Sequence[Any]) -> Any:
    if any(len(each) != len(first) for each in batch):
        raise errors.BATCH_LENGTHS()
    parts = [_part(samples, batch) for samples in zip(*batch, strict=True)]
    return type(first)(*parts) if isinstance(first, tuple) and hasattr(first, "_fields") else parts


def _part(parts: Sequence[Any], batch: Sequence[Any]) -> Any:
    """One part of each sample; an error that it has is to know the samples as a whole."""
    try:
        return default_collate(parts)
    except RuntimeError as error:
        if errors.kind_of(error) is errors.STACK_SIZE:
            errors.details_of(error)["batch"] = dict(enumerate(batch))
        raise


def default_convert(data: Any) -> Any:
    """One sample, its arrays as tensors."""
    if isinstance(data, np.ndarray):
        return creation.as_tensor(data)
    if isinstance(data, Mapping):
        return {key: default_convert(value) for key, value in data.items()}
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*map(default_convert, data))
    if isinstance(data, tuple | list):
        return [default_convert(value) for value in data]
    return data


_ITERABLE = "DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={value}"
_EXCLUSIVE = "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
_NO_BATCHES = "batch_size=None option disables auto-batching and is mutually exclusive with drop_last"
_NO_PREFETCH = (
    "prefetch_factor option could only be specified in multiprocessing."
    "let num_workers > 0 to enable multiprocessing, otherwise set prefetch_factor to None."
)
_NO_WORKERS = "num_workers option should be non-negative; use num_workers=0 to disable multiprocessing."


def _require(condition: Any, message: str) -> None:
    if not condition:
        raise errors.MODULE_ARGUMENT(message=message)


class DataLoader:
    """Goes through a dataset in batches, in order or shuffled. Workers are accepted, and all is done in one process."""

    def __class_getitem__(cls, item: Any) -> Any:
        return cls

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Any = None,
        batch_sampler: Any = None,
        num_workers: int = 0,
        collate_fn: Any = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Any = None,
        multiprocessing_context: Any = None,
        generator: Any = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        _require(num_workers >= 0, _NO_WORKERS)
        _require(timeout >= 0, "timeout option should be non-negative")
        _require(num_workers or prefetch_factor is None, _NO_PREFETCH)
        _require(not persistent_workers or num_workers, "persistent_workers option needs num_workers > 0")
        if isinstance(dataset, IterableDataset):
            for name, value in (("shuffle", shuffle or None), ("sampler", sampler), ("batch_sampler", batch_sampler)):
                _require(value is None, _ITERABLE.format(name=name, value=value))
        _require(sampler is None or not shuffle, "sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            _require(batch_size == 1 and not shuffle and sampler is None and not drop_last, _EXCLUSIVE)
            batch_size = None
        elif batch_size is None:
            _require(not drop_last, _NO_BATCHES)
        self.dataset, self.num_workers, self.pin_memory, self.timeout = dataset, num_workers, pin_memory, timeout
        self.batch_size, self.drop_last, self.generator = batch_size, drop_last, generator
        self.sampler = _ordered(self, shuffle) if sampler is None else sampler
        whole = batch_size is not None and batch_sampler is None
        self.batch_sampler = BatchSampler(self.sampler, batch_size or 0, drop_last) if whole else batch_sampler
        usual = default_convert if self.batch_sampler is None else default_collate
        self.collate_fn = usual if collate_fn is None else collate_fn

    def __len__(self) -> int:
        if not isinstance(self.dataset, IterableDataset):
            return len(self.sampler if self.batch_sampler is None else self.batch_sampler)
        count = len(self.dataset)  # type: ignore[arg-type]  # where the program gave it a length
        if self.batch_size is None:
            return count
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)

    def __iter__(self) -> Iterator[Any]:
        seed_from(
            source_of(named(self.generator))
        )  # PyTorch draws a seed for its workers, whether there are any or not
        return _SingleProcessDataLoaderIter(self)


def _ordered(loader: DataLoader, shuffle: bool | None) -> Any:
    if isinstance(loader.dataset, IterableDataset):
        return itertools.repeat(None)
    if shuffle:
        return RandomSampler(loader.dataset, generator=loader.generator)
    return SequentialSampler(loader.dataset)


def _turn(loader: DataLoader) -> Iterator[Any]:
    """The batches of one turn."""
    return _streamed(loader) if isinstance(loader.dataset, IterableDataset) else _fetched(loader)


def _streamed(loader: DataLoader) -> Iterator[Any]:
    samples = iter(loader.dataset)
    if loader.batch_size is None:
        yield from map(loader.collate_fn, samples)
        return
    yield from map(loader.collate_fn, BatchSampler(samples, loader.batch_size, loader.drop_last))


def _fetched(loader: DataLoader) -> Iterator[Any]:
    if loader.batch_sampler is None:
        for index in loader.sampler:
            yield loader.collate_fn(loader.dataset[index])
        return
    several = getattr(loader.dataset, "__getitems__", None)
    for group in loader.batch_sampler:
        yield loader.collate_fn(several(group) if several else [loader.dataset[index] for index in group])


class _SingleProcessDataLoaderIter:
    """One turn through the batches of a loader."""

    def __init__(self, loader: DataLoader) -> None:
        if not isinstance(loader, DataLoader):
            raise TypeError(f"a DataLoader is expected, not {type_name(loader)}")
        self._loader, self._batches = loader, _turn(loader)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        return next(self._batches)

    def __len__(self) -> int:
        return len(self._loader)


def get_worker_info() -> None:
    """What a worker knows of itself: there are no workers."""


CLASSES = (
    Dataset, IterableDataset, TensorDataset, StackDataset, ConcatDataset, ChainDataset, Subset, DataLoader,
    _SingleProcessDataLoaderIter, *samplers.CLASSES,
)  # fmt: skip
FUNCTIONS = {
    "random_split": random_split, "default_collate": default_collate, "default_convert": default_convert,
    "get_worker_info": get_worker_info,
}  # fmt: skip
