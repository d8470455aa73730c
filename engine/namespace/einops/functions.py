"""The functions of einops on tensors and on NumPy arrays. Each is a place of its own in the picture, with its pattern."""

from __future__ import annotations

import math
import string
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

import numpy as np

from gradflow.engine import errors
from gradflow.engine.errors import EinopsError
from gradflow.engine.namespace.einops.pattern import (
    ELLIPSIS,
    Anonymous,
    Axis,
    lengths,
    read,
    refuse,
    steps,
)
from gradflow.engine.namespace.functions import contractions
from gradflow.engine.registry import REGISTRY
from gradflow.engine.sandbox.gate import type_name
from gradflow.engine.state import STATE, Entered
from gradflow.engine.tensor import Size, Tensor


@contextmanager
def _told(function: str, pattern: str) -> Iterator[None]:
    """A place in the picture, named by the function and its pattern, for what the caller does within."""
    before = STATE.entered
    STATE.entered = Entered("call", f"{function} '{pattern}'", id(sys._getframe(2)))
    try:
        yield
    finally:
        STATE.entered = before


class _Tensors:
    """The steps of a pattern, on tensors."""

    @staticmethod
    def shape(x: Any) -> Any:
        return Size(x._a.shape)

    @staticmethod
    def stack(given: list[Any]) -> Any:
        return REGISTRY["stack"].call(given)

    @staticmethod
    def permute(x: Any, order: list[int]) -> Any:
        return x.permute(order)

    @staticmethod
    def reshape(x: Any, shape: Sequence[int]) -> Any:
        return x.reshape(tuple(shape))

    @staticmethod
    def reduce(x: Any, operation: str, axes: tuple[int, ...]) -> Any:
        if operation in ("min", "max"):
            return getattr(x, f"a{operation}")(dim=axes)
        if operation == "mean" and not x.is_floating_point():
            raise NotImplementedError("reduce_mean is not available for non-floating tensors")
        if operation in ("sum", "mean"):
            return getattr(x, operation)(dim=axes)
        for axis in sorted(axes, reverse=True):
            x = getattr(x, operation)(dim=axis)
        return x

    @staticmethod
    def expand(x: Any, rank: int, added: Mapping[int, int]) -> Any:
        for place in added:
            x = x.unsqueeze(place)
        return x.expand([added.get(place, -1) for place in range(rank)])

    @staticmethod
    def concat(given: list[Any], axis: int) -> Any:
        return REGISTRY["cat"].call(given, axis)


class _Arrays(_Tensors):
    """The steps of a pattern, on NumPy arrays."""

    @staticmethod
    def shape(x: Any) -> Any:
        return x.shape

    @staticmethod
    def stack(given: list[Any]) -> Any:
        return np.stack(given)

    @staticmethod
    def permute(x: Any, order: list[int]) -> Any:
        return x.transpose(order)

    @staticmethod
    def reduce(x: Any, operation: str, axes: tuple[int, ...]) -> Any:
        if operation == "mean" and x.dtype.kind not in "fV":
            raise NotImplementedError("reduce_mean is not available for non-floating tensors")
        return getattr(x, operation)(axis=axes)

    @staticmethod
    def expand(x: Any, rank: int, added: Mapping[int, int]) -> Any:
        for place in added:
            x = np.expand_dims(x, place)
        return np.broadcast_to(x, [added.get(place, n) for place, n in enumerate(x.shape)]).copy()

    @staticmethod
    def concat(given: list[Any], axis: int) -> Any:
        return np.concatenate(given, axis)


def _on(x: Any) -> type[_Tensors]:
    if isinstance(x, Tensor):
        return _Tensors
    if isinstance(x, np.ndarray):
        return _Arrays
    shown = f"<class '{type_name(x)}'>"
    raise errors.MODULE_RUNTIME(message=f"Tensor type unknown to einops {shown}")


def apply(x: Any, pattern: str, operation: Any, given: Mapping[str, int]) -> Any:
    """What a pattern makes of a tensor or an array, step by step. Raises EinopsError."""
    on = _on(x)
    shape = on.shape(x)
    recipe = steps(pattern, operation, given, len(shape))
    known = lengths(recipe, shape, given)
    if any(len(group) != 1 for group in recipe.left):
        x = on.reshape(x, [known[axis] for group in recipe.left for axis in group])
    if recipe.order is not None:
        x = on.permute(x, recipe.order)
    reduced = tuple(range(recipe.kept, sum(map(len, recipe.left))))
    if reduced:
        x = operation(x, reduced) if callable(operation) else on.reduce(x, operation, reduced)
    if recipe.added:
        x = on.expand(x, sum(map(len, recipe.right)), {place: known[axis] for place, axis in recipe.added.items()})
    if any(len(group) != 1 for group in recipe.right):
        x = on.reshape(x, [math.prod(known[axis] for axis in group) for group in recipe.right])
    return x


