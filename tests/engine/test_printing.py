"""gradflow.engine.tensor.printing against what PyTorch printed (tests/golden/printing.json, made by scripts/record_printing.py)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradflow.engine.tensor.printing import (
    get_printoptions,
    set_printoptions,
    tensor_repr,
)

CASES = json.loads((Path(__file__).parents[1] / "golden" / "printing.json").read_text(encoding="utf-8"))


@pytest.fixture(autouse=True)
def default_options() -> Iterator[None]:
    set_printoptions(profile="default")
    yield
    set_printoptions(profile="default")


def array_of(case: dict[str, Any]) -> np.ndarray[Any, Any]:
    dtype = case["dtype"]
    if dtype.startswith("complex"):  # noqa: SIM108  # too long for one line
        data = np.array([complex(*pair) for pair in case["data"]], dtype)
    else:
        data = np.array(case["data"], "float32" if dtype == "bfloat16" else dtype)
    return data.reshape(case["shape"])


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['dtype']}-{case['shape']}")
def test_prints_what_pytorch_prints(case: dict[str, Any]) -> None:
    set_printoptions(**case["options"])
    text = tensor_repr(
        array_of(case),
        dtype_default=case["dtype"] in ("float32", "complex64"),
        dtype_name=case["dtype"],
        grad_fn=case["grad_fn"],
        requires_grad=case["requires_grad"],
    )
    assert text == case["text"]


def test_a_dtype_that_is_the_default_is_not_named() -> None:
    kwargs: dict[str, Any] = {"dtype_name": "torch.float64", "grad_fn": None, "requires_grad": False}
    assert tensor_repr(np.ones(1), dtype_default=True, **kwargs) == "tensor([1.])"
    assert tensor_repr(np.ones(1), dtype_default=False, **kwargs) == "tensor([1.], dtype=torch.float64)"


def test_options_that_are_not_given_stay_and_sci_mode_does_not() -> None:
    set_printoptions(precision=2, sci_mode=True)
    set_printoptions(linewidth=100)
    options = get_printoptions()
    assert (options.precision, options.linewidth, options.sci_mode) == (2, 100, None)
