"""Tests of what a teacher chooses: lessons, programs, a title."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest

from gradflow.backend.http.app import create_app
from gradflow.backend.lessons.course import BadLessons, built_in_directory
from gradflow.backend.settings import Settings
from gradflow.engine.examples import BadExamples, load_examples, load_own

LESSON = (built_in_directory() / "07_accumulate_and_zero.md").read_text(encoding="utf-8")


def get(play_pages: Any, path: str, **settings: object) -> httpx.Response:
    async def scene(client: httpx.AsyncClient) -> httpx.Response:
        return await client.get(path)

    response: httpx.Response = play_pages(scene, **settings)
    return response


def test_the_list_of_lessons(client: httpx.Client) -> None:
    told = client.get("/api/v1/lessons").json()
    assert [lesson["id"] for lesson in told][:2] == ["scalar-backward", "error-and-argument"]
    assert told[1] | {"summary": None} == {
        "id": "error-and-argument",
        "title": {"en": "The error, and the argument", "zh": "报错与参数"},
        "summary": None,
        "steps": 5,
        "own": False,
    }


def test_a_lesson_has_what_the_page_needs_and_no_solution(client: httpx.Client) -> None:
    lesson = client.get("/api/v1/lessons/error-and-argument").json()
    first = lesson["steps"][0]
    assert first["check"]["error"] == "nonscalar-backward"
    assert first["lines"] == [{"number": 8, "text": "c.backward()"}]
    assert (first["line"], first["fresh"]) == (None, True)
    assert not {"solution", "proof"} & first.keys()


def test_a_lesson_that_does_not_exist(client: httpx.Client) -> None:
    answer = client.get("/api/v1/lessons/error-and-arguments")
    assert answer.status_code == 404
    assert answer.json()["detail"] == ("There is no lesson 'error-and-arguments'. Did you mean error-and-argument?")


def test_lessons_of_a_teacher_come_first(play_pages: Any, tmp_path: Path) -> None:
    (tmp_path / "01_mine.md").write_text(LESSON, encoding="utf-8")
    told = get(play_pages, "/api/v1/lessons", lessons=tmp_path).json()
    assert [(lesson["id"], lesson["own"]) for lesson in told][:2] == [("mine", True), ("scalar-backward", False)]
    assert get(play_pages, "/api/v1/lessons/mine", lessons=tmp_path).json()["own"]


def test_lessons_that_cannot_be_given_are_told_before_the_server_starts(tmp_path: Path) -> None:
    with pytest.raises(BadLessons, match=r"there is no lesson in it: no file that ends in \.md"):
        create_app(Settings(lessons=tmp_path))
    (tmp_path / "01_mine.md").write_text(LESSON.replace("steps:", "step:"), encoding="utf-8")
    with pytest.raises(BadLessons) as raised:
        create_app(Settings(lessons=tmp_path))
    assert str(raised.value).startswith(
        f"{tmp_path / '01_mine.md'}:15: step: there is no field 'step' (did you mean steps?)"
    )
    with pytest.raises(BadLessons, match="there is no such folder"):
        create_app(Settings(lessons=tmp_path / "nowhere"))


def test_programs_of_a_teacher_come_first(play_pages: Any, tmp_path: Path) -> None:
    (tmp_path / "02_two.py").write_text("import torch\n")
    (tmp_path / "01_one.py").write_text("# Half of it\n# What is left.\nimport torch\n")
    told = get(play_pages, "/api/v1/examples", examples=tmp_path).json()
    assert [(each["id"], each["title"]["en"], each["summary"]["en"]) for each in told[:2]] == [
        ("own-one", "Half of it", "What is left."),
        ("own-two", "two", ""),
    ]
    assert len(told) == 2 + len(load_examples())


def test_a_folder_with_an_index_is_a_gallery_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "index.toml").write_text('groups = {}\n[[examples]]\nfile = "a.py"')
    with pytest.raises(BadExamples, match=r"index\.toml: KeyError: 'group'|index\.toml"):
        load_own(tmp_path)
    assert load_own(Path("examples").resolve()) == load_examples()


def test_programs_that_cannot_be_shown_are_told(tmp_path: Path) -> None:
    with pytest.raises(BadExamples, match="there is no program in it"):
        create_app(Settings(examples=tmp_path))
    with pytest.raises(BadExamples, match="there is no such folder"):
        create_app(Settings(examples=tmp_path / "nowhere"))
    (tmp_path / "a.py").write_bytes(b"\xff")
    with pytest.raises(BadExamples, match=r"a\.py: 'utf-8' codec"):
        create_app(Settings(examples=tmp_path))


def test_the_page_has_the_title(play_pages: Any, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<!doctype html><title>Gradflow</title>")
    page = get(play_pages, "/", static_dir=tmp_path, title="Week 3 <b> & more")
    assert page.text.endswith("<title>Week 3 &lt;b&gt; &amp; more · Gradflow</title>")
    assert '<meta property="og:title" content="Week 3 &lt;b&gt; &amp; more · Gradflow">' in page.text
    assert page.headers["cache-control"] == "no-cache"
    assert get(play_pages, "/", static_dir=tmp_path).text.endswith("<title>Gradflow</title>")
