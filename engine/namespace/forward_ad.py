"""``torch.autograd.forward_ad``: dual numbers. A tangent is found from two backward passes, as in `func.jvp`."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from engine import backward, errors
from engine.guards import allow
from engine.registry import REGISTRY
from engine.state import grad_mode, unrecorded
from engine.tensor import Tensor

UnpackedDualTensor = namedtuple("UnpackedDualTensor", ("primal", "tangent"))  # as in PyTorch

_levels: list[list[tuple[Tensor, Tensor]]] = []


class dual_level:
    """Inside, tensors can carry tangents."""

    def __enter__(self) -> int:
        _levels.append([])
        return len(_levels) - 1

    def __exit__(self, *_: object) -> None:
        _levels.pop()


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """A tensor that carries a tangent. Raises RuntimeError outside of a `dual_level`."""
    if not _levels:
        raise errors.DERIVATIVE_CALL(
            message="Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level()"
            " first."
        )
    if tensor.requires_grad:
        dual: Tensor = REGISTRY["view"].call(tensor, *tensor._a.shape)
    else:
        dual = tensor.detach()
        dual.requires_grad = True
    _levels[-1].append((dual, tangent))
    return dual


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> Any:
    """The tensor without its tangent, and the tangent; None where it has none."""
    duals = _levels[-1] if _levels else []
    for dual, tangent in duals:
        if dual is tensor:
            return UnpackedDualTensor(tensor.detach(), tangent)
    return UnpackedDualTensor(tensor.detach(), _tangent(tensor, duals) if duals and tensor.requires_grad else None)


def _tangent(tensor: Tensor, duals: list[tuple[Tensor, Tensor]]) -> Tensor | None:
    weight = Tensor(np.zeros_like(tensor._a), requires_grad=True)
    with unrecorded(), grad_mode(True):
        points = [dual for dual, _ in duals]
        found = backward.grad(tensor, points, weight, True, True, allow_unused=True)
        pairs = [(f, t) for f, (_, t) in zip(found, duals, strict=True) if f is not None and f.requires_grad]
        if not pairs:
            reached = any(f is not None for f in found)
            return Tensor(np.zeros_like(tensor._a)) if reached else None
        result: Tensor = backward.grad([f for f, _ in pairs], weight, [t for _, t in pairs], True)[0]
        return result


def members() -> dict[str, Any]:
    """The public names of the module."""
    allow(dual_level)
    allow(UnpackedDualTensor, ("primal", "tangent", "count", "index"))
    return {"dual_level": dual_level, "make_dual": make_dual, "unpack_dual": unpack_dual}
