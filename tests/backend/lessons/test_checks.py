"""Tests of what the checks of lessons find in a trace."""

from __future__ import annotations

from typing import Any

import pytest

from gradflow.backend.lessons.checks import Reader, unmet
from gradflow.backend.lessons.format import Check, Playhead
from gradflow.engine.run import run
from gradflow.engine.trace import Trace

PROGRAM = """import torch

a = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
b = a * 2
b.backward(torch.tensor([[1., 0.], [0., 10.]]))
print("done")
n = torch.zeros(2)
n[0] = 5.
a.grad = None
b = a + 1
b.backward(torch.ones(2, 2))
"""
TRACE = run(PROGRAM)
FAILED = run("import torch\nx = torch.ones(2, requires_grad=True)\nx.backward()")

PASS: list[dict[str, Any]] = [
    {"value": {"a": [[1, 2], [3, 4]], "a.grad": [[1, 1], [1, 1]], "a[1, 0]": 3, "n.grad": None}},
    {"value": {"a[1,0]": 3.0005}},
    {"gradient": {"b": [[1, 1], [1, 1]], "b[0, 1]": 1}},
    {"passes": 2},
    {"functions": ["MulBackward0", "add"]},
    {"tensor": {"a": {"is_leaf": True, "grad_fn": "none"}, "n": {"version": 1, "shape": [2], "requires_grad": False}}},
    {"tensor": {"b": {"grad_fn": "AddBackward0"}}},
    {"events": {"print": 1, "zero": 1}},
    {"prints": ["done"], "source": ["a *2"]},
    {"error": "none"},
    {"notes": ["none"]},
]
FAIL: list[tuple[dict[str, Any], str]] = [
    ({"value": {"a": [[1, 2], [3, 5]]}}, "a is [[1.0, 2.0], [3.0, 4.0]], not [[1, 2], [3, 5]]"),
    ({"value": {"a": [1, 2, 3, 4]}}, "a is [[1.0, 2.0], [3.0, 4.0]], not [1, 2, 3, 4]"),
    ({"value": {"a[2, 0]": 3}}, "a[2, 0] is None, not 3"),
    ({"value": {"a[0]": 3}}, "a[0] is None, not 3"),
    ({"value": {"c": 1}}, "there is no tensor c"),
    ({"value": {"a.grad": None}}, "a.grad is not None"),
    ({"value": {"n.grad": [0, 0]}}, "n.grad is None"),
    ({"gradient": {"b[0, 1]": 0}}, "the gradient given for b[0, 1] is 1.0, not 0"),
    ({"gradient": {"a": 1}}, "no pass begins at a"),
    ({"passes": 1}, "there are 2 backward passes, not 1"),
    ({"functions": ["MmBackward0"]}, "no function MmBackward0 is in the graph"),
    ({"tensor": {"n": {"version": 2}}}, "n.version is 1, not 2"),
    ({"tensor": {"q": {"version": 2}}}, "there is no tensor q"),
    ({"events": {"step": 1}}, "the program does step 0 times, not 1"),
    ({"prints": ["ready"]}, "the output has no 'ready'"),
    ({"source": ["detach"]}, "the program has no 'detach'"),
    ({"error": "no-grad-fn"}, "the error is none, not no-grad-fn"),
    ({"notes": ["first-nan"]}, "the traps are [], not first-nan"),
]


def messages(check: dict[str, Any], trace: Trace = TRACE, **reader: Any) -> list[str]:
    return unmet(Check.model_validate(check), trace, Reader(**reader))


@pytest.mark.parametrize("check", PASS, ids=str)
def test_what_is_there_passes(check: dict[str, Any]) -> None:
    assert messages(check) == []


@pytest.mark.parametrize(("check", "message"), FAIL, ids=[message for _, message in FAIL])
def test_what_is_not_there_is_told(check: dict[str, Any], message: str) -> None:
    assert messages(check) == [message]


def test_a_program_that_failed_passes_only_where_that_is_asked_for() -> None:
    assert messages({"error": "nonscalar-backward"}, FAILED) == []
    assert messages({"value": {"x": [1, 1]}}, FAILED) == ["the error is nonscalar-backward, not none"]
    assert messages({"answer": 2}, FAILED, answer=2) == []


def test_what_the_reader_does_to_the_page() -> None:
    assert messages({"answer": [2, 3]}, answer=3.001) == []
    assert messages({"answer": 2}) == ["the answer is None, not 2"]
    assert messages({"chosen": ["a", "b"]}, chosen="b") == []
    assert messages({"chosen": "a"}, chosen="b") == ["chosen is b, not a"]
    assert messages({"chosen": "w"}, chosen="w") == ["w cannot be chosen: the run has none"]
    assert messages({"view": "jacobian"}) == ["the view is graph, not jacobian"]
    end = Playhead(beat="end")
    assert messages({"playhead": {"beat": "end"}}, playhead=end) == []
    assert messages({"playhead": {"beat": "add", "of": "w"}}, playhead=Playhead(beat="add", of="w")) == [
        "the playhead cannot get to w: the run has none"
    ]
