"""Where a size came from, as the record of the run tells: back through the functions that made a tensor, to what decided it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from gradflow.engine.recording.entries import TensorEntry
from gradflow.engine.registry import REGISTRY, Op

_MOST: Final = 2000
_PRODUCTS: Final = frozenset({"mm", "bmm", "matmul", "affine", "addmm", "baddbmm"})


@dataclass(frozen=True)
class Decided:
    """What decided a size: the tensor that has it first, in which dimension, and of which size it was made, if of one."""

    entry: TensorEntry
    dim: int
    before: int | None = None


def decided_at(entry: TensorEntry, dim: int) -> Decided:
    """What decided the size of a tensor in a dimension."""
    entry, begin = entry.first, entry.first
    for _ in range(_MOST):
        found = _one_back(entry, dim)
        if found is None and entry is not begin and not _is_parameter(entry):
            found = _through_call(begin, int(entry.array.shape[dim]))
        if found is None:
            break
        before, (entry, dim) = entry, (found[0].first, found[1])
        begin = begin if entry.place == before.place else entry
    return Decided(entry, dim, _size_before(entry, dim))


def kind_decided_at(entry: TensorEntry) -> TensorEntry:
    """The tensor that was the first to be of this kind of number, on the way back to what one was computed from."""
    entry = entry.first
    for _ in range(_MOST):
        alike = [one.first for one in operands_of(entry) if one.array.dtype.kind == entry.array.dtype.kind]
        if not alike or alike[0] is entry:
            break
        entry = alike[0]
    return entry


def _is_parameter(entry: TensorEntry) -> bool:
    return entry.is_leaf and entry.requires_grad


def _through_call(end: TensorEntry, size: int) -> tuple[TensorEntry, int] | None:
    """Of what one call of PyTorch's was given, such as a recurrent layer, the dimension of this size."""
    waiting, seen = [end], {end.number}
    for current in waiting:
        for one in operands_of(current):
            if one.number in seen or len(seen) > _MOST:
                continue
            seen.add(one.number)
            if one.place == end.place:
                waiting.append(one)
            elif not _is_parameter(one) and size in one.array.shape:
                at = one.array.shape.index(size)
                return one, at
    return None


def _size_before(entry: TensorEntry, dim: int) -> int | None:
    """The size that the first operand of as many dimensions had there."""
    same = [one for one in operands_of(entry) if one.array.ndim == entry.array.ndim and one.node is not entry.node]
    sizes = [int(one.array.shape[dim]) for one in _without_weights(entry, same)]
    return sizes[0] if sizes and sizes[0] != entry.array.shape[dim] else None


@cache
def _operations(names: str) -> frozenset[Op]:
    return frozenset(REGISTRY[name] for name in names.split())


def is_made_by(entry: TensorEntry, names: str) -> bool:
    """Whether a tensor is what one of these operations gave."""
    return entry.node is not None and entry.node.op in _operations(names)


def operands_of(entry: TensorEntry) -> list[TensorEntry]:
    """The tensors that a tensor was computed from, or is a view of."""
    before = list(entry.node.inputs) if entry.node is not None else []
    return before or ([entry.view_of] if entry.view_of is not None else [])


def leaves_behind(entry: TensorEntry, *, graph: bool = False) -> set[TensorEntry]:
    """The leaves requiring gradients that a tensor was computed from, by their first entries; with ``graph`` those that its gradient reaches."""
    seen, waiting = {entry}, [entry]
    for current in waiting:
        before = [one for one in operands_of(current) if one.requires_grad or not graph]
        new = [one for one in before if one not in seen and len(seen) < _MOST]
        seen.update(new)
        waiting += new
    return {one.first for one in seen if _is_parameter(one)}


def _name(entry: TensorEntry) -> str:
    return entry.node.op.name if entry.node is not None and entry.node.op is not None else ""


def _without_weights(entry: TensorEntry, operands: Sequence[TensorEntry]) -> list[TensorEntry]:
    return list(operands[:1]) if _name(entry).startswith("conv") else list(operands)


