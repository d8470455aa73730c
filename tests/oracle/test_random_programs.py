"""Random programs give the same values, gradients, second derivatives and structure as under PyTorch.

Warnings are not compared: some come once in a process only.

GRADFLOW_ORACLE_PROGRAMS sets how many (100), GRADFLOW_ORACLE_SEED where the seeds begin (0).
"""

from __future__ import annotations

import math
import os

import pytest

from gradflow.engine.run import run
from scripts.record.golden import execute
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
    actual = outcome(trace.stdout, error, [], {})
    assert actual["error"] == expected["error"], text
    assert_same_lines(actual["stdout"], expected["stdout"], text)


def assert_same_lines(actual: list[str], expected: list[str], text: str) -> None:
    assert len(actual) == len(expected), text
    for ours, theirs in zip(actual, expected, strict=True):
        assert_same_line(ours, theirs, tolerance(expected), text)


def tolerance(expected: list[str]) -> float:
    """Single precision anywhere reaches float64 as well, where dtypes mix."""
    return 1e-5 if any("torch.float32" in line for line in expected) else 1e-9


def assert_same_line(ours: str, theirs: str, scale: float, text: str) -> None:
    (our_facts, _, our_numbers), (facts, _, numbers) = ours.partition("|"), theirs.partition("|")
    assert our_facts == facts, text
    if numbers:
        expect = pytest.approx(floats(numbers), rel=scale, abs=scale * size(numbers), nan_ok=True)
        assert floats(our_numbers) == expect, text


def floats(numbers: str) -> list[float]:
    return [float(value) for value in numbers.strip(" []").split(",") if value]


def size(numbers: str) -> float:
    return max([1.0, *(abs(value) for value in floats(numbers) if math.isfinite(value))])
