"""A lesson ready to be given: the text of its file, with the program at each step worked out."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gradflow.backend.lessons import front_matter
from gradflow.backend.lessons.format import Check, LessonText, Mistake, Ring, Solution, StepText
from gradflow.backend.lessons.front_matter import Fault
from gradflow.engine.trace import Text


class _Given(BaseModel):
    model_config = ConfigDict(frozen=True)


class CodeLine(_Given):
    """A line of the program, numbered from 1."""

    number: int
    """Which line it is, from 1."""
    text: str
    """The line without its line break."""


class LessonStep(_Given):
    """One step: what is asked for, what has to be true then, and what helps."""

    title: Text
    """What the step is called."""
    text: Text
    """What is explained and asked for; backticks set code."""
    check: Check
    """What has to be true for the step to be done."""
    hints: list[Text]
    """Hints, given one by one, at most five."""
    line: Text | None
    """What `Show the line` says; where it is null, `lines` are shown."""
    lines: list[CodeLine]
    """The lines of the program that the solution changes, as they are then."""
    ring: Ring | None
    """The part of the page that is ringed in ink until the step is done; null where none is."""
    mistakes: list[Mistake]
    """Wrong answers that are told apart; may be empty."""
    program: str
    """The program with which the step begins."""
    fresh: bool
    """Whether it is another program than the one that the step before ends with."""
    solution: str | None = Field(exclude=True)
    """The program that does what the step asks for; None where no edit is asked for."""
    proof: str | None = Field(exclude=True)
    """An expression over the program: equal to the answer, or true."""


class LessonHead(_Given):
    """A lesson in the list of them."""

    id: str
    """Its name in addresses: `/api/v1/lessons/ID`, `#lesson=ID`."""
    title: Text
    """What the lesson is called."""
    summary: Text
    """What it is about, in one sentence."""
    steps: int
    """How many steps it has."""
    own: bool
    """Whether it is a teacher's own, not one of Gradflow's."""


class Lesson(_Given):
    """A lesson with all of its steps."""

    id: str
    """Its name in addresses: `/api/v1/lessons/ID`, `#lesson=ID`."""
    title: Text
    """What the lesson is called."""
    summary: Text
    """What it is about, in one sentence."""
    intro: Text
    """The text that introduces it."""
    steps: list[LessonStep]
    """Its steps, in their order."""
    own: bool = False
    """Whether it is a teacher's own, not one of Gradflow's."""

    @property
    def head(self) -> LessonHead:
        """What the list tells of it."""
        return LessonHead(id=self.id, title=self.title, summary=self.summary, steps=len(self.steps), own=self.own)


_ID: Final = re.compile(r"(?:\d+[-_])?([a-z0-9]+(?:[-_][a-z0-9]+)*)\.md")
_HEADING: Final = re.compile(r"^##[ \t]+(English|中文)[ \t]*$", re.MULTILINE)


def read_lesson(path: Path) -> Lesson:
    """The lesson that a file holds. Raises `Fault`, with the line."""
    name = _ID.fullmatch(path.name)
    if name is None:
        raise Fault("the name of a lesson is made of a-z, 0-9 and _, such as 03_my_lesson.md")
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise Fault(f"the file is not UTF-8: {error.reason} at byte {error.start}") from None
    except OSError as error:
        raise Fault(str(error.strerror)) from None
    matter = front_matter.read(text)
    try:
        given = LessonText.model_validate(matter.data)
    except ValidationError as error:
        raise _first_fault(error, matter) from None
    return Lesson(
        id=name[1].replace("_", "-"),
        title=given.title,
        summary=given.summary,
        intro=_intro(matter),
        steps=_steps(given, matter),
    )


def line_of_step(path: Path, step: int) -> int:
    """The line on which a step of a lesson that can be read begins."""
    return front_matter.read(path.read_text(encoding="utf-8")).line(("steps", step))


def _first_fault(error: ValidationError, matter: front_matter.FrontMatter) -> Fault:
    """What is wrong that stands first in the file."""
    faults = []
    for each in error.errors():
        location = [*each["loc"], *([each["ctx"]["name"]] if each["type"] == "unknown_field" else [])]
        message = "this field is missing" if each["type"] == "missing" else each["msg"]
        faults.append(Fault(f"{_written(location)}: {message}", matter.line(location)))
    return min(faults, key=lambda fault: fault.line)


def _written(location: list[str | int]) -> str:
    parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in location]
    return "".join(parts).removeprefix(".") or "the front matter"


def _intro(matter: front_matter.FrontMatter) -> Text:
    """The text below the front matter: one for both languages, or one under each of two headings."""
    if not matter.body:
        raise Fault("the text below the second --- is missing: it introduces the lesson", matter.body_line)
    first, *parts = _HEADING.split(matter.body)
    if not parts:
        return Text(first.strip(), first.strip())
    texts = {heading: text.strip() for heading, text in zip(parts[::2], parts[1::2], strict=True)}
    if first.strip() or set(texts) != {"English", "中文"} or not all(texts.values()):
        message = "expected a text, or one below each of the headings ## English and ## 中文"
        raise Fault(message, matter.body_line)
    return Text(texts["English"], texts["中文"])


def _steps(given: LessonText, matter: front_matter.FrontMatter) -> list[LessonStep]:
    program = given.program.strip("\n")
    steps = []
    for k, step in enumerate(given.steps):
        program = step.program.strip("\n") if step.program is not None else program
        after = _solved(step, program, ("steps", k), matter)
        lines = _changed(program, after) if after is not None else []
        line = step.line or _line_of_answer(step.check)
        if line is None and not lines:
            message = f"steps[{k}].line: this field is missing: there is no edit and no answer to show"
            raise Fault(message, matter.line(("steps", k)))
        steps.append(
            LessonStep(
                title=step.title,
                text=step.text,
                check=step.check,
                hints=step.hints,
                line=line,
                lines=lines,
                ring=step.ring,
                mistakes=step.mistakes,
                program=program,
                fresh=k == 0 or step.program is not None,
                solution=after,
                proof=step.proof,
            )
        )
        program = after if after is not None else program
    return steps


def _line_of_answer(check: Check) -> Text | None:
    if check.answer is None:
        return None
    number = f"`{check.answer[0]:g}`"
    return Text(number, number)


def _solved(step: StepText, program: str, path: tuple[str | int, ...], matter: front_matter.FrontMatter) -> str | None:
    """The program after the solution of a step, None where it has none."""
    where = f"{_written(list(path))}.solution"
    if step.solution is None:
        if step.check.is_of_program:
            message = f"{where}: this field is missing: the check asks for an edit (replace, append or program)"
            raise Fault(message, matter.line(path))
        return None
    try:
        return _edited(program, step.solution)
    except ValueError as error:
        raise Fault(f"{where}.replace: {error}", matter.line((*path, "solution"))) from None


def _edited(program: str, solution: Solution) -> str:
    if solution.program is not None:
        return solution.program.strip("\n")
    if solution.append is not None:
        return f"{program}\n{solution.append}".rstrip("\n")
    for old, new in (solution.replace or {}).items():
        if program.count(old) != 1:
            raise ValueError(f"{old!r} stands in the program {program.count(old)} times, not once")
        program = program.replace(old, new)
    return program


def _changed(before: str, after: str) -> list[CodeLine]:
    """The lines of the second text that are not in the first."""
    old, new = before.split("\n"), after.split("\n")
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    changed = [k for tag, _, _, start, end in blocks if tag in ("replace", "insert") for k in range(start, end)]
    return [CodeLine(number=k + 1, text=new[k]) for k in changed if new[k].strip()]