def _one_back(entry: TensorEntry, dim: int) -> tuple[TensorEntry, int] | None:
    """The operand, and the dimension of it, that a size was taken over from; None where it was decided here."""
    operands, name, size = operands_of(entry), _name(entry), int(entry.array.shape[dim])
    from_right = dim - entry.array.ndim
    if not operands:
        return None
    if name.startswith("conv") and len(operands) > 1:
        if from_right == -_spatial(operands[1]) - 1:
            return operands[1], 0
        return (operands[0], dim) if int(operands[0].array.shape[dim]) == size else None
    if name in _PRODUCTS:
        return _of_product([one for one in operands if one.array.ndim > 1][-2:], from_right, size)
    if name.startswith("embedding") and len(operands) > 1:
        return (operands[0], 1) if from_right == -1 else _fitting(operands[1], dim, entry.array.ndim - 1, size)
    return next((found for one in operands if (found := _same(entry, dim, one)) is not None), None)


def _spatial(weight: TensorEntry) -> int:
    return weight.array.ndim - 2


def _of_product(pair: Sequence[TensorEntry], from_right: int, size: int) -> tuple[TensorEntry, int] | None:
    """Rows are the left factor's, columns the right one's, and what stands before them is of either."""
    if len(pair) != 2:
        return None
    left, right = pair
    if from_right == -1:
        return right, right.array.ndim - 1
    wanted = -2 if from_right == -2 else from_right
    for one in (left, right):
        if one.array.ndim >= -wanted and int(one.array.shape[wanted]) == size:
            return one, one.array.ndim + wanted
    return None


def _fitting(operand: TensorEntry, dim: int, ndim: int, size: int) -> tuple[TensorEntry, int] | None:
    at = dim if operand.array.ndim == ndim else -1
    return (operand, at) if 0 <= at < operand.array.ndim and operand.array.shape[at] == size else None


def _same(entry: TensorEntry, dim: int, operand: TensorEntry) -> tuple[TensorEntry, int] | None:
    """The dimension of an operand that this one is: by its place in memory, its place in the shape, or its size alone."""
    own, other = entry.array, operand.array
    size = own.shape[dim]
    if entry.view_of is not None and own.ndim == other.ndim:
        moved = [at for at in range(other.ndim) if (other.shape[at], other.strides[at]) == (size, own.strides[dim])]
        if len(moved) == 1:
            return operand, moved[0]
    if own.ndim == other.ndim:
        return (operand, dim) if other.shape[dim] == size else None
    at = dim - own.ndim + other.ndim
    if entry.view_of is None and at >= 0 and other.shape[at] == size:
        return operand, at
    alike = [at for at in range(other.ndim) if other.shape[at] == size]
    return (operand, alike[0]) if len(alike) == 1 else None


@dataclass(frozen=True)
class Change:
    """A function on the way from one tensor to another that changed the size of a dimension."""

    entry: TensorEntry
    before: int
    after: int


def way(source: TensorEntry, end: TensorEntry) -> list[TensorEntry]:
    """The tensors on one way from a tensor to what was computed from it, both included; empty where there is none."""
    start, known = source.first, {end.number: end}
    waiting, came = [end], dict[int, TensorEntry]()
    for current in waiting:
        if current.first is start:
            return list(_back_to(current, end, came))
        for one in operands_of(current):
            if one.number not in known and len(known) < _MOST:
                known[one.number] = one
                came[one.number] = current
                waiting.append(one)
    return []


def _back_to(current: TensorEntry, end: TensorEntry, came: dict[int, TensorEntry]) -> Iterator[TensorEntry]:
    while current is not end:
        yield current
        current = came[current.number]
    yield end


def changes(source: TensorEntry, end: TensorEntry, back: int) -> list[Change]:
    """What changed the size of a dimension, counted from the last, on the way between two tensors."""
    steps = way(source, end)
    found = []
    for before, after in itertools.pairwise(steps):
        if min(before.array.ndim, after.array.ndim) >= back and before.array.ndim == after.array.ndim:
            sizes = int(before.array.shape[-back]), int(after.array.shape[-back])
            if sizes[0] != sizes[1]:
                found.append(Change(after, *sizes))
    return found
