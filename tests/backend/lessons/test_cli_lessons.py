"""Tests of `gradflow lessons check`, as a process, and of `gradflow serve` with lessons that cannot be given."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gradflow.backend.lessons.course import built_in_directory

LESSON = (built_in_directory() / "10_derivatives_of_derivatives.md").read_text(encoding="utf-8")


def gradflow(*arguments: str | Path) -> tuple[int, str, str]:
    command = [sys.executable, "-m", "gradflow", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "01_mine.md").write_text(LESSON, encoding="utf-8")
    return tmp_path


def test_good_lessons(folder: Path) -> None:
    assert gradflow("lessons", "check", folder) == (0, f"{folder}: 1 lesson, nothing wrong\n", "")


def test_every_mistake_has_a_line_of_its_own(folder: Path) -> None:
    broken = LESSON.replace("check: {answer: 6}", "check: {answer: 7}").replace("h.backward()", "h.sum()")
    (folder / "01_mine.md").write_text(broken, encoding="utf-8")
    (folder / "02_other.md").write_text(LESSON.replace("hints:", "hint:", 1), encoding="utf-8")
    (folder / "03_mine.md").write_text(LESSON, encoding="utf-8")
    status, told, _ = gradflow("lessons", "check", folder)
    assert status == 1
    assert told.splitlines() == [
        f"{folder}/01_mine.md:48: step 3: proof: torch.autograd.grad(torch.autograd.grad(torch.autograd.grad(x ** 3, x, "
        "create_graph=True)[0], x, create_graph=True)[0], x)[0] is 6, and the answer 7",
        f"{folder}/01_mine.md:62: step 4: solution: the check does not pass after it: x.grad is None",
        f"{folder}/01_mine.md:62: step 4: solution: the check does not pass after it: there are 2 backward passes, not 3",
        f"{folder}/01_mine.md:62: step 4: proof: x.grad == 6 is not true",
        f"{folder}/02_other.md:23: steps[0].hint: there is no field 'hint' (did you mean hints?); allowed: title, text, check, "
        "hints, line, ring, mistakes, program, solution, proof",
        f"{folder}/03_mine.md:1: 01_mine.md has the same name but for its number",
    ]


def test_no_lessons(tmp_path: Path) -> None:
    expected = f"gradflow: {tmp_path}: there is no lesson in it: no file that ends in .md\n"
    assert gradflow("lessons", "check", tmp_path) == (2, "", expected)


def test_a_server_does_not_start_with_lessons_that_cannot_be_given(folder: Path) -> None:
    (folder / "01_mine.md").write_text("no lesson", encoding="utf-8")
    status, _, told = gradflow("serve", "--port", "0", "--lessons", folder)
    expected = f"gradflow: {folder}/01_mine.md:1: a lesson begins with a line ---, then YAML, then another line ---\n"
    assert (status, told) == (2, expected)


def test_a_server_does_not_start_with_programs_that_cannot_be_shown(tmp_path: Path) -> None:
    status, _, told = gradflow("serve", "--port", "0", "--examples", tmp_path)
    assert (status, told) == (2, f"gradflow: {tmp_path}: there is no program in it: no file that ends in .py\n")


SQUARE = """---
title: {en: A slope, zh: 斜率}
summary: {en: One number., zh: 一个数。}
program: |
  import torch

  x = torch.tensor(3., requires_grad=True)
  y = x ** 2
steps:
  - title: {en: Run a pass., zh: 跑一次。}
    text: {en: Add the line., zh: 加一行。}
    check: {passes: 1, value: {x.grad: 6}}
    hints: [{en: A method., zh: 一个方法。}]
    ring: {part: line y = x, label: {en: Here, zh: 这里}}
    solution: {append: y.backward()}
    proof: x.grad == 2 * x
---

A derivative is a slope.
"""


@pytest.mark.parametrize(
    ("right", "wrong", "line", "told"),
    [
        (
            "y = x ** 2\n",
            "y = x **\n",
            10,
            "step 1: solution: the program fails in line 4: SyntaxError: invalid syntax",
        ),
        (
            "y = x ** 2\n",
            "y = x * z\n",
            10,
            "step 1: solution: the program fails in line 4: NameError: name 'z' is not",
        ),
        ("part: line y = x", "part: line z = x", 10, "step 1: ring: there is no line z = x on the page"),
        ("part: line y = x", "part: q.grad", 10, "step 1: ring: there is no q.grad on the page"),
        ("part: line y = x", "part: value of q", 10, "step 1: ring: there is no value of q on the page"),
        ("part: line y = x", "part: function tanh", 10, "step 1: ring: there is no function tanh on the page"),
        ("part: line y = x", "part: view table", 10, "step 1: ring: there is no view table on the page"),
        (
            "passes: 1, value: {x.grad: 6}",
            "error: nonscalar-backwards",
            10,
            "step 1: check.error: there is no error nonscalar-backwards (did you mean nonscalar-backward?)",
        ),
        ("passes: 1, value: {x.grad: 6}", "answer: six", 12, "steps[0].check: answer: expected a number, or a list"),
    ],
)
def test_mistakes_are_told_by_their_cause(tmp_path: Path, right: str, wrong: str, line: int, told: str) -> None:
    assert right in SQUARE
    (tmp_path / "01_mine.md").write_text(SQUARE.replace(right, wrong), encoding="utf-8")
    status, said, _ = gradflow("lessons", "check", tmp_path)
    assert status == 1
    assert f"{tmp_path}/01_mine.md:{line}: {told}" in said


def test_parts_of_the_page_can_be_ringed(tmp_path: Path) -> None:
    for k, part in enumerate(["tensor x", "x.grad", "value of y", "function pow", "view jacobian", "play", "program"]):
        text = SQUARE.replace("part: line y = x", f"part: {part}")
        (tmp_path / f"0{k}_square{k}.md").write_text(text, encoding="utf-8")
    assert gradflow("lessons", "check", tmp_path)[:2] == (0, f"{tmp_path}: 7 lessons, nothing wrong\n")


def test_a_program_without_an_end_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADFLOW_TIME_LIMIT", "0.5")
    endless = SQUARE.replace("y = x ** 2\n", "while True: pass\n").replace("line y = x", "tensor x")
    (tmp_path / "01_mine.md").write_text(endless, encoding="utf-8")
    status, said, _ = gradflow("lessons", "check", tmp_path)
    assert status == 1
    assert "the program fails in line 4: TimeoutError: the program was stopped after 0.5 s" in said
