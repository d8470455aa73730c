"""What the declarations of operations on elements share: sample values, refusals, rounding."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.registry import Gradient
from gradflow.engine.tensor import Tensor, dtypes

INF, NAN = float("inf"), float("nan")
V = [[0.5, -1.25, 2.0], [1.5, 0.75, -0.5]]
W = [[1.5, 2.5, -0.5], [0.25, -2.0, 3.0]]
POSITIVE = [[0.5, 1.25, 2.0], [1.5, 0.75, 0.1]]
COLUMN = [[2.25], [-1.5]]
UNIT = [[0.5, -0.25, 0.9], [-0.75, 0.1, 0.3]]
Z = [0.5 + 1.5j, -1.25 + 0.75j, 2.0 - 0.5j]
Y = [1.5 - 0.5j, 0.25 + 2.0j, -0.75 - 1.0j]
SPECIAL = [0.0, -0.0, 1.0, -1.0, INF, -INF, NAN]
WHOLE = [[1, 2, 3], [-4, 5, 0]]

BINARY = ((V, W), (V, COLUMN), (COLUMN, W), (V, 3.0), (V, 2), (1.5, W))
SCALED = (*BINARY, (V, W, {"alpha": 2}), (COLUMN, W, {"alpha": -0.5}))
MIXED: tuple[Any, ...] = (
    (WHOLE, V),
    (WHOLE, 2),
    (WHOLE, 1.5),
    ([True, False], [1.5, 2.5]),
    (np.array([[1.5], [2.5]], "float64"), V),
    (np.array(2.5, "float64"), V),
    ([], []),
    (V, np.array([1, 2, 3], "uint8")),
)
"""Pairs that are brought to a common dtype."""
COMPLEX_PAIRS = ((Z, Y), (Z, [0.5, 1.5, -2.0]), ([0.5, 1.5, -2.0], Y), (Z, 1.5 - 2j), (Z, 2.0))
EDGES: tuple[Any, ...] = ((SPECIAL,), (WHOLE,), ([True, False],), (np.array(2.0, "float32"),), ([],))
"""For functions of one operand."""


def in_single(body: Callable[..., Any], *arguments: Any) -> np.ndarray:
    """What a body makes of arrays of float16: computed in float32 and rounded once, as PyTorch's kernels do."""
    wide = [a.astype(np.float32) if isinstance(a, np.ndarray) and a.dtype == np.float16 else a for a in arguments]
    return np.asarray(body(*wide)).astype(np.float16)


def refuse_bool_pair(a: Any, b: Any) -> None:
    """Raises RuntimeError where both operands are booleans."""
    if all(isinstance(x, bool) or getattr(x, "dtype", None) == np.bool_ for x in (a, b)):
        raise errors.BOOL_SUBTRACT()


def scaled(other: Any, alpha: Any, *operands: Any) -> Any:
    """``alpha * other``. Raises RuntimeError where alpha is of a higher kind than the operands."""
    letter = np.result_type(*operands).kind
    if isinstance(alpha, bool):
        if letter != "b":
            raise errors.ALPHA_BOOL()
    elif isinstance(alpha, complex) and letter != "c":
        raise errors.ALPHA_COMPLEX()
    elif isinstance(alpha, float) and letter in "biu":
        raise errors.ALPHA_FLOAT()
    return other & bool(alpha) if letter == "b" else alpha * other


def refuse_zero(dividend: Any, divisor: Any, name: str = "div_floor_cpu") -> None:
    """Raises RuntimeError where an integer would be divided by zero, or the operands have no remainder."""
    dtype = np.result_type(dividend, divisor)
    if dtype.kind in "bc":
        raise errors.NOT_IMPLEMENTED_DTYPE(name=name, dtype=dtypes.BY_NUMPY[dtype].legacy)
    element_dtypes = np.asarray(dividend).dtype.kind + np.asarray(divisor).dtype.kind
    if "f" not in element_dtypes and np.any(np.asarray(divisor) == 0):
        raise errors.DIVIDE_BY_ZERO()


def refuse_floats(name: str, *operands: Any) -> None:
    """Raises RuntimeError where an operand is not of integers or booleans."""
    for operand in operands:
        if isinstance(operand, np.ndarray) and operand.dtype.kind in "fcV":
            raise errors.NOT_IMPLEMENTED_DTYPE(name=f"{name}_cpu", dtype=dtypes.of(operand).legacy)


