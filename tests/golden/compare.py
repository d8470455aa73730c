"""The outcome of a run of the engine, and its comparison with PyTorch's. See `cases.outcome` for the form."""

from __future__ import annotations

from typing import Any

import pytest

from engine.run import run
from engine.trace import Trace, Value
from tests.golden.cases import Case, outcome


def assert_same_outcome(case: Case, expected: dict[str, Any]) -> None:
    """The engine prints, raises, warns and differentiates as `expected` says."""
    grads = expected["grads"]
    actual = seen(run(case.source), list(grads))
    assert {**actual, "grads": None} == {**expected, "grads": None}
    for name, grad in grads.items():
        _assert_same_gradient(name, actual["grads"][name], grad)


def seen(trace: Trace, names: list[str]) -> dict[str, Any]:
    """The outcome of a run in the form of the recorded ones, with the gradients of the leaves `names`."""
    error = None if trace.error is None else (trace.error.type, trace.error.message)
    warned = [(warning.category, warning.message) for warning in trace.warnings if warning.category != "Note"]
    return outcome(trace.stdout, error, warned, {name: _grad_of(trace, name) for name in names})


def _grad_of(trace: Trace, name: str) -> Value | None:
    return [tensor.grad for tensor in trace.tensors if name in tensor.names][-1]


def _assert_same_gradient(name: str, actual: Value | None, expected: dict[str, Any] | None) -> None:
    if expected is None or actual is None:
        assert actual is expected, name
        return
    assert (actual.shape, actual.dtype) == (expected["shape"], expected["dtype"]), name
    tolerance = 1e-5 if actual.dtype == "float32" else 1e-9
    assert _numbers(actual.data) == pytest.approx(_numbers(expected["data"]), rel=tolerance, abs=1e-7, nan_ok=True), (
        name
    )


def _numbers(data: list[Any] | None) -> list[complex]:
    assert data is not None
    return [complex(value) if isinstance(value, str) and "j" in value else float(value) for value in data]
