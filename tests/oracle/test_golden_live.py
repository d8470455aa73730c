"""The golden programs, run under PyTorch now: the recordings are current, and the engine does the same."""

from __future__ import annotations

from typing import Any

import pytest

from scripts.record.golden import check_version, run_all
from tests.golden.cases import Case, cases, load_golden
from tests.golden.compare import assert_same, assert_same_outcome

GOLDEN = load_golden()


@pytest.fixture(scope="module")
def outcomes() -> dict[str, dict[str, Any]]:
    """What PyTorch does with each program, in a process of its own."""
    check_version()
    return run_all(cases())


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.id)
def test_the_recording_is_current(case: Case, outcomes: dict[str, dict[str, Any]]) -> None:
    assert_same(outcomes[case.id], GOLDEN[case.group][case.name])


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.id)
def test_the_engine_does_what_pytorch_does(case: Case, outcomes: dict[str, dict[str, Any]]) -> None:
    varies = GOLDEN[case.group][case.name].get("varies", {})
    assert_same_outcome(case, outcomes[case.id] | {"varies": varies})
