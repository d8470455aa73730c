"""``torch.nn.utils.rnn``: sequences of different lengths, padded to one length or packed without padding."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.namespace.tensor_arguments import need, only_tensors
from gradflow.engine.registry import REGISTRY
from gradflow.engine.sandbox.gate import type_name
from gradflow.engine.tensor import Tensor

_UNSORTED = (
    "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass"
    " `enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you do not"
    " need ONNX exportability."
)
_EMPTY = "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"


class PackedSequence(namedtuple("PackedSequence", ("data", "batch_sizes", "sorted_indices", "unsorted_indices"))):
    """The elements of several sequences time by time, and how many sequences there are at each time."""

    __slots__ = ()

    data: Any
    batch_sizes: Any
    sorted_indices: Any
    unsorted_indices: Any

    def __new__(
        cls, data: Any, batch_sizes: Any = None, sorted_indices: Any = None, unsorted_indices: Any = None
    ) -> PackedSequence:
        if batch_sizes is None:
            data, batch_sizes = data
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """With the data in another dtype."""
        data = self.data.to(*args, **kwargs)
        return self if data is self.data else type(self)(data, *self[1:])

    def double(self) -> PackedSequence:
        """To float64."""
        return type(self)(self.data.double(), *self[1:])

    def float(self) -> PackedSequence:
        """To float32."""
        return type(self)(self.data.float(), *self[1:])

    def cpu(self) -> PackedSequence:
        """The sequence itself: everything is on the CPU."""
        return self

    @property
    def is_cuda(self) -> bool:
        """False."""
        return False


PackedSequence.__module__ = "torch.nn.utils.rnn"


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """The permutation that undoes another."""
    return None if permutation is None else Tensor(np.argsort(need(permutation, "empty_like")._a))


def _lengths(given: Any) -> np.ndarray:
    return np.asarray(given._a if isinstance(given, Tensor) else given).astype(np.int64)


def pack_padded_sequence(
    input: Any, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Padded sequences (T, B, *), or (B, T, *) where ``batch_first``, without their padding.

    Raises RuntimeError for lengths that are not as many as sequences, not positive, or not sorted.
    """
    sizes, order = _lengths(lengths), None
    need(input, "_pack_padded_sequence")
    if not enforce_sorted:
        order = Tensor(np.argsort(-sizes, kind="stable"))
        sizes = sizes[order._a]
        input = input.index_select(0 if batch_first else 1, order)
    times, count = input.size(int(batch_first)), input.size(1 - int(batch_first))
    if sizes.size != count:
        raise errors.MODULE_RUNTIME(
            message=f"Expected `len(lengths)` to be equal to batch_size, but got {sizes.size} (batch_size={count})"
        )
    if sizes.size and sizes.min() <= 0:
        raise errors.MODULE_RUNTIME(message=_EMPTY)
    if np.any(np.diff(sizes) > 0):
        raise errors.MODULE_RUNTIME(message=_UNSORTED)
    there = np.arange(sizes.max(initial=0))[:, None] < sizes
    if there.shape[0] > times:
        raise errors.MODULE_RUNTIME(
            message=f"start ({times}) + length ({there.shape[0] - times}) exceeds dimension size ({times})."
        )
    time, sequence = np.nonzero(there)
    rows = tuple((sequence * times + time if batch_first else time * count + sequence).tolist())
    data = REGISTRY["pack_rows"].call(input, rows)
    return PackedSequence(data, Tensor(there.sum(1)), order)


def _turned(tensor: Any) -> Any:
    return tensor.transpose(0, 1)


def _runs(sizes: list[int]) -> Iterator[tuple[int, int, int]]:
    """Begin, end and size of each stretch of times with equally many sequences."""
    begin = 0
    for time in range(1, len(sizes) + 1):
        if time == len(sizes) or sizes[time] != sizes[begin]:
            yield begin, time, sizes[begin]
            begin = time


