"""Outcomes that agree with their record, and outcomes that do not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.golden.agreement import disagreements, numbers, widened, words
from tests.golden.cases import of_this_python, python_version

PLAIN: dict[str, Any] = {"stdout": ["tensor([1.5000, 2.0000])"], "error": None, "warnings": [], "grads": {}}
VARYING = PLAIN | {"varies": {"stdout": {"0": [1.5, 1.5002]}}}


def printed(text: str) -> dict[str, Any]:
    return PLAIN | {"stdout": text.split("\n")}


def gradient(*data: Any, dtype: str = "float32") -> dict[str, Any]:
    return PLAIN | {"grads": {"x": {"shape": [len(data)], "dtype": dtype, "data": list(data)}}}


@pytest.mark.parametrize(
    "text",
    [
        "tensor([1.5000, 2.0000])",
        "tensor([1.5001, 2.0000])",
        "tensor([1.5004, 2.0000])",
        "tensor([1.4999, 2.0001])",
        "tensor([1.5000e+00,\n        2.0000e+00])",
        "tensor([ 1.5000,  2.0000])",
    ],
)
def test_a_varying_text_agrees_by_value(text: str) -> None:
    assert not list(disagreements(printed(text), VARYING))


@pytest.mark.parametrize(
    "text",
    [
        "tensor([1.5020, 2.0000])",
        "tensor([1.4980, 2.0000])",
        "tensor([1.5000, 2.0003])",
        "tensor([-1.5000, 2.0000])",
        "tensor([1.5000, nan])",
        "tensor([1.5000, 2])",
        "tensor([1.5000, 2.0000, 3.0000])",
        "tensor([1.5000, 2.0000], dtype=torch.float64)",
        "tensor([1.5000, 2.0000])\n1",
        "(1.5000, 2.0000)",
        "",
    ],
)
def test_a_varying_text_with_other_words_or_values_does_not_agree(text: str) -> None:
    assert list(disagreements(printed(text), VARYING))


@pytest.mark.parametrize(
    "text", ["tensor([1.5001, 2.0000])", "tensor([ 1.5000,  2.0000])", "tensor([1.50000, 2.0000])"]
)
def test_a_text_that_does_not_vary_agrees_only_if_it_is_the_same(text: str) -> None:
    assert list(disagreements(printed(text), PLAIN))
    assert list(disagreements(printed(text), PLAIN | {"varies": {"error": {}}}))


def test_whole_numbers_of_a_varying_text_are_compared_exactly() -> None:
    expected = printed("size 7, bits 1065353216, 0.1") | {"varies": {"stdout": {"1": [1065353216, 1065353217]}}}
    assert not list(disagreements(printed("size 7, bits 1065353218, 0.1"), expected))
    assert list(disagreements(printed("size 7, bits 1065353226, 0.1"), expected))
    assert list(disagreements(printed("size 8, bits 1065353216, 0.1"), expected))


def test_small_values_of_a_varying_text_keep_their_digits() -> None:
    expected = printed("tensor([1.7152e-06, 1.0000e+00])") | {"varies": {"stdout": {}}}
    assert not list(disagreements(printed("tensor([1.7153e-06, 1.0000e+00])"), expected))
    assert list(disagreements(printed("tensor([1.9152e-06, 1.0000e+00])"), expected))


@pytest.mark.parametrize("changed", [{"error": "RuntimeError: no"}, {"warnings": ["UserWarning: no"]}])
def test_errors_and_warnings_are_compared(changed: dict[str, Any]) -> None:
    assert list(disagreements(PLAIN | changed, VARYING))


@pytest.mark.parametrize(
    ("ours", "theirs", "agree"),
    [
        (gradient(1.0, 2.0), gradient(1.0, 2.0), True),
        (gradient(1.000001, "NaN"), gradient(1.0, "NaN"), True),
        (gradient("Infinity", "-Infinity"), gradient("Infinity", "-Infinity"), True),
        (gradient("(1+2j)", dtype="complex64"), gradient("(1+2j)", dtype="complex64"), True),
        (gradient(1.0001, 2.0), gradient(1.0, 2.0), False),
        (gradient(1.000001, dtype="float64"), gradient(1.0, dtype="float64"), False),
        (gradient(1.0, dtype="float64"), gradient(1.0), False),
        (gradient(1.0, 2.0), gradient(1.0, 2.0, 3.0), False),
        (gradient(1.0), gradient("NaN"), False),
        (gradient(1.0), gradient("Infinity"), False),
        (gradient("-Infinity"), gradient("Infinity"), False),
        (gradient("(1+3j)", dtype="complex64"), gradient("(1+2j)", dtype="complex64"), False),
        (PLAIN | {"grads": {"x": None}}, gradient(1.0), False),
        (PLAIN | {"grads": {"x": None}}, PLAIN | {"grads": {"x": None}}, True),
        (PLAIN, gradient(1.0), False),
    ],
)
def test_gradients_are_compared_by_value(ours: dict[str, Any], theirs: dict[str, Any], agree: bool) -> None:
    assert (not list(disagreements(ours, theirs))) == agree


def test_a_text_is_words_and_numbers() -> None:
    text = "f32 tensor([[ 1.0e-05, -2.],\n        [ 3.5000, nan]], device=0x...) 1.5-2j x1 Size([2])"
    assert numbers(text) == ["1.0e-05", "-2.", "3.5000", "1.5", "-2", "2"]
    assert words(text) == "f32 tensor([[#,#], [#, nan]], device=0x...)##j x1 Size([#])"


def test_ranges_hold_what_was_seen_anywhere() -> None:
    assert widened({}, "1.0 2.0 3", ["1.5 2.0 3", "0.5 2.00 3"]) == {"0": [0.5, 1.5]}
    assert widened({"0": [0.0, 1.0], "1": [2.0, 4.0]}, "1.5 2.0", []) == {"0": [0.0, 1.5], "1": [2.0, 4.0]}


def test_a_record_has_the_words_of_each_python(monkeypatch: pytest.MonkeyPatch) -> None:
    record = PLAIN | {"error": "of 3.11", "python": {"3.12": {"error": "of 3.12"}, "3.14": {"error": "of 3.14"}}}
    for version, error in {"3.11": "3.11", "3.12": "3.12", "3.13": "3.12", "3.14": "3.14", "3.20": "3.14"}.items():
        monkeypatch.setattr("tests.golden.cases.python_version", lambda version=version: version)
        assert of_this_python(record)["error"] == f"of {error}"
        assert of_this_python(record)["stdout"] == PLAIN["stdout"]
    assert python_version().startswith("3.")
