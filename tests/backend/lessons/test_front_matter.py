"""Tests of how a lesson file is read: every mistake is told with its line, and with what is allowed there."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradflow.backend.lessons.front_matter import Fault, read
from gradflow.backend.lessons.lesson import read_lesson

GOOD = """---
title: Two numbers
summary: {en: Short., zh: 很短。}
program: |
  import torch

  x = torch.tensor([1., 2.], requires_grad=True)
  y = x.sum()
steps:
  - title: Run a pass.
    text: Add a line.
    check: {passes: 1, value: {x.grad: [1, 1]}}
    hints: [It is a method.]
    solution: {append: y.backward()}
  - title: Say it.
    text: What is x.grad[0]?
    check: {answer: 1}
    hints: [Look.]
    mistakes: [{answer: 2, means: That is another.}]
---
What a sum does.
"""


def lesson_file(folder: Path, text: str, name: str = "01_two_numbers.md") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def test_a_lesson_is_read(tmp_path: Path) -> None:
    lesson = read_lesson(lesson_file(tmp_path, GOOD))
    assert (lesson.id, lesson.title.zh, lesson.summary.zh) == ("two-numbers", "Two numbers", "很短。")
    assert lesson.intro.en == lesson.intro.zh == "What a sum does."
    first, second = lesson.steps
    assert first.program.endswith("y = x.sum()")
    assert first.solution == f"{first.program}\ny.backward()"
    assert [(line.number, line.text) for line in first.lines] == [(5, "y.backward()")]
    assert (first.line, first.fresh) == (None, True)
    assert (second.program, second.solution, second.fresh) == (first.solution, None, False)
    assert second.line is not None
    assert second.line.en == "`1`"
    assert second.check.answer == [1.0]


def test_its_text_has_a_part_for_each_language(tmp_path: Path) -> None:
    text = GOOD.replace("What a sum does.", "## English\n\nA sum.\n\n## 中文\n\n求和。")
    intro = read_lesson(lesson_file(tmp_path, text)).intro
    assert (intro.en, intro.zh) == ("A sum.", "求和。")


ALLOWED_IN_CHECK = (
    "error, value, gradient, passes, functions, tensor, events, prints, source, notes, chosen, view, playhead, answer"
)
MISTAKES = {
    "no front matter": ("---\n", "", 1, "a lesson begins with a line ---, then YAML, then another line ---"),
    "no end": ("---\nWhat", "What", 1, "the YAML that begins here has no end: a line --- is missing"),
    "no text": ("What a sum does.\n", "", 21, "the text below the second --- is missing: it introduces the lesson"),
    "one language": (
        "What a sum does.",
        "## English\n\nA sum.",
        21,
        "expected a text, or one below each of the headings ## English and ## 中文",
    ),
    "unknown field": (
        "    text: Add",
        "    test: Add",
        11,
        "steps[0].test: there is no field 'test' (did you mean text?); allowed: title, text, check, hints, line, ring, "
        "mistakes, program, solution, proof",
    ),
    "unknown check": (
        "{passes: 1,",
        "{pass: 1,",
        12,
        f"steps[0].check.pass: there is no field 'pass' (did you mean passes?); allowed: {ALLOWED_IN_CHECK}",
    ),
    "empty check": ("{answer: 1}", "{}", 17, f"steps[1].check: nothing is checked; allowed: {ALLOWED_IN_CHECK}"),
    "missing field": ("    hints: [Look.]\n", "", 15, "steps[1].hints: this field is missing"),
    "no text given": ("title: Two numbers", "title: {en: Two}", 2, None),
    "no number": (
        "x.grad: [1, 1]",
        "x.grad: [1, one]",
        12,
        "steps[0].check.value.x.grad: expected a number, nested lists of numbers, or none",
    ),
    "no path": (
        "x.grad: [1, 1]",
        '"x.grad[0": 1',
        12,
        "steps[0].check.value.x.grad[0.[key]: expected a tensor or one of its elements: a, a.grad, a.grad[0, 1]",
    ),
    "no solution": (
        "    solution: {append: y.backward()}\n",
        "",
        10,
        "steps[0].solution: this field is missing: the check asks for an edit (replace, append or program)",
    ),
    "two solutions": (
        "{append: y.backward()}",
        "{append: y.backward(), program: x}",
        14,
        "steps[0].solution: expected one of replace, append, program",
    ),
    "nothing to replace": (
        "{append: y.backward()}",
        "{replace: {z: w}}",
        14,
        "steps[0].solution.replace: 'z' stands in the program 0 times, not once",
    ),
    "no line": (
        "{answer: 1}",
        "{view: jacobian}",
        15,
        "steps[1].line: this field is missing: there is no edit and no answer to show",
    ),
    "unknown view": (
        "{answer: 1}",
        "{view: tree}",
        17,
        "steps[1].check.view: Input should be 'graph', 'jacobian' or 'scalar'",
    ),
    "unknown ring": (
        "    hints: [Look.]",
        "    hints: [Look.]\n    ring: {part: everything, label: All}",
        19,
        "steps[1].ring.part: expected what is to be ringed: tensor NAME, value of NAME, gradient of NAME, NAME.grad, "
        "function NAME, line TEXT, view NAME, gradient, output, play, step, program",
    ),
    "not YAML": ("title: Two numbers", "title: [Two", 3, "this is not YAML: expected ',' or ']', but got ':'"),
    "twins": ("program: |", "title: Again\nprogram: |", 4, "'title' stands here a second time"),
    "aliases": ("title: Two numbers", "title: *two", 2, "aliases (*name) are not read in lessons"),
}


@pytest.mark.parametrize(("old", "new", "line", "message"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, old: str, new: str, line: int, message: str | None) -> None:
    assert old in GOOD
    with pytest.raises(Fault) as raised:
        read_lesson(lesson_file(tmp_path, GOOD.replace(old, new, 1)))
    expected = message or "title: expected a text, or one for each language: {en: ..., zh: ...}"
    assert (raised.value.line, str(raised.value)) == (line, expected)


def test_the_name_of_a_file_is_the_id(tmp_path: Path) -> None:
    assert read_lesson(lesson_file(tmp_path, GOOD, "sums.md")).id == "sums"
    with pytest.raises(Fault, match=r"the name of a lesson is made of a-z, 0-9 and _, such as 03_my_lesson\.md"):
        read_lesson(lesson_file(tmp_path, GOOD, "Über Summen.md"))


def test_what_is_no_text_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "bytes.md"
    file.write_bytes(b"---\ntitle: \xff\n---\n")
    with pytest.raises(Fault, match="the file is not UTF-8: invalid start byte at byte 11"):
        read_lesson(file)
    with pytest.raises(Fault, match="the file is longer than 262144 characters"):
        read("---\n" + "#" * 300_000)


def test_special_numbers_travel_as_strings(tmp_path: Path) -> None:
    text = GOOD.replace("x.grad: [1, 1]", "x.grad: [.nan, -.inf], y: none")
    check = read_lesson(lesson_file(tmp_path, text)).steps[0].check
    assert check.value == {"x.grad": ["NaN", "-Infinity"], "y": None}
