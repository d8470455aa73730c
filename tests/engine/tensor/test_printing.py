"""gradflow.engine.tensor.printing against what PyTorch printed (tests/golden/printing.json, made by scripts/record/printing.py)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradflow.engine.namespace.nn.parameter import Parameter
from gradflow.engine.tensor import Tensor
from gradflow.engine.tensor.printing import (
    get_printoptions,
    set_printoptions,
    tensor_repr,
)

CASES = json.loads((Path(__file__).parents[2] / "golden" / "printing.json").read_text(encoding="utf-8"))


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


@pytest.mark.parametrize(
    ("value", "spec", "text"),
    [
        (np.float32(3.14159), ".2f", "3.14"),
        (np.float32(3.14159), "", "3.141590118408203"),
        (np.int64(3), "5", "    3"),
        (np.bool_(True), "", "True"),
        (np.complex64(1 + 2j), ".2f", "1.00+2.00j"),
    ],
)
def test_a_number_formats_as_python_formats_it(value: Any, spec: str, text: str) -> None:
    assert format(Tensor(np.asarray(value)), spec) == text


def test_a_format_that_the_number_refuses() -> None:
    with pytest.raises(ValueError, match=r"^Unknown format code 'd' for object of type 'float'$"):
        format(Tensor(np.array(1.0)), "d")


@pytest.mark.parametrize(("kind", "shape"), [(Tensor, (1,)), (Tensor, (2, 3)), (Parameter, ())])
def test_only_a_plain_number_takes_a_format(kind: type[Tensor], shape: tuple[int, ...]) -> None:
    tensor = Tensor(np.ones(shape))
    with pytest.raises(TypeError, match=rf"^unsupported format string passed to {kind.__name__}\.__format__$"):
        format(tensor if kind is Tensor else kind(tensor), ".2f")