def _carried_out(x: Any, pattern: str, operation: Any, given: dict[str, int]) -> Any:
    try:
        if isinstance(x, list):
            if not x:
                raise TypeError("Rearrange/Reduce/Repeat can't be applied to an empty list")
            stacked = _on(x[0]).stack(x)
            return apply(stacked, pattern, operation, given)
        return apply(x, pattern, operation, given)
    except EinopsError as error:
        shown = "\n Input is list. " if isinstance(x, list) else f"\n Input tensor shape: {_on(x).shape(x)}. "
        message = f' Error while processing {operation}-reduction pattern "{pattern}".{shown}Additional info: {given}.'
        refuse(f"{message}\n {error}")


def rearrange(tensor: Any, pattern: str, **axes_lengths: int) -> Any:
    """A tensor, or a list of tensors, with its axes split, reordered and joined as the pattern says."""
    with _told("rearrange", pattern):
        return _carried_out(tensor, pattern, "rearrange", axes_lengths)


def reduce(tensor: Any, pattern: str, reduction: Any, **axes_lengths: int) -> Any:
    """The axes that the right side leaves out, reduced by ``min``, ``max``, ``sum``, ``mean``, ``prod`` or a function."""
    with _told("reduce", pattern):
        return _carried_out(tensor, pattern, reduction, axes_lengths)


def repeat(tensor: Any, pattern: str, **axes_lengths: int) -> Any:
    """A tensor repeated along the axes that are new on the right side."""
    with _told("repeat", pattern):
        return _carried_out(tensor, pattern, "repeat", axes_lengths)


def _letters(pattern: str) -> str:
    """A pattern with one letter for each axis."""
    if "->" not in pattern:
        raise errors.MODULE_ARGUMENT(message="Einsum pattern must contain '->'.")
    lefts, right = pattern.split("->")
    known: dict[Axis, str] = {}
    inputs = [_spelt(part, known, pattern, new=True) for part in lefts.split(",")]
    return f"{','.join(inputs)}->{_spelt(right, known, pattern, new=False)}"


def _spelt(text: str, known: dict[Axis, str], pattern: str, *, new: bool) -> str:
    letters = ""
    for group in read(text, underscore=True, duplicates=new).groups:
        if group == [ELLIPSIS]:
            letters += "..."
            continue
        if len(group) != 1 or isinstance(group[0], Anonymous):
            words = (
                ("Singleton () axes are", "Shape rearrangement is") if len(group) != 1 else ("", "Anonymous axes are")
            )
            raise NotImplementedError(f"{words[bool(group)]} not yet supported in einsum.")
        if group[0] not in known:
            if not new:
                refuse(f"Unknown axis {group[0]} on right side of einsum {pattern}.")
            if len(known) >= len(string.ascii_letters):
                raise errors.MODULE_RUNTIME(message="Too many axes in einsum.")
            known[group[0]] = string.ascii_letters[len(known)]
        letters += known[group[0]]
    return letters


def einsum(*tensors_and_pattern: Any) -> Any:
    """The sum of products over the axes that the right side leaves out: tensors first, then the pattern."""
    *tensors, pattern = tensors_and_pattern or ("",)
    if not tensors:
        raise errors.MODULE_ARGUMENT(
            message="`einops.einsum` takes at minimum two arguments: the tensors (at least one), followed by the pattern."
        )
    if not isinstance(pattern, str):
        raise errors.MODULE_ARGUMENT(
            message="The last argument passed to `einops.einsum` must be a string, representing the einsum pattern."
        )
    letters = _letters(pattern)
    if isinstance(tensors[0], np.ndarray):
        return np.einsum(letters, *tensors)
    _on(tensors[0])
    with _told("einsum", pattern):
        return contractions.FUNCTIONS["einsum"](letters, *tensors)


# -- packing -----------------------------------------------------------------------------------------------------------


