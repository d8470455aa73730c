"""Shapes that are each other's with the dimensions in another order: what is laid out anew would mix up the elements."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from gradflow.engine.diagnosis.case import called


def sizes(value: object) -> tuple[int, ...]:
    """A shape as an error tells it; empty of what is none."""
    return tuple(map(int, value)) if isinstance(value, list | tuple) else ()


def is_turned(own: Sequence[int], wanted: Sequence[int]) -> bool:
    """Whether a shape has the dimensions of another one in another order, not only a 1 at another place."""
    if len(own) != len(wanted) or tuple(own) == tuple(wanted) or sorted(own) != sorted(wanted):
        return False
    return len(own) == 2 or [size for size in own if size != 1] != [size for size in wanted if size != 1]


def turning(own: Sequence[int], wanted: Sequence[int]) -> str:
    """What brings the dimensions of a shape into the order of another one; "" where several orders do."""
    if not is_turned(own, wanted):
        return ""
    if len(own) == 2:
        return ".T"
    if len(set(own)) != len(own):
        return ""
    order = [list(own).index(size) for size in wanted]
    last = len(own) - 1
    if order == [*range(last - 1), last, last - 1]:
        return ".mT"
    moved = [at for at, place in enumerate(order) if at != place]
    if len(moved) == 2:
        return f".transpose({moved[0]}, {moved[1]})"
    return f".permute({', '.join(map(str, order))})"


def unturned(node: ast.expr) -> ast.expr | None:
    """What an expression is the transpose of, as it is written; None where it is no transpose of a matrix."""
    match node:
        case ast.Attribute(value=inner, attr="T" | "mT"):
            return inner
        case ast.Call(func=ast.Attribute(value=ast.Name(id="torch")), args=[inner, *dims], keywords=[]):
            return inner if _turns(called(node), dims) else None
        case ast.Call(func=ast.Attribute(value=inner), args=dims, keywords=[]):
            return inner if _turns(called(node), dims) else None
    return None


def _turns(name: str, dims: Sequence[ast.expr]) -> bool:
    """Whether a method swaps the two dimensions of a matrix, or the last two of a batch."""
    try:
        given = [ast.literal_eval(one) for one in dims]
    except ValueError:
        return False
    if name in ("transpose", "swapaxes", "swapdims"):
        return sorted(map(int, given)) in ([0, 1], [-2, -1])
    return (name == "t" and not given) or (name == "permute" and given in ([1, 0], [(1, 0)]))
