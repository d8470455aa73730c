"""Writes inside of `vmap` into a tensor that is the same for all examples, of values that are not.

PyTorch maps a function by running it once on the whole batch: a tensor that was made without the batch has room for one example. Here
the function runs for each example, where such a write would go through, so that it is refused in PyTorch's words.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

import numpy as np

from gradflow.engine import errors
from gradflow.engine.autograd.transforms.level_stack import Mapped
from gradflow.engine.pytorch import UNBATCHED_WRITES
from gradflow.engine.state import STATE
from gradflow.engine.tensor import Tensor

if TYPE_CHECKING:
    from gradflow.engine.registry import Op

_REFUSED: Final = (
    "vmap: {name}(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args that has more"
    " elements than `self`. This happened due to `other` being vmapped over but `self` not being vmapped over {where}."
    " Please try to use out-of-place operators instead of {name}. If said operator is being called inside the PyTorch"
    " framework, please file a bug report instead."
)
_ENDINGS: Final = ("_written", "_rounded", "_scalar", "_tensor", "_reduce", "_value", "_src")


def refuse_unbatched_write(op: Op, tensor: Tensor, others: Iterable[object]) -> None:
    """Raises RuntimeError where a tensor is certainly the same for all examples of a `vmap` and one of the others is not."""
    read = [other for other in others if isinstance(other, Tensor)]
    for number, level in enumerate(STATE.levels, 1):
        if isinstance(level, Mapped) and _is_batched(level, tensor) is False:
            batched = next((other for other in read if _is_batched(level, other)), None)
            if batched is not None:
                raise _refusal(op, level, number, tensor, batched)


def _is_batched(level: Mapped, tensor: Tensor) -> bool | None:
    """Whether a tensor was computed from what is mapped over; None where it cannot be told."""
    own = tensor._entry
    if own is None and tensor._view is not None:  # a part that the write itself has taken
        own = tensor._view.base._entry
    seen, stack, known = set[int](), [own], True
    while stack:
        entry = stack.pop()
        if entry is None:
            known = False
        elif entry.number not in seen:
            seen.add(entry.number)
            if id(entry.tensor) in level.output.batches:
                return True
            if entry.node is not None:
                stack += entry.node.inputs
                known = known and bool(entry.node.inputs)
            elif entry.number >= level.begin and id(entry.first.tensor) not in level.unbatched:
                known = False
    return False if known else None


def _refusal(op: Op, level: Mapped, number: int, tensor: Tensor, other: Tensor) -> Exception:
    rule = UNBATCHED_WRITES.get(op.name)
    if rule == "shape":
        own = tensor._a.shape
        whole = [level.size, *np.broadcast_shapes(own, other._a.shape)]
        message = f"output with shape {list(own)} doesn't match the broadcast shape {whole}"
        return errors.VMAP_WRITE(message=message)
    if rule is None:
        named = _REFUSED.format(name=f"aten::{written_as(op)}_", where=f"at level {number}")
    else:
        named = _REFUSED.format(name="inplace arithmetic" if rule == "arithmetic" else rule, where="in a vmap")
    return errors.VMAP_WRITE(message=named)


def written_as(op: Op) -> str:
    """The name under which programs write with an operation, without its last underscore."""
    name = op.public
    while name not in (*op.functions, *op.methods) and (ending := next(filter(name.endswith, _ENDINGS), "")):
        name = name.removesuffix(ending)
    return name
