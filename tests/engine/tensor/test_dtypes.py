"""Promotion of dtypes as in PyTorch, from a recorded table (scripts/record/promotion.py)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradflow.engine.namespace.torch import modules
from gradflow.engine.tensor import dtypes

RECORDED: dict[str, str] = json.loads((Path(__file__).parents[2] / "golden" / "promotion.json").read_text("utf-8"))
TABLE = {pair: name.replace("complex32", "complex64") for pair, name in RECORDED.items()}
"""NumPy has no complex numbers of half precision; the next larger ones stand in for them."""

NUMBERS = {"True": True, "2": 2, "2.5": 2.5, "2j": 2j}


def operand(name: str) -> Any:
    if name in NUMBERS:
        return NUMBERS[name]
    dtype, _, shape = name.partition("[")
    return np.ones(2 if shape == "2]" else (), dtypes.BY_NAME[dtype].numpy)


@pytest.mark.parametrize("left", sorted({pair.split()[0] for pair in TABLE}))
def test_two_operands_have_pytorchs_common_dtype(left: str) -> None:
    pairs = [pair.split() for pair in TABLE if pair.split()[0] == left]
    found = {f"{a} {b}": dtypes.BY_NUMPY[dtypes.result_type(operand(a), operand(b))].name for a, b in pairs}
    assert found == {pair: TABLE[pair] for pair in found}


@pytest.mark.parametrize("left", sorted({pair.split()[0] for pair in TABLE}))
def test_a_sum_has_the_common_dtype(left: str) -> None:
    torch = modules()["torch"]
    for pair in TABLE:
        a, b = pair.split()
        if a == left:
            x, y = (v if isinstance(v, bool | int | float | complex) else torch.tensor(v) for v in map(operand, (a, b)))
            assert (pair, (x + y).dtype.name) == (pair, TABLE[pair])


@pytest.mark.parametrize(
    ("given", "expected"),
    [(float, "float64"), (int, "int64"), (bool, "bool"), (dtypes.float32, "float32"), (complex, "complex128")],
)
def test_a_dtype_by_its_python_type(given: object, expected: str) -> None:
    assert dtypes.BY_NUMPY[dtypes.as_numpy(given)].name == expected


def test_something_else_is_no_dtype() -> None:
    with pytest.raises(TypeError) as caught:
        dtypes.as_numpy("float32")
    assert str(caught.value) == "tensor(): argument 'dtype' must be torch.dtype, not str"


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=lambda d: d.name)
def test_a_dtype_says_what_it_is(dtype: dtypes.dtype) -> None:
    assert repr(dtype) == f"torch.{dtype.name}"
    assert dtype.itemsize == dtype.numpy.itemsize
    assert dtype.is_floating_point == (dtype.numpy.kind in "fV")
    assert dtype.is_complex == (dtype.numpy.kind == "c")
    assert dtypes.BY_NUMPY[dtype.numpy] is dtypes.BY_NAME[dtype.name] is dtype
