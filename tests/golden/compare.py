"""The outcome of a run of the engine, and its comparison with PyTorch's. See `cases.outcome` for the form."""

from __future__ import annotations

from typing import Any

from gradflow.engine.run import run
from gradflow.engine.trace import Trace, Value
from tests.golden.agreement import disagreements
from tests.golden.cases import Case, outcome


def assert_same_outcome(case: Case, expected: dict[str, Any]) -> None:
    """The engine prints, raises, warns and differentiates as `expected` says."""
    actual = seen(run(case.source), list(expected["grads"]))
    assert_same(actual, expected)


def assert_same(actual: dict[str, Any], expected: dict[str, Any]) -> None:
    """Two outcomes agree: texts exactly but for what varies from processor to processor, gradients by value."""
    found = list(disagreements(actual, expected))
    assert not found, "\n".join(found)


def seen(trace: Trace, names: list[str]) -> dict[str, Any]:
    """The outcome of a run in the form of the recorded ones, with the gradients of the leaves `names`."""
    error = None if trace.error is None else (trace.error.type, trace.error.message)
    warned = [(warning.category, warning.message) for warning in trace.warnings if warning.category != "Note"]
    return outcome(trace.stdout, error, warned, {name: _recorded(_grad_of(trace, name)) for name in names})


def _grad_of(trace: Trace, name: str) -> Value | None:
    return [tensor.grad for tensor in trace.tensors if name in tensor.names][-1]


def _recorded(value: Value | None) -> dict[str, Any] | None:
    return None if value is None else {"shape": value.shape, "dtype": value.dtype, "data": value.data}
