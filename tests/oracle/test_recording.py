"""What the recorder makes of the outcomes of one program on several processors and under several Pythons."""

from __future__ import annotations

from typing import Any

import pytest

from scripts.record import signatures
from scripts.record.golden import FIRST_PYTHON, settled

PYTHON = "scripts.record.golden.python_version"


def printed(text: str) -> dict[str, Any]:
    return {"stdout": text.split("\n"), "error": None, "warnings": [], "grads": {}}


@pytest.fixture(autouse=True)
def first_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PYTHON, lambda: FIRST_PYTHON)


def test_outcomes_that_are_the_same_are_recorded_as_they_are() -> None:
    assert settled([printed("0.1"), printed("0.1")], None) == printed("0.1")
    assert settled([printed("0.2"), printed("0.2")], printed("0.1")) == printed("0.2")


def test_numbers_that_differ_are_recorded_with_their_range() -> None:
    outcomes = [printed("a 0.1\n7"), printed("a 0.3\n7"), printed("a 0.2\n7")]
    assert settled(outcomes, None) == outcomes[0] | {"varies": {"stdout": {"0": [0.1, 0.3]}}}


def test_a_record_with_which_all_outcomes_agree_stays() -> None:
    known = printed("a 0.1") | {"varies": {"stdout": {"0": [0.1, 0.2]}}}
    assert settled([printed("a 0.2"), printed("a 0.15")], known) is known


def test_a_range_grows_by_what_is_seen_elsewhere_and_goes_with_its_text() -> None:
    known = printed("a 0.1") | {"varies": {"stdout": {"0": [0.1, 0.2]}}}
    assert settled([printed("a 5.0")], known)["varies"] == {"stdout": {"0": [0.1, 5.0]}}
    assert settled([printed("b 5.0")], known) == printed("b 5.0")


def test_words_that_differ_from_processor_to_processor_are_refused() -> None:
    with pytest.raises(AssertionError, match="words vary"):
        settled([printed("a 0.1"), printed("b 0.1")], None)


def test_gradients_that_differ_too_much_are_refused() -> None:
    one, two = ({"x": {"shape": [1], "dtype": "float32", "data": [value]}} for value in (1.0, 2.0))
    with pytest.raises(AssertionError, match="gradient of x"):
        settled([printed("") | {"grads": one}, printed("") | {"grads": two}], None)


def test_another_python_adds_what_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PYTHON, lambda: "3.12")
    monkeypatch.setattr("tests.golden.cases.python_version", lambda: "3.12")
    record = settled([printed("new")], printed("old"))
    assert record == printed("old") | {"python": {"3.12": {"stdout": ["new"]}}}
    assert settled([printed("new")], record) is record
    varying = settled([printed("b 0.1"), printed("b 0.2")], printed("a"))
    assert varying["python"]["3.12"] == {"stdout": ["b 0.1"], "varies": {"stdout": {"0": [0.1, 0.2]}}}


def test_the_words_of_another_python_go_with_their_text() -> None:
    known = printed("a 0.1") | {"python": {"3.12": {"error": "no"}}}
    assert settled([printed("a 0.1"), printed("a 0.2")], known)["python"] == known["python"]
    assert settled([printed("b 0.1"), printed("b 0.1")], known) == printed("b 0.1")


def test_every_name_of_the_engine_has_the_signatures_that_pytorch_has_for_it() -> None:
    """Else the arguments of its calls are not checked in PyTorch's words: `python -m scripts.record.signatures`."""
    assert signatures.recorded().splitlines() == signatures.TARGET.read_text(encoding="utf-8").splitlines()
