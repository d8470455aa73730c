"""Random programs give the same values, gradients, second derivatives and structure as under PyTorch.

GRADFLOW_ORACLE_PROGRAMS sets how many (100), GRADFLOW_ORACLE_SEED where the seeds begin (0).
"""

from __future__ import annotations

import math
import os

import pytest

from engine.run import run
from scripts.record_golden import execute
from tests.golden.cases import outcome
from tests.oracle.generator import program

FIRST = int(os.environ.get("GRADFLOW_ORACLE_SEED", "0"))
COUNT = int(os.environ.get("GRADFLOW_ORACLE_PROGRAMS", "100"))


@pytest.mark.parametrize("seed", range(FIRST, FIRST + COUNT))
@pytest.mark.filterwarnings("ignore::UserWarning")  # PyTorch's own, while programs are drawn
def test_a_random_program_agrees(seed: int) -> None:
    text = program(seed)
    expected = execute(text, "program")
    trace = run(text)
    error = None if trace.error is None else (trace.error.type, trace.error.message)
    warned = [(warning.category, warning.message) for warning in trace.warnings]
    actual = outcome(trace.stdout, error, warned, {})
    assert actual["error"] == expected["error"], text
    assert actual["warnings"] == expected["warnings"], text
    assert_same_lines(actual["stdout"], expected["stdout"], text)


def assert_same_lines(actual: list[str], expected: list[str], text: str) -> None:
    assert len(actual) == len(expected), text
    single = any("torch.float32" in line for line in expected)  # its rounding reaches float64 where dtypes mix
    tolerance = 1e-5 if single else 1e-9
    for ours, theirs in zip(actual, expected, strict=True):
        (our_facts, _, our_numbers), (facts, _, numbers) = ours.partition("|"), theirs.partition("|")
        assert our_facts == facts, text
        if numbers:
            expect = pytest.approx(floats(numbers), rel=tolerance, abs=tolerance * size(numbers), nan_ok=True)
            assert floats(our_numbers) == expect, text


def floats(numbers: str) -> list[float]:
    return [float(value) for value in numbers.strip(" []").split(",") if value]


def size(numbers: str) -> float:
    return max([1.0, *(abs(value) for value in floats(numbers) if math.isfinite(value))])
