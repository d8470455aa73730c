"""The backward of a custom Function that has only a ``jvp``: its transpose, while forward derivatives are computed.

A tangent is computed by differentiating the gradients by their weights, so a Function needs a gradient for it. ``jvp`` is
linear in the tangents: what it gives, differentiated by them and weighted by the gradients of the outputs, is one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradflow.engine.state import STATE, grad_mode, unrecorded
from gradflow.engine.tensor import Tensor


def is_forward() -> bool:
    """Whether a forward derivative is being computed."""
    return any(level.kind in ("dual", "grad") for level in STATE.levels)


def transposed(jvp: Callable[..., Any], context: Any, like: tuple[Any, ...], gradients: tuple[Any, ...]) -> Any:
    """The gradients of the arguments, which are of the shapes and dtypes ``like``; None for what needs none."""
    from gradflow.engine.autograd import backward  # which imports the nodes

    with unrecorded(), grad_mode(True):
        tangents = [None if each is None else Tensor(np.zeros(*each), requires_grad=True) for each in like]
        returned = jvp(context, *tangents)
        outputs = returned if isinstance(returned, tuple) else (returned,)
        pairs = [(o, g) for o, g in zip(outputs, gradients, strict=False) if isinstance(o, Tensor) and o.requires_grad]
        wanted = [each for each in tangents if each is not None]
        if not pairs:
            return (None,) * len(like)
        found = iter(backward.grad([o for o, _ in pairs], wanted, [g for _, g in pairs], True, True, allow_unused=True))
    return tuple(None if each is None else next(found) for each in tangents)
