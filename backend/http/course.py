"""What a teacher chooses: the lessons and the programs of the gallery, as routes."""

from __future__ import annotations

import asyncio
from difflib import get_close_matches
from typing import Annotated

import orjson
from fastapi import APIRouter, FastAPI, Path, Request, Response

from gradflow.backend.http.api import unchanging
from gradflow.backend.http.problems import NotFound
from gradflow.backend.http.route import problems
from gradflow.backend.lessons.course import Course
from gradflow.backend.lessons.lesson import Lesson, LessonHead
from gradflow.backend.settings import Settings
from gradflow.engine.examples import load_examples, load_own

router = APIRouter()


def install(app: FastAPI) -> None:
    """Give the lessons and programs that the settings name. Raises `BadLessons`, `BadExamples`."""
    settings: Settings = app.state.settings
    own = load_own(settings.examples) if settings.examples else []
    taken = {example.id for example in own}
    gallery = [*own, *(example for example in load_examples() if example.id not in taken)]
    app.state.gallery_programs = gallery
    app.state.gallery = orjson.dumps(gallery)
    app.state.course = Course(settings.lessons)
    app.include_router(router)


@router.get("/api/v1/lessons", response_model=list[LessonHead], responses=problems(500), tags=["reference"])
async def lessons(request: Request) -> Response:
    """The lessons in their order, a teacher's own first."""
    course: Course = request.app.state.course
    given = await asyncio.to_thread(lambda: course.lessons)
    return unchanging(request, orjson.dumps([lesson.head.model_dump(mode="json") for lesson in given.values()]))


@router.get("/api/v1/lessons/{lesson_id}", response_model=Lesson, responses=problems(404, 422, 500), tags=["reference"])
async def lesson(
    request: Request, lesson_id: Annotated[str, Path(max_length=100, examples=["error-and-argument"])]
) -> Response:
    """A lesson with its steps: texts, hints, checks, and the program with which each begins."""
    course: Course = request.app.state.course
    given = await asyncio.to_thread(lambda: course.lessons)
    if lesson_id not in given:
        close = get_close_matches(lesson_id, given)
        meant = f" Did you mean {' or '.join(close)}?" if close else ""
        raise NotFound(f"There is no lesson {lesson_id!r}.{meant}")
    return unchanging(request, given[lesson_id].model_dump_json(by_alias=True).encode())
