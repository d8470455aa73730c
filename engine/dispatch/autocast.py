"""Regions of mixed precision on the CPU: which functions take their tensors in which dtype.

Source: the lists for the CPU in https://pytorch.org/docs/stable/amp.html, read from the dispatcher of PyTorch 2.13.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar, cast

from gradflow.engine.registry import REGISTRY
from gradflow.engine.state import STATE
from gradflow.engine.tensor import Tensor, dtypes

if TYPE_CHECKING:
    from gradflow.engine.registry import Op

F = TypeVar("F", bound=Callable[..., Any])
Policy = Literal["lower", "float32", "widest"]

_LOWER: Final = "mm bmm addmm affine baddbmm addbmm conv conv_transpose lstm_layer"
_FLOAT32: Final = (
    "linalg_inv linalg_solve linalg_cholesky linalg_qr cdist linalg_eigh linalg_svd linalg_eig view_as_complex polar"
    " linalg_householder_product ormqr geqrf cholesky_solve cholesky_inverse linalg_lstsq trace prod_all prod_dim"
    " mse_loss smooth_l1_loss huber_loss soft_margin_loss binary_cross_entropy binary_cross_entropy_with_logits"
    " multi_margin_loss multilabel_margin_loss fractional_max_pool2d fractional_max_pool3d max_unpool2d max_unpool3d"
    " avg_pool3d grid_sampler_2d grid_sampler_3d reflection_pad1d reflection_pad2d replication_pad1d replication_pad2d"
    " replication_pad3d adaptive_avg_pool3d adaptive_max_pool3d max_pool3d_with_indices"
)
POLICIES: Final[dict[str, Policy]] = {
    **dict.fromkeys(_LOWER.split(), "lower"),
    **dict.fromkeys(_FLOAT32.split(), "float32"),
    **dict.fromkeys(("cat", "stack", "index_copy"), "widest"),
}
"""How operations take their tensors. What is composed of several says so itself, by `takes`."""


class Region:
    """A region that is in force. ``casts`` holds the parameters that were cast, once for all regions around."""

    __slots__ = ("caching", "casts", "dtype")

    def __init__(self, dtype: dtypes.dtype, caching: bool, outer: Region | None) -> None:
        self.dtype, self.caching = dtype, caching
        self.casts: dict[int, tuple[Tensor, Tensor]] = {} if outer is None else outer.casts

    def operands(self, op: Op, values: tuple[Any, ...]) -> tuple[Any, ...]:
        """The operands of an operation as its policy wants them."""
        policy = POLICIES.get(op.name)
        return values if policy is None else tuple(self._in_turn(self._wanted(policy, values), values))

    def arguments(
        self, policy: Policy, args: Sequence[Any], kwargs: dict[str, Any]
    ) -> tuple[list[Any], dict[str, Any]]:
        """The arguments of a function as its policy wants them."""
        wanted = self._wanted(policy, (*args, *kwargs.values()))
        named = dict(zip(kwargs, self._in_turn(wanted, tuple(kwargs.values())), strict=True))
        return self._in_turn(wanted, args), named

    def _wanted(self, policy: Policy, values: Sequence[Any]) -> dtypes.dtype:
        if policy == "lower":
            return self.dtype
        if policy == "float32":
            return dtypes.float32
        found = [t._a.dtype for t in _tensors(values) if t._a.dtype.kind in "fV"]
        return dtypes.BY_NUMPY[dtypes.joined([self.dtype.numpy, *found])]

    def _in_turn(self, wanted: dtypes.dtype, values: Sequence[Any]) -> list[Any]:
        """The arguments of one call, cast from the last to the first, as PyTorch's compiler evaluates them."""
        return [self._as(wanted, [value])[0] for value in reversed(values)][::-1]

    def _as(self, wanted: dtypes.dtype, values: list[Any]) -> list[Any]:
        return [
            self._cast(value, wanted)
            if isinstance(value, Tensor)
            else type(value)(self._as(wanted, list(value)))
            if type(value) in (list, tuple)
            else value
            for value in values
        ]

    def _cast(self, tensor: Tensor, wanted: dtypes.dtype) -> Tensor:
        """A tensor of real numbers in a dtype; double precision stays. Parameters are cast once."""
        kind = tensor._a.dtype
        if kind.kind not in "fV" or kind == wanted.numpy or kind.itemsize == 8:
            return tensor
        kept = (
            self.caching
            and STATE.grad
            and wanted is self.dtype
            and tensor._rg
            and tensor._view is None
            and kind.itemsize == 4
        )
        if kept and id(tensor) in self.casts:
            return self.casts[id(tensor)][1]
        result: Tensor = REGISTRY["to_dtype"].call(tensor, wanted)
        if kept:
            self.casts[id(tensor)] = tensor, result
        return result


def _tensors(values: Sequence[Any]) -> list[Tensor]:
    found = list[Tensor]()
    for value in values:
        found += _tensors(value) if isinstance(value, list | tuple) else [value] if isinstance(value, Tensor) else []
    return found


def takes(policy: Policy) -> Callable[[F], F]:
    """Declare the policy of a function. What it calls sees no region, as in PyTorch."""

    def declare(function: F) -> F:
        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            region = STATE.autocast
            if region is None:
                return function(*args, **kwargs)
            given, named = region.arguments(policy, args, kwargs)
            STATE.autocast = None
            try:
                return function(*given, **named)
            finally:
                STATE.autocast = region

        call.policy = policy  # type: ignore[attr-defined]  # which tells that there is a function behind
        return cast(F, call)

    return declare
