"""What the declarations of operations on elements share: sample values, refusals, rounding."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import dtypes, errors

V = [[0.5, -1.25, 2.0], [1.5, 0.75, -0.5]]
W = [[1.5, 2.5, -0.5], [0.25, -2.0, 3.0]]
POSITIVE = [[0.5, 1.25, 2.0], [1.5, 0.75, 0.1]]
COLUMN = [[2.25], [-1.5]]
UNIT = [[0.5, -0.25, 0.9], [-0.75, 0.1, 0.3]]

BINARY = ((V, W), (V, COLUMN), (COLUMN, W), (V, 3.0), (V, 2), (1.5, W))
SCALED = (*BINARY, (V, W, {"alpha": 2}), (COLUMN, W, {"alpha": -0.5}))


def refuse_bool_pair(a: Any, b: Any) -> None:
    if getattr(a, "dtype", None) == np.bool_ and (isinstance(b, bool) or getattr(b, "dtype", None) == np.bool_):
        raise errors.BOOL_SUBTRACT()


def refuse_zero(dividend: Any, divisor: Any) -> None:
    kinds = np.asarray(dividend).dtype.kind + np.asarray(divisor).dtype.kind
    if "f" not in kinds and np.any(np.asarray(divisor) == 0):
        raise errors.DIVIDE_BY_ZERO()


def refuse_floats(name: str, *operands: Any) -> None:
    for operand in operands:
        if isinstance(operand, np.ndarray) and operand.dtype.kind in "fc":
            raise errors.NOT_IMPLEMENTED_DTYPE(name=f"{name}_cpu", dtype=dtypes.of(operand).legacy)


def rounded(function: Any, input: Any) -> Any:
    """float32 computed in double and rounded once: NumPy's own float32 functions are a few units off in the last place."""
    if getattr(input, "dtype", None) == np.float32:
        return function(input, dtype=np.float64).astype(np.float32)
    return function(input)


def unary(gradient: str, latex: str, symbol: str, samples: Any = ((V,),)) -> dict[str, Any]:
    """The declaration of a function of one operand that turns integers into floats."""
    return {"gradients": {"input": gradient}, "latex": latex, "symbol": symbol, "promote": "float", "samples": samples}
