"""The ``jvp`` of a custom Function, which takes the place of its backward while forward derivatives are computed.

A tangent is computed by differentiating the gradients by their weights, so a Function needs a gradient for it. ``jvp`` is
linear in the tangents: what it gives, differentiated by them and weighted by the gradients of the outputs, is one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from gradflow.engine.state import STATE, grad_mode, unrecorded
from gradflow.engine.tensor import Tensor


@contextmanager
def forward_pass() -> Iterator[None]:
    """Run the pass whose gradients are then differentiated by their weights."""
    before, STATE.forward_pass = STATE.forward_pass, True
    try:
        yield
    finally:
        STATE.forward_pass = before


class Linear:
    """What a ``jvp`` makes of tangents, for the arguments that need a gradient: it is called once, and then transposed."""

    def __init__(self, jvp: Callable[..., Any], context: Any, args: tuple[Any, ...], needs: tuple[bool, ...]) -> None:
        with unrecorded(), grad_mode(True):
            self.tangents = [
                Tensor(np.zeros(a._a.shape, a._a.dtype), requires_grad=True) if needed else None
                for a, needed in zip(args, needs, strict=True)
            ]
            returned = jvp(context, *map(self._given, args, self.tangents, [context.materialize_grads] * len(args)))
        self.outputs = returned if isinstance(returned, tuple) else (returned,)

    @staticmethod
    def _given(argument: Any, tangent: Tensor | None, zeros: bool) -> Tensor | None:
        """The tangent of an argument; zeros for a tensor that has none, where the program does not want None."""
        if tangent is not None or not zeros or not isinstance(argument, Tensor):
            return tangent
        return Tensor(np.zeros_like(argument._a))

    def transposed(self, gradients: tuple[Any, ...]) -> Any:
        """The gradients of the arguments; None for what needs none."""
        from gradflow.engine.autograd import backward  # which imports the nodes

        given = zip(self.outputs, gradients, strict=False)
        pairs = [(o, g) for o, g in given if isinstance(o, Tensor) and o.requires_grad]
        wanted = [each for each in self.tangents if each is not None]
        if not pairs:
            return (None,) * len(self.tangents)
        with unrecorded(), grad_mode(True):
            weights = [g for _, g in pairs]
            found = iter(backward.grad([o for o, _ in pairs], wanted, weights, True, True, allow_unused=True))
        return tuple(None if each is None else next(found) for each in self.tangents)
