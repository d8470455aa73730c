"""What a program sees of a tensor: its elements as text, and the part that it has in a graph."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from gradflow.engine.state import STATE
from gradflow.engine.tensor import dtypes, printing

if TYPE_CHECKING:
    import numpy as np

    from gradflow.engine.tensor.tensor import Tensor


def shown(tensor: Tensor) -> str:
    """``repr(tensor)``; inside of a transformation of ``torch.func`` with the levels that track it."""
    if STATE.levels:
        from gradflow.engine.autograd.transforms.level_stack import shown as within

        inside = within(tensor, partial(text, tensor))
        if inside is not None:
            return inside
    return text(tensor)


def captured(text: str, write: Callable[[str], None]) -> bool:
    """Whether a transformation in progress keeps what the program prints for later."""
    from gradflow.engine.autograd.transforms.vmap_output import capture

    return capture(STATE.levels, text, write)


def resolved(text: str) -> str:
    """What was printed inside of `vmap`, with the tensors of all examples."""
    from gradflow.engine.autograd.transforms.vmap_output import resolved

    return resolved(text)


def forget() -> None:
    """Nothing that was printed inside of `vmap` is left."""
    from gradflow.engine.autograd.transforms.vmap_output import forget

    forget()


def check_read(what: str) -> None:
    """Raises RuntimeError where a transformation in progress does not let a program see the value of a tensor."""
    from gradflow.engine.autograd.transforms.level_stack import check_read as check

    check(what)


def text(tensor: Tensor, graph: bool = True, suffix: str | None = None, array: np.ndarray | None = None) -> str:
    """The plain text. ``graph``: with its ``grad_fn``; ``suffix``: what else stands behind the elements.

    ``array``: other elements in place of the tensor's own.
    """
    return printing.tensor_repr(
        tensor._a if array is None else array,
        dtype_default=dtypes.is_default(tensor.dtype),
        dtype_name=repr(tensor.dtype),
        grad_fn=_grad_fn(tensor) if graph else None,
        requires_grad=graph and tensor.requires_grad,
        suffix=suffix,
    )


def _grad_fn(tensor: Tensor) -> str | None:
    try:
        grad_fn = tensor.grad_fn
    except RuntimeError:  # a view that may not be used any more can still be printed
        return "Invalid"
    return None if grad_fn is None else grad_fn.printed_name