def checked_parts(sequence: Any) -> tuple[Any, Tensor, Tensor | None]:
    """Data, sizes and the order to go back to, each read once. Raises TypeError for what is no tensor."""
    data, sizes, back = sequence.data, sequence.batch_sizes, sequence.unsorted_indices
    need(data, "_pad_packed_sequence", "data", 1)
    need(sizes, "_pad_packed_sequence", "batch_sizes", 2)
    return data, sizes, None if back is None else need(back, "index_select", "index", 3)


def pad_packed_sequence(
    sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0, total_length: int | None = None
) -> tuple[Any, Tensor]:
    """The sequences padded to one length, and their lengths: the inverse of `pack_padded_sequence`."""
    data, batch_sizes, back = checked_parts(sequence)
    sizes = batch_sizes._a.tolist()
    longest = len(sizes)
    if total_length is not None and total_length < longest:
        raise errors.MODULE_ARGUMENT(
            message="Expected total_length to be at least the length of the longest sequence in input, but got"
            f" total_length={total_length} and max sequence length being {longest}"
        )
    start = 0
    shape = (total_length or longest, sizes[0], *data._a.shape[1:])
    padded: Any = Tensor(np.full(shape, padding_value, data._a.dtype))
    for begin, end, size in _runs(sizes):
        rows = data[start : start + (end - begin) * size]
        padded[begin:end, :size] = rows.view(end - begin, size, *shape[2:])
        start += (end - begin) * size
    lengths = Tensor((np.asarray(sizes)[:, None] > np.arange(sizes[0])).sum(0))
    padded = _turned(padded) if batch_first else padded
    if back is None:
        return padded, lengths
    return padded.index_select(0 if batch_first else 1, back), Tensor(lengths._a[back._a])


def pad_sequence(
    sequences: Any, batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Any:
    """Sequences (length, *) as one tensor (T, B, *), or (B, T, *) where ``batch_first``."""
    if not isinstance(sequences, Iterable):
        raise errors.MODULE_RUNTIME(
            message="pad_sequence: Expected iterable for input sequences, but got arg of type:"
            f" <class '{type_name(sequences)}'>"
        )
    given: Any = tuple(only_tensors(sequences))
    if not given:
        raise errors.MODULE_RUNTIME(message="received an empty list of sequences")
    if padding_side not in ("left", "right"):
        raise errors.MODULE_RUNTIME(
            message=f"Expected padding_side to be one of left or right, but got {padding_side}."
        )
    longest, inner = max(s.size(0) for s in given), given[0]._a.shape[1:]
    shape = (len(given), longest, *inner) if batch_first else (longest, len(given), *inner)
    out: Any = Tensor(np.full(shape, padding_value, given[0]._a.dtype))
    for index, each in enumerate(given):
        length = each.size(0)
        begin = longest - length if padding_side == "left" else 0
        place: tuple[Any, ...] = (index, slice(begin, begin + length))
        out[place if batch_first else place[::-1]] = each
    return out


def unpad_sequence(padded_sequences: Any, lengths: Any, batch_first: bool = False) -> list[Any]:
    """The inverse of `pad_sequence`."""
    rows = padded_sequences if batch_first else padded_sequences.transpose_(0, 1)
    places = np.arange(rows.size(1))
    return [row[Tensor(places < length)] for row, length in zip(rows, _lengths(lengths), strict=True)]


def pack_sequence(sequences: Any, enforce_sorted: bool = True) -> PackedSequence:
    """Sequences (length, *) packed."""
    given = list(sequences)
    lengths = [s.size(0) for s in given]
    return pack_padded_sequence(pad_sequence(given), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Any]:
    """The inverse of `pack_sequence`."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)


FUNCTIONS = {
    f.__name__: f
    for f in (
        invert_permutation,
        pack_padded_sequence,
        pad_packed_sequence,
        pad_sequence,
        unpad_sequence,
        pack_sequence,
        unpack_sequence,
    )
}