def refuse_complex(name: str, *operands: Any) -> None:
    """Raises NotImplementedError where an operand is complex: such numbers have no order."""
    for operand in operands:
        if isinstance(operand, complex) or getattr(operand, "dtype", _REAL).kind == "c":
            dtype = np.result_type(*operands)
            raise errors.NOT_IMPLEMENTED_DTYPE(name=name, dtype=dtypes.BY_NUMPY[dtype].legacy)


_REAL = np.dtype("float32")


def unsupported(what: str, **name: str) -> Callable[..., Exception]:
    """What is said to complex numbers by a function of real ones, after its name (where it is another: ``name``)."""
    return partial(errors.COMPLEX_UNSUPPORTED, what=what, **name)


COMPLEX_INPUTS = partial(errors.COMPLEX_REFUSED, what="inputs")


def of_one_kind(first: Any, second: Any) -> tuple[np.ndarray, np.ndarray]:
    """Two operands as arrays; a Python number takes the dtype of the other one."""
    dtype = next((x.dtype for x in (first, second) if isinstance(x, np.ndarray | np.generic)), np.dtype("float64"))
    return np.asarray(first, dtype), np.asarray(second, dtype)


def refuse_whole(text: str) -> Callable[..., None]:
    """The check of a form in place that does not write into whole numbers. ``{own}`` in the text is their dtype."""

    def check_write(input: Tensor, *_: Any) -> None:
        if input._a.dtype.kind in "iub":
            raise errors.WRITE_REFUSED(message=text.format(own=input.dtype.legacy))

    return check_write


def refuse_integer_elements(kernel: str, *operands: Any) -> None:
    """Raises NotImplementedError where an operand is of integers or booleans."""
    for operand in operands:
        if isinstance(operand, np.ndarray) and operand.dtype.kind not in "fcV":
            raise errors.NOT_IMPLEMENTED_DTYPE(name=kernel, dtype=dtypes.of(operand).legacy)


_DOUBLE = {
    np.dtype(a): np.dtype(b) for a, b in (("float32", "float64"), ("complex64", "complex128"), ("float16", "float64"))
}


def rounded(function: Any, *inputs: Any) -> Any:
    """float32 computed in double and rounded once: NumPy's own functions are a few units off in the last place."""
    first = inputs[0]
    dtype = getattr(first, "dtype", None)
    double = None if dtype is None else _DOUBLE.get(dtype)
    if double is None:
        return function(*inputs)
    if len(inputs) > 1:
        return function(*[i.astype(double) if isinstance(i, np.ndarray) else i for i in inputs]).astype(dtype)
    if first.size > _BUFFERED and isinstance(function, np.ufunc):
        return function(first, np.empty_like(first), dtype=double, casting="same_kind")
    return function(first.astype(double)).astype(dtype)


def exact(function: Any, *inputs: Any) -> Any:
    """`rounded`, and a few float64 in the processor's longer numbers: MKL, which PyTorch asks, is right to the last digit."""
    first = inputs[0]
    if getattr(first, "dtype", None) is _LONG and all(np.size(each) <= _FEW for each in inputs):
        return function(*[each.astype(np.longdouble) for each in inputs]).astype(_LONG)
    return rounded(function, *inputs)


_LONG = np.dtype("float64")
_FEW = 4096
"""So many elements take a quarter of a millisecond, fifteen times what float64 take."""
_BUFFERED = 4096
"""From how many elements on NumPy casts piece by piece: what is computed in double then stays in the cache."""


def unary(gradient: Gradient, latex: str, symbol: str, samples: Any = ((V,),), **more: Any) -> dict[str, Any]:
    """The declaration of a function of one operand that turns integers into floats."""
    edges = more.pop("edges", ()) + EDGES
    own = {"gradients": {"input": gradient}, "latex": latex, "symbol": symbol, "promote": "float", "samples": samples}
    return {**own, "edges": edges, **more}


def named(name: str, arguments: int = 1) -> str:
    r"""``\operatorname{name}(⟨0⟩, ⟨1⟩)``."""
    inner = ", ".join(f"⟨{i}⟩" for i in range(arguments))
    operator = name if name.startswith("\\") else rf"\operatorname{{{name}}}"
    return rf"{operator}\left({inner}\right)"
