"""Every golden program gives PyTorch's output, error, warnings and gradients (recorded by scripts/record_golden.py)."""

from __future__ import annotations

from typing import Any

import pytest

from engine.run import run
from engine.trace import Trace, Value
from tests.golden.cases import Case, cases, load_golden, outcome

GOLDEN = load_golden()


def seen(trace: Trace, names: list[str]) -> dict[str, Any]:
    """The outcome of a run in the form of the recorded ones, with the gradients of the leaves `names`."""
    error = None if trace.error is None else (trace.error.type, trace.error.message)
    warned = [(warning.category, warning.message) for warning in trace.warnings]
    return outcome(trace.stdout, error, warned, {name: grad_of(trace, name) for name in names})


def grad_of(trace: Trace, name: str) -> Value | None:
    return [tensor.grad for tensor in trace.tensors if name in tensor.names][-1]


def assert_same_gradient(name: str, actual: Value | None, expected: dict[str, Any] | None) -> None:
    if expected is None or actual is None:
        assert actual is expected, name
        return
    assert (actual.shape, actual.dtype) == (expected["shape"], expected["dtype"]), name
    tolerance = 1e-5 if actual.dtype == "float32" else 1e-9
    assert numbers(actual.data) == pytest.approx(numbers(expected["data"]), rel=tolerance, abs=1e-7, nan_ok=True), name


def numbers(data: list[Any] | None) -> list[float]:
    assert data is not None
    return [float(value) for value in data]


@pytest.mark.parametrize("case", cases() + cases(".prompt"), ids=lambda case: case.id)
def test_a_program_does_what_pytorch_does(case: Case) -> None:
    expected = dict(GOLDEN[case.group][case.name])
    actual = seen(run(case.source), list(expected["grads"]))
    expected_grads, actual_grads = expected.pop("grads"), actual.pop("grads")
    assert actual == expected
    for name, grad in expected_grads.items():
        assert_same_gradient(name, actual_grads[name], grad)


def test_every_program_is_recorded() -> None:
    recorded = {(group, name) for group, outcomes in GOLDEN.items() for name in outcomes}
    assert recorded == {(case.group, case.name) for case in cases()}