def _star(pattern: str, function: str) -> tuple[int, int]:
    """How many axes a pattern has before its ``*``, and how many after."""
    axes = pattern.split()
    if len(axes) != len(set(axes)):
        refuse(f'Duplicates in axes names in {function}(..., "{pattern}")')
    if "*" not in axes:
        refuse(f'No *-axis in {function}(..., "{pattern}")')
    for axis in axes:
        if axis != "*" and (not axis.isidentifier() or axis[0] == "_" or axis[-1] == "_"):
            refuse(f'Invalid axis name {axis} in {function}(..., "{pattern}")')
    before = axes.index("*")
    return before, len(axes) - before - 1


def pack(tensors: Sequence[Any], pattern: str) -> tuple[Any, list[Any]]:
    """Tensors joined along ``*``, for which each may have any number of axes; and the shapes of these."""
    before, after = _star(pattern, "pack")
    on, parts, shapes = _on(tensors[0]), [], []
    with _told("pack", pattern):
        for number, tensor in enumerate(tensors):
            shape = on.shape(tensor)
            if len(shape) < before + after:
                refuse(
                    f"packed tensor #{number} (enumeration starts with 0) has shape {shape}, while pattern {pattern}"
                    f" assumes at least {before + after} axes"
                )
            end = len(shape) - after
            shapes.append(shape[before:end])
            parts.append(on.reshape(tensor, (*shape[:before], -1, *shape[end:])))
        return on.concat(parts, before), shapes


def unpack(tensor: Any, packed_shapes: Sequence[Any], pattern: str) -> list[Any]:
    """The parts of a packed tensor again, in their shapes."""
    before, after = _star(pattern, "unpack")
    on, shape = _on(tensor), _on(tensor).shape(tensor)
    if len(shape) != before + 1 + after:
        refuse(f"unpack(..., {pattern}) received input of wrong dim with shape {shape}")
    sizes = [-1 if -1 in part else math.prod(part) for part in packed_shapes]
    if sizes.count(-1) > 1:
        refuse(f"unpack(..., {pattern}) received more than one -1 in {packed_shapes} and can't infer dimensions")
    if -1 in sizes:
        sizes[sizes.index(-1)] = shape[before] - sum(size for size in sizes if size != -1)
    elif sizes:
        sizes[-1] = shape[before] - sum(sizes[:-1])
    found, start = [], 0
    try:
        with _told("unpack", pattern):
            for part, size in zip(packed_shapes, sizes, strict=True):
                piece = tensor[(*(slice(None),) * before, slice(start, start + size))]
                found.append(on.reshape(piece, (*shape[:before], *part, *shape[before + 1 :])))
                start += size
    except (RuntimeError, ValueError, TypeError):
        refuse(
            f'Error during unpack(..., "{pattern}"): could not split axis of size {shape[before]} into requested'
            f" {packed_shapes}"
        )
    return found


def parse_shape(x: Any, pattern: str) -> dict[str, int]:
    """The lengths of the axes by name; ``_`` leaves one out."""
    side, shape = read(pattern, underscore=True), _on(x).shape(x)
    listed = tuple(shape)
    if any(len(group) > 1 for group in side.groups):
        raise errors.MODULE_RUNTIME(message=f"Can't parse shape with composite axes: {pattern} {shape}")
    count = len(side.groups) - side.has_ellipsis
    if side.has_ellipsis and len(listed) < count:
        raise errors.MODULE_RUNTIME(message=f"Can't parse shape with this number of dimensions: {pattern} {shape}")
    if not side.has_ellipsis and len(listed) != count:
        raise errors.MODULE_RUNTIME(message=f"Can't parse shape with different number of dimensions: {pattern} {shape}")
    groups = side.expanded(["_"] * (len(listed) - count))
    found: dict[str, int] = {}
    for group, length in zip(groups, listed, strict=True):
        if not group:
            if length != 1:
                raise errors.MODULE_RUNTIME(message=f"Length of axis is not 1: {pattern} {shape}")
        elif isinstance(group[0], Anonymous):
            if group[0].length != length:
                raise errors.MODULE_RUNTIME(message=f"Length of anonymous axis does not match: {pattern} {shape}")
        elif group[0] != "_":
            found[group[0]] = length
    return found


def asnumpy(tensor: Any) -> Any:
    """A NumPy array of the same values."""
    return tensor if isinstance(tensor, np.ndarray) else tensor.detach().numpy()


FUNCTIONS: Final = {f.__name__: f for f in (rearrange, reduce, repeat, einsum, pack, unpack, parse_shape, asnumpy)}
