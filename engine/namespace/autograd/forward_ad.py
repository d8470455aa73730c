"""``torch.autograd.forward_ad``: dual numbers. A tangent is found from two backward passes, as in `func.jvp`."""

from __future__ import annotations

import weakref
from collections import namedtuple
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.autograd import backward
from gradflow.engine.autograd.function.transposed import forward_pass
from gradflow.engine.autograd.node import titled
from gradflow.engine.autograd.transforms.level_stack import Level, graph_of
from gradflow.engine.namespace.tensor_arguments import need
from gradflow.engine.registry import REGISTRY
from gradflow.engine.sandbox.gate import allow
from gradflow.engine.state import STATE, grad_mode, unrecorded
from gradflow.engine.tensor import Tensor

UnpackedDualTensor = namedtuple("UnpackedDualTensor", ("primal", "tangent"))  # as in PyTorch


class _Duals(Level):
    """The dual level: its tensors with their tangents. There is one at most."""

    kind = "dual"
    forward = True

    def __init__(self) -> None:
        super().__init__()
        self.pairs: list[tuple[Tensor, Tensor]] = []
        self.found: weakref.WeakValueDictionary[int, Tensor] = weakref.WeakValueDictionary()
        """What was unpacked, by ``id``: it has no tangent itself."""

    def suffix(self, tensor: Tensor) -> str | None:
        """What a dual tensor prints behind its elements."""
        found = tangent_of(tensor, self)
        return None if found is None else f"tangent={found}"

    def close(self) -> None:
        """Leave plain tensors behind."""
        self.__exit__()
        for leaf in self.fresh:
            leaf._rg = False


def level_of_duals() -> _Duals | None:
    """The dual level, where there is one."""
    return next((level for level in STATE.levels if isinstance(level, _Duals)), None)


def enter_dual_level() -> int:
    """Begin the level in which tensors can carry tangents. Raises RuntimeError where it has begun."""
    if level_of_duals() is not None:
        raise errors.DERIVATIVE_CALL(message="Nested forward mode AD is not supported at the moment")
    _Duals().__enter__()
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """End the level, and with it the tangents."""
    duals = level_of_duals()
    if duals is None and level is None:
        raise errors.DERIVATIVE_CALL(message="Dual level must be a positive number.")
    if duals is None or level not in (None, 0):
        raise errors.DERIVATIVE_CALL(
            message="Trying to exit a forward AD level that was not the last one that was created. This is not supported."
        )
    duals.close()


class dual_level:
    """Inside, tensors can carry tangents."""

    def __enter__(self) -> int:
        return enter_dual_level()

    def __exit__(self, *_: object) -> None:
        exit_dual_level()


def check_tangent(primal: Tensor, tangent: Tensor) -> None:
    """Raises RuntimeError where a tangent has not the shape of its tensor."""
    if primal._a.shape != tangent._a.shape:
        raise errors.DERIVATIVE_CALL(
            message="Trying to set a forward gradient that has a different size than that of the original Tensor, this is"
            f" not supported. Tensor is of size {list(primal.shape)} while the given forward gradient is of size"
            f" {list(tangent.shape)}."
        )


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """A tensor that carries a tangent. Raises RuntimeError outside of a `dual_level`, ValueError for integers."""
    duals = level_of_duals()
    if duals is None:
        raise errors.DERIVATIVE_CALL(
            message="Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level()"
            " first."
        )
    for name, given in (("primal", tensor), ("tangent", tangent)):
        if not isinstance(given, Tensor):
            raise errors.NO_ATTRIBUTE(type=type(given).__name__, name="is_floating_point", value=given)
        if given._a.dtype.kind not in "fcV":
            message = f"Expected {name} to be floating point or complex, but got: {given.dtype}"
            raise errors.DERIVATIVE_VALUE(message=message)
    check_tangent(tensor, tangent)
    if any(dual is tensor for dual, _ in duals.pairs):
        raise errors.DERIVATIVE_CALL(
            message="Making a dual Tensor based on a Tensor that already has a forward gradient at the same level 0 is not"
            " supported."
        )
    return _dual(duals, tensor, tangent)


def _dual(duals: _Duals, tensor: Tensor, tangent: Tensor) -> Tensor:
    if tensor.requires_grad:
        dual: Tensor = REGISTRY["view"].call(tensor, *tensor._a.shape)
        if dual._node is not None:
            duals.points.add(dual._node)
    else:
        dual = tensor.detach()
        dual.requires_grad = True
        duals.fresh.add(dual)
    duals.pairs.append((dual, tangent))
    return dual


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> Any:
    """The tensor without its tangent, and the tangent; None where it has none."""
    duals = level_of_duals()
    if duals is None:
        return UnpackedDualTensor(tensor, None)
    return UnpackedDualTensor(_primal(need(tensor, "_unpack_dual", "dual"), duals), tangent_of(tensor, duals))


def _primal(tensor: Tensor, duals: _Duals) -> Tensor:
    """A view without a tangent, with a graph where the tensor depends on what requires grad outside of the level."""
    if not _reaches_outside(tensor, duals):
        return tensor.detach()
    primal = titled(REGISTRY["alias"].call(tensor), "Identity")
    duals.found[id(primal)] = primal
    return primal


def tangent_of(tensor: Tensor, duals: _Duals) -> Tensor | None:
    """The tangent of a tensor; None where it depends on nothing that has one."""
    for dual, tangent in duals.pairs:
        if dual is tensor:
            return tangent
    if not duals.pairs or not tensor.requires_grad or duals.found.get(id(tensor)) is tensor:
        return None
    weight = Tensor(np.zeros_like(tensor._a), requires_grad=True)
    with unrecorded(), grad_mode(True):
        points = [dual for dual, _ in duals.pairs]
        with forward_pass():
            found = backward.grad(tensor, points, weight, True, True, allow_unused=True)
        pairs = [(f, t) for f, (_, t) in zip(found, duals.pairs, strict=True) if f is not None and f.requires_grad]
        if not pairs:
            reached = any(f is not None for f in found)
            return Tensor(np.zeros_like(tensor._a)) if reached else None
        tangent = backward.grad([f for f, _ in pairs], weight, [t for _, t in pairs], True, True)[0]
        settled = _settled(tangent, duals)
        duals.found[id(settled)] = settled
        return settled


def _settled(tangent: Tensor, duals: _Duals) -> Tensor:
    """A tangent with a graph only where it depends on what requires grad outside of the level."""
    return tangent if not tangent.requires_grad or _reaches_outside(tangent, duals) else tangent.detach()


def _reaches_outside(tensor: Tensor, duals: _Duals) -> bool:
    return bool({leaf for leaf in graph_of(tensor)[0] if leaf.requires_grad} - duals.fresh)


def members() -> dict[str, Any]:
    """The public names of the module."""
    allow(dual_level)
    allow(UnpackedDualTensor, ("primal", "tangent", "count", "index"))
    return {
        "dual_level": dual_level,
        "enter_dual_level": enter_dual_level,
        "exit_dual_level": exit_dual_level,
        "make_dual": make_dual,
        "unpack_dual": unpack_dual,
        "UnpackedDualTensor": UnpackedDualTensor,
    }
