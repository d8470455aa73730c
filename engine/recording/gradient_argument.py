"""Where a program gives a backward pass its gradient: each of the calls that begin one takes it at a place of its own."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.sandbox.program import Program
from gradflow.engine.trace import Span

_METHOD: Final = (0, "gradient")
_UNBOUND: Final = (1, "gradient")
_FUNCTION: Final = (1, "grad_tensors")
_GRAD: Final = (2, "grad_outputs")
"""The position and the name of the argument: `y.backward(g)`, `Tensor.backward(y, g)`, `autograd.backward(y, g)`,
`autograd.grad(y, x, g)`."""


def gradient_argument(program: Program, span: Span, kind: str) -> Span | None:
    """The gradient of the first output in the call at ``span``; None where the call does not say it there.

    kind: of the pass, ``backward`` or ``grad``.
    """
    call = program.call_at(span)
    given = argument_of(call, *_place(program.full_name(call.func), kind)) if call else None
    while isinstance(given, ast.List | ast.Tuple) and given.elts:
        given = given.elts[0]
    return None if given is None or isinstance(given, ast.Starred) else program.span_of(given)


def _place(function: str, kind: str) -> tuple[int, str]:
    if kind == "grad":
        return _GRAD
    return {"torch.autograd.backward": _FUNCTION, "torch.Tensor.backward": _UNBOUND}.get(function, _METHOD)
