"""The lessons in PyTorch: their programs print and fail there as here, and every number that a lesson claims is PyTorch's."""

from __future__ import annotations

import contextlib
import io

import pytest

from gradflow.backend.lessons.course import built_in_directory, load_folder
from gradflow.backend.lessons.lesson import LessonStep
from gradflow.backend.lessons.walk import program_of_proof
from gradflow.engine.run import run

torch = pytest.importorskip("torch")

STEPS = [
    pytest.param(step, id=f"{lesson.id}-{k + 1}")
    for lesson in load_folder(built_in_directory())
    for k, step in enumerate(lesson.steps)
]


def outcome(source: str) -> tuple[str, str | None]:
    """What a program prints in PyTorch, and the error that it ends with."""
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(source, "program", "exec"), {"__name__": "__main__"})  # the programs are ours
    except Exception as error:
        return printed.getvalue(), f"{type(error).__name__}: {error}"
    return printed.getvalue(), None


@pytest.mark.parametrize("step", STEPS)
def test_its_programs_do_the_same_in_pytorch(step: LessonStep) -> None:
    for source in filter(None, (step.program, step.solution)):
        trace = run(source)
        error = trace.error and f"{trace.error.type}: {trace.error.message}"
        assert (trace.stdout, error) == outcome(source)


@pytest.mark.parametrize("step", [each for each in STEPS if each.values[0].proof])
def test_its_claim_is_true_in_pytorch(step: LessonStep) -> None:
    printed, error = outcome(program_of_proof(step, run))
    assert error is None
    expected = step.check.answer or [1.0]
    assert float(printed.splitlines()[-1]) == pytest.approx(expected[0], rel=1e-4)
