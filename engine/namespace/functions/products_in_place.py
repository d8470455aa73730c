"""The forms in place whose refusals are their own: products that are added to a matrix, bits, and scaled numbers."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Signature
from typing import Any

from gradflow.engine import errors
from gradflow.engine.autograd import inplace
from gradflow.engine.registry import REGISTRY
from gradflow.engine.state import STATE
from gradflow.engine.tensor import Tensor, dtypes

Refuse = Callable[[Tensor, tuple[Any, ...]], None]


def _refusing(name: str, refuse: Refuse) -> Callable[..., Any]:
    """The form in place of an operation, with a check between that of leaves and the operation's own."""

    def write(self: Tensor, *others: Any, **settings: Any) -> Any:
        operation = REGISTRY[name]
        given = (*others, *(settings[p.name] for p in operation.params[1:] if p.name in settings))
        wanted = any(isinstance(t, Tensor) and t.requires_grad for t in (self, *given))
        inplace.check(self, STATE.grad and wanted)
        refuse(self, given)
        call = operation.call_inplace
        assert call is not None
        return call(self, *others, **settings)

    write.__name__ = write.__qualname__ = f"{name}_"
    write.__doc__ = f"`{name}` in place."
    write.__wrapped__ = REGISTRY[name].body  # type: ignore[attr-defined]  # the parameters, for the check of arguments
    write.__signature__ = Signature([p.parameter for p in REGISTRY[name].params])  # type: ignore[attr-defined]
    return write


def _product_size(self: Tensor, others: tuple[Any, ...]) -> None:
    first, second = (t._a.shape for t in others[:2])
    if len(first) == len(second) == 2 and first[1] == second[0]:
        result = [first[0], second[1]]
        if list(self._a.shape) != result:
            raise errors.INPLACE_PRODUCT(shape=list(self._a.shape), result=result)


def _outer_size(self: Tensor, others: tuple[Any, ...]) -> None:
    shape, (first, second) = list(self._a.shape), [list(t._a.shape) for t in others[:2]]
    if len(first) != 1 or len(second) != 1:
        return
    if len(shape) != 2:
        raise errors.INPLACE_OUTER_DIMENSIONS(ndim=len(shape))
    if shape != [*first, *second]:
        raise errors.INPLACE_OUTER(shape=shape, rows=first, columns=second)


def _bits(self: Tensor, others: tuple[Any, ...]) -> None:
    other = others[0]
    if self._a.dtype.kind in "fc":
        return
    kind = dtypes.result_type(self._a, other._a if isinstance(other, Tensor) else other)
    if kind.kind in "fc":
        raise errors.RESULT_CAST(result=dtypes.BY_NUMPY[kind].legacy, output=self.dtype.legacy, subject=self)


def _whole(text: str) -> Refuse:
    def refuse(self: Tensor, others: tuple[Any, ...]) -> None:
        if self._a.dtype.kind in "iub":
            raise errors.WRITE_REFUSED(message=text.format(own=self.dtype.legacy))

    return refuse


METHODS: dict[str, Callable[..., Any]] = {
    f"{name}_": _refusing(name, refuse)
    for name, refuse in {
        "addmm": _product_size,
        "addr": _outer_size,
        "bitwise_and": _bits,
        "bitwise_or": _bits,
        "bitwise_xor": _bits,
        "ldexp": _whole("ldexp can't be cast to the desired output type {own}"),
        "mvlgamma": _whole("mvlgamma: result type {own} can't be cast to the desired output type Float"),
    }.items()
}
"""On Tensor."""
