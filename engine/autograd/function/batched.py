"""The ``vmap`` of a custom Function: what `torch.vmap` calls in place of its forward, with a whole batch of arguments.

Here the mapped function runs for one example after another. Where the arguments of the Function are those of the mapped
function, the rule is called once, and each example takes its part. Else it is called for each, with its arguments repeated.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gradflow.engine import errors
from gradflow.engine.autograd.transforms.level_stack import LevelStack, Mapped
from gradflow.engine.registry import REGISTRY
from gradflow.engine.state import STATE
from gradflow.engine.tensor import Tensor

VmapInfo = namedtuple("VmapInfo", ("batch_size", "randomness"))  # as in PyTorch
_RETURNED = (
    "Expected the vmap staticmethod to have two returns, an output and out_dims with pytree structure compatible with the"
    " output. Got {given} instead"
)


def level_of(args: tuple[Any, ...]) -> Mapped | None:
    """The `vmap` that the rule of a Function is called for; None where none of the arguments depends on its example."""
    level = STATE.levels.mapped() if STATE.levels else None
    return level if level is not None and depends(level, args) else None


def is_innermost(level: Mapped) -> bool:
    """Whether nothing differentiates inside of this `vmap`, so that the rule takes the place of the whole Function."""
    levels: tuple[Any, ...] = STATE.levels
    return next(each for each in reversed(levels) if each.kind != "hidden") is level


def depends(level: Mapped, args: tuple[Any, ...]) -> bool:
    """Whether some of the arguments are of one example alone."""
    return any(isinstance(a, Tensor) and not _outside(level, a) for a in args)


def by_rule(cls: Any, level: Mapped, args: tuple[Any, ...]) -> Any:
    """What the rule gives for the example in progress."""
    given = [_batched(level, a) for a in args]
    known = all(whole is not None for whole, _ in given)
    wholes = [_repeated(level, a) if whole is None else whole for a, (whole, _) in zip(args, given, strict=True)]
    key = (cls, *map(id, wholes), level.calls) if known else None
    level.calls += 1
    if key is None or key not in level.by_rules:
        made = _called(cls, level, tuple(dim for _, dim in given), wholes)
        if key is None:
            return _part(made, level.index)
        level.by_rules[key] = made
    return _part(level.by_rules[key], level.index)


def _called(cls: Any, level: Mapped, dims: tuple[Any, ...], wholes: list[Any]) -> tuple[Any, Any]:
    with _below(level):
        returned = cls.vmap(VmapInfo(level.size, level.randomness), dims, *wholes)
    if not isinstance(returned, tuple):
        raise errors.DERIVATIVE_CALL(message=_RETURNED.format(given=f"a {type(returned)}"))
    if len(returned) != 2:
        raise errors.DERIVATIVE_CALL(message=_RETURNED.format(given=f"{len(returned)} returns"))
    return returned


@contextmanager
def _below(level: Mapped) -> Iterator[None]:
    """The rule sees the transformations outside of the `vmap`."""
    before = STATE.levels
    STATE.levels = LevelStack(before[: before.index(level)]) if before.index(level) else ()
    try:
        yield
    finally:
        STATE.levels = before


def _outside(level: Mapped, tensor: Tensor) -> bool:
    """Whether a tensor was there before the `vmap`."""
    entry = tensor._entry
    known = any(part is tensor and dim is not None for part, _, dim in level.pairs)
    return not known and ((entry is not None and entry.number < level.begin) or id(tensor) in level.unbatched)


def _batched(level: Mapped, value: Any) -> tuple[Any, int | None]:
    """The whole batch that a value is from, and the dimension; None for a batch that is not known."""
    if not isinstance(value, Tensor) or _outside(level, value):
        return value, None
    for part, whole, dim in level.pairs:
        if part is value or (not STATE.grad and _same_memory(part, value)):
            return whole, dim
    return None, 0


def _same_memory(part: Any, value: Tensor) -> bool:
    if not isinstance(part, Tensor) or part._a.shape != value._a.shape or part._a.strides != value._a.strides:
        return False
    return part._a.ctypes.data == value._a.ctypes.data


def _repeated(level: Mapped, value: Tensor) -> Any:
    row = REGISTRY["unsqueeze"].call(value, 0)
    return REGISTRY["expand"].call(row, level.size, *value._a.shape)


def _part(made: tuple[Any, Any], index: int) -> Any:
    outputs, dims = made
    if isinstance(outputs, list | tuple):
        each = dims if isinstance(dims, list | tuple) else [dims] * len(outputs)
        return tuple(_part(pair, index) for pair in zip(outputs, each, strict=True))
    if dims is None or not isinstance(outputs, Tensor):
        return outputs
    return REGISTRY["select"].call(outputs, dims, index)
