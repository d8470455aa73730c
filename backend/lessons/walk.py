"""A lesson gone through by its solutions: each check fails before the solution of its step, and passes after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches

from gradflow.backend.lessons.checks import Reader, functions_named, is_close, named, reader_of, unmet
from gradflow.backend.lessons.format import Check
from gradflow.backend.lessons.lesson import Lesson, LessonStep
from gradflow.engine import errors
from gradflow.engine.trace import Trace

Run = Callable[[str], Trace]


@dataclass(frozen=True, slots=True)
class Stumble:
    """What goes wrong in the step with this index."""

    step: int
    message: str


def walk(lesson: Lesson, run: Run) -> Iterator[Stumble]:
    """Go through a lesson; ``run`` runs a program."""
    for k, step in enumerate(lesson.steps):
        yield from (Stumble(k, message) for message in _stumbles(step, run))


def _stumbles(step: LessonStep, run: Run) -> Iterator[str]:
    before = run(step.program)
    yield from _unknown(step.check)
    yield from _unringed(step, before)
    if not unmet(step.check, before, Reader()):
        yield "check: it passes before the reader has done anything"
    after = run(step.solution) if step.solution is not None else before
    if broken := _broken(step.check, after):
        yield broken  # all else that is missing follows from it
        return
    for message in unmet(step.check, after, reader_of(step.check)):
        yield f"solution: the check does not pass after it: {message}"
    for mistake in step.mistakes:
        if not unmet(step.check, after, Reader(answer=mistake.answer)):
            yield f"mistakes: {mistake.answer:g} is right"
    if step.proof is not None:
        yield from _unproven(step, step.proof, run)


def _unknown(check: Check) -> Iterator[str]:
    """An error that there is not."""
    if check.error not in (None, "none", *errors.CATALOGUE):
        close = get_close_matches(str(check.error), errors.CATALOGUE, n=1)
        yield f"check.error: there is no error {check.error}{f' (did you mean {close[0]}?)' if close else ''}"


def _broken(check: Check, trace: Trace) -> str | None:
    """The error with which a program ends that is to run to its end."""
    error = trace.error
    if error is None or not check.is_of_program or check.error not in (None, "none"):
        return None
    line = f" in line {error.span.line}" if error.span else ""
    return f"solution: the program fails{line}: {error.type}: {error.message}"


def _unringed(step: LessonStep, trace: Trace) -> Iterator[str]:
    """A ring around what is not on the page when the step begins."""
    if step.ring is None:
        return
    kind, _, name = step.ring.part.removeprefix("value of ").removeprefix("gradient of ").rpartition(" ")
    if step.ring.part.startswith("line "):
        is_there = step.ring.part.removeprefix("line ") in step.program
    elif kind == "function":
        is_there = bool(functions_named(trace, name))
    elif kind == "view":
        is_there = name in ("graph", "jacobian", "scalar")
    else:
        parts = ("gradient", "output", "play", "step", "program")
        is_there = name in parts or named(trace, name.removesuffix(".grad")) is not None
    if not is_there:
        yield f"ring: there is no {step.ring.part} on the page when the step begins"


def _unproven(step: LessonStep, proof: str, run: Run) -> Iterator[str]:
    """A proof is an expression over the program: the answer, or true."""
    trace = run(program_of_proof(step, run))
    said = trace.stdout.splitlines()[-1] if trace.stdout else ""
    if trace.error:
        yield f"proof: {trace.error.type}: {trace.error.message}"
    elif step.check.answer is None:
        if said != "1.0":
            yield f"proof: {proof} is not true"
    elif not any(is_close(float(said), answer) for answer in step.check.answer):
        yield f"proof: {proof} is {float(said):g}, and the answer {step.check.answer[0]:g}"


def program_of_proof(step: LessonStep, run: Run) -> str:
    """The program of a step, as far as it runs, and a line that prints what its proof gives."""
    program = step.solution if step.solution is not None else step.program
    error = run(program).error
    if error and error.span:
        program = "\n".join(program.split("\n")[: error.span.line - 1])
    return f"{program}\nprint(float({step.proof}))"
