"""Gradflow's own lessons: whole, in both languages, and each can be gone through by its solutions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pytest

from gradflow.backend.lessons.course import Course, built_in_directory, load_folder
from gradflow.backend.lessons.lesson import Lesson
from gradflow.backend.lessons.walk import Stumble, walk
from gradflow.engine.run import run
from gradflow.engine.trace import Text

LESSONS = load_folder(built_in_directory())
IDS = [lesson.id for lesson in LESSONS]
run_once = lru_cache(maxsize=None)(run)

SUBJECTS = [
    "scalar-backward", "error-and-argument", "how-the-outputs-add-up", "weights-of-your-own", "upstream-gradient",
    "jacobian-row-by-row", "accumulate-and-zero", "leaves-and-cuts", "writing-in-place", "derivatives-of-derivatives",
    "a-training-step", "vanishing-gradients",
]  # fmt: skip


def test_there_are_twelve_in_their_order() -> None:
    assert IDS == SUBJECTS == list(Course().lessons)


@pytest.mark.parametrize("lesson", LESSONS, ids=IDS)
def test_each_check_fails_before_its_solution_and_passes_after(lesson: Lesson) -> None:
    assert list(walk(lesson, run_once)) == []


@pytest.mark.parametrize("lesson", LESSONS, ids=IDS)
def test_a_lesson_has_three_to_six_steps_and_every_number_is_proven(lesson: Lesson) -> None:
    assert 3 <= len(lesson.steps) <= 6
    unproven = [step.title.en for step in lesson.steps if step.proof is None]
    of_the_page = [step.title.en for step in lesson.steps if step.solution is None and step.check.answer is None]
    assert unproven == of_the_page


def texts(lesson: Lesson) -> Iterator[Text]:
    yield from (lesson.title, lesson.summary, lesson.intro)
    for step in lesson.steps:
        yield from (step.title, step.text, *step.hints, *(mistake.means for mistake in step.mistakes))
        if step.ring:
            yield step.ring.label


@pytest.mark.parametrize("lesson", LESSONS, ids=IDS)
def test_both_languages_say_the_same_code(lesson: Lesson) -> None:
    for text in texts(lesson):
        assert set(code_of(text.en)) == set(code_of(text.zh)), text.en
        if re.search("[a-z]{4}", re.sub(r"`[^`]*`", "", text.en)):
            assert re.search("[\u4e00-\u9fff]", text.zh) or text.en == text.zh, text.en


NAMES_OF_BUTTONS = {"Jacobian", "Graph", "As a scalar", "Play", "Last step", "ones"}


def code_of(text: str) -> list[str]:
    return [code for code in re.findall(r"`([^`]*)`", text) if code not in NAMES_OF_BUTTONS]


def test_a_step_that_is_done_already_is_told() -> None:
    step = LESSONS[0].steps[0]
    lesson = LESSONS[0].model_copy(update={"steps": [step.model_copy(update={"program": step.solution})]})
    assert list(walk(lesson, run_once)) == [Stumble(0, "check: it passes before the reader has done anything")]


def test_a_solution_that_does_not_pass_is_told() -> None:
    step = LESSONS[0].steps[0]
    lesson = LESSONS[0].model_copy(update={"steps": [step.model_copy(update={"solution": step.program})]})
    assert [stumble.message for stumble in walk(lesson, run_once)][:1] == [
        "solution: the check does not pass after it: a.grad is None"
    ]


def test_a_proof_that_does_not_hold_is_told() -> None:
    read, said = LESSONS[0].steps[0], LESSONS[0].steps[3]
    for step, proof, message in (
        (read, "a.grad[0, 1] == 16", "proof: a.grad[0, 1] == 16 is not true"),
        (read, "nothing", "proof: NameError: name 'nothing' is not defined"),
        (said, "torch.tensor(3.)", "proof: torch.tensor(3.) is 3, and the answer 38"),
    ):
        lesson = LESSONS[0].model_copy(update={"steps": [step.model_copy(update={"proof": proof})]})
        assert list(walk(lesson, run_once)) == [Stumble(0, message)]


def test_a_mistake_that_is_right_is_told() -> None:
    step = LESSONS[0].steps[3]
    wrong = step.mistakes[0].model_copy(update={"answer": 38})
    lesson = LESSONS[0].model_copy(update={"steps": [step.model_copy(update={"mistakes": [wrong]})]})
    assert list(walk(lesson, run_once)) == [Stumble(0, "mistakes: 38 is right")]


def test_the_lesson_of_the_documentation_is_one(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "teaching.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```markdown\n(.*?)```", page, re.DOTALL)
    (tmp_path / "my_lesson.md").write_text(example, encoding="utf-8")
    (lesson,) = load_folder(tmp_path)
    assert list(walk(lesson, run_once)) == []


def test_a_teachers_lesson_takes_the_place_of_one_with_its_name(tmp_path: Path) -> None:
    source = (built_in_directory() / "07_accumulate_and_zero.md").read_text(encoding="utf-8")
    (tmp_path / "01_accumulate_and_zero.md").write_text(source, encoding="utf-8")
    (tmp_path / "02_mine.md").write_text(source, encoding="utf-8")
    (tmp_path / "README.md").write_text("About these lessons.", encoding="utf-8")
    lessons = Course(tmp_path).lessons
    assert list(lessons) == ["accumulate-and-zero", "mine", *(each for each in IDS if each != "accumulate-and-zero")]
    assert [lesson.own for lesson in lessons.values()][:3] == [True, True, False]
