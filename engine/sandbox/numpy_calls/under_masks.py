"""Universal functions under a mask (``where=``), without NumPy's own loops for it, and what accumulates into an array.

These leave what the mask leaves out as it was: memory of others, where NumPy has made the result. And NumPy ends the process
where such a loop is to compare with a number that does not fit the dtype. Here the operands are selected first, and what
is left out is zero, as in ``np.empty``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any

import numpy as np


def masked(
    ufunc: np.ufunc, operands: Sequence[Any], outs: Sequence[np.ndarray | None], settings: Mapping[str, Any]
) -> Any:
    """``ufunc(*operands, out=outs, **settings)``, of which one setting is ``where``. Operands are arrays and numbers."""
    plain = dict(settings)
    mask = _mask(plain.pop("where"))
    arrays = [one for one in (*operands, *outs, mask) if isinstance(one, np.ndarray)]
    try:
        shape = np.broadcast_shapes(*(one.shape for one in arrays))
    except ValueError:
        shapes = " ".join(str(one.shape) for one in arrays)
        raise ValueError(f"operands could not be broadcast together with shapes {shapes} ") from None
    for out in outs:
        if out is not None and out.shape != shape:
            raise ValueError(
                f"non-broadcastable output operand with shape {out.shape} doesn't match the broadcast shape {shape}"
            )
    chosen = np.array(np.broadcast_to(mask, shape))  # a copy: what is written into may be the mask
    count = int(np.count_nonzero(chosen))
    selected = [_selected(one, chosen) for one in operands]
    if any(out is not None for out in outs):
        plain["out"] = tuple(None if out is None else np.zeros(count, out.dtype) for out in outs)
    found = ufunc(*selected, **plain)
    results = found if isinstance(found, tuple) else (found,)
    made = tuple(_written(out, chosen, one) for out, one in zip(outs, results, strict=True))
    return made if isinstance(found, tuple) else made[0]


def _mask(where: Any) -> np.ndarray:
    if isinstance(where, np.ndarray) and where.dtype != np.bool_:
        raise TypeError(f"Cannot cast array data from {where.dtype!r} to dtype('bool') according to the rule 'safe'")
    return np.asarray(where, np.bool_)


def _selected(operand: Any, chosen: np.ndarray) -> Any:
    if not isinstance(operand, np.ndarray) or not operand.ndim:
        return operand  # of which the dtype of the result may depend
    return np.broadcast_to(operand, chosen.shape)[chosen]


def _written(out: np.ndarray | None, chosen: np.ndarray, result: Any) -> Any:
    whole = np.zeros(chosen.shape, np.asarray(result).dtype) if out is None else out
    whole[chosen] = result
    return whole[()] if out is None and not whole.ndim else whole


def accumulating(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that accumulates along an axis, and would look for that in an array for its results that has none."""

    @wraps(function)
    def accumulate(*given: Any, **named: Any) -> Any:
        for out in (*given[2:], named.get("out")) if named or len(given) > 2 else ():
            for each in out if isinstance(out, tuple) else (out,):
                if isinstance(each, np.ndarray) and not each.ndim:
                    raise ValueError("provided out is the wrong size for the accumulation.")
        return function(*given, **named)

    return accumulate
