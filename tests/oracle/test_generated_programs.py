"""Programs drawn by hypothesis print and raise the same as under PyTorch.

GRADFLOW_ORACLE_DRAWS sets how many are drawn (60); the same ones every time unless GRADFLOW_ORACLE_FRESH is set, with
which programs differ in what docs/limitations.md lists: it serves the search for differences.
"""

from __future__ import annotations

import os
import re

import pytest
from hypothesis import HealthCheck, given, settings

from gradflow.engine.run import run
from scripts.record.golden import execute
from tests.golden.cases import outcome
from tests.oracle.grammar import programs

COUNT = int(os.environ.get("GRADFLOW_ORACLE_DRAWS", "60"))
FRESH = "GRADFLOW_ORACLE_FRESH" in os.environ
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|inf|nan)(?![\w])")


@settings(
    max_examples=COUNT,
    deadline=None,
    derandomize=not FRESH,
    database=None,
    suppress_health_check=list(HealthCheck),
    print_blob=False,
)
@given(programs())
@pytest.mark.filterwarnings("ignore")  # PyTorch's own; some come once in a process only
def test_a_drawn_program_agrees(text: str) -> None:
    expected = execute(text, "program")
    trace = run(text)
    error = None if trace.error is None else (trace.error.type, trace.error.message)
    actual = outcome(trace.stdout, error, [], {})
    assert actual["error"] == expected["error"]
    assert len(actual["stdout"]) == len(expected["stdout"]), "\n".join(actual["stdout"])
    for ours, theirs in zip(actual["stdout"], expected["stdout"], strict=True):
        assert_same_line(ours, theirs)


def assert_same_line(ours: str, theirs: str) -> None:
    """The words are the same, and the numbers as near as single precision allows."""
    if ours == theirs:
        return
    if "|" in theirs:
        assert ours.partition("|")[0] == theirs.partition("|")[0]
    assert re.sub(r"\s+", " ", NUMBER.sub("#", ours)) == re.sub(r"\s+", " ", NUMBER.sub("#", theirs))
    found, expected = ([float(n) for n in NUMBER.findall(line)] for line in (ours, theirs))
    largest = max([1.0, *(abs(n) for n in expected if abs(n) < float("inf"))])
    assert found == pytest.approx(expected, rel=2e-4, abs=1e-4 * largest, nan_ok=True)
