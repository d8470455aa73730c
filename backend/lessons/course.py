"""Which lessons there are: those of Gradflow, and a teacher's own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from gradflow.backend.lessons.front_matter import Fault
from gradflow.backend.lessons.lesson import Lesson, read_lesson


class BadLessons(Exception):
    """Lessons that cannot be given: each line of the message has file, line and what is wrong."""


@dataclass(frozen=True, slots=True)
class FileFault:
    """What is wrong with a lesson file, and where."""

    file: Path
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}"


def built_in_directory() -> Path:
    """Where Gradflow's own lessons are: inside an installed package, or at the top of a checkout."""
    installed = Path(__file__).parent / "built_in"
    return installed if installed.is_dir() else Path(__file__).resolve().parents[2] / "lessons"


def lesson_files(folder: Path) -> list[Path]:
    """The lessons of a folder in their order, which is that of the file names. Raises `BadLessons`."""
    if not folder.is_dir():
        raise BadLessons(f"{folder}: there is no such folder")
    files = sorted(path for path in folder.glob("*.md") if path.name.lower() != "readme.md")
    if not files:
        raise BadLessons(f"{folder}: there is no lesson in it: no file that ends in .md")
    return files


def read_folder(folder: Path) -> tuple[list[tuple[Path, Lesson]], list[FileFault]]:
    """The lessons of a folder, and what is wrong with those that cannot be read. Raises `BadLessons` where there is none."""
    lessons: list[tuple[Path, Lesson]] = []
    faults: list[FileFault] = []
    for file in lesson_files(folder):
        try:
            lesson = read_lesson(file)
        except Fault as fault:
            faults.append(FileFault(file, fault.line, str(fault)))
            continue
        twin = next((other for other, each in lessons if each.id == lesson.id), None)
        if twin:
            faults.append(FileFault(file, 1, f"{twin.name} has the same name but for its number"))
        else:
            lessons.append((file, lesson))
    return lessons, faults


def load_folder(folder: Path) -> list[Lesson]:
    """The lessons of a folder. Raises `BadLessons`."""
    lessons, faults = read_folder(folder)
    if faults:
        raise BadLessons("\n".join(map(str, faults)))
    return [lesson for _, lesson in lessons]


class Course:
    """The lessons of a server: a teacher's, then Gradflow's own, but those that the teacher has under the same name."""

    def __init__(self, folder: Path | None = None) -> None:
        """Raises `BadLessons` where the folder has one that cannot be given."""
        self._own = [lesson.model_copy(update={"own": True}) for lesson in load_folder(folder)] if folder else []

    @cached_property
    def lessons(self) -> dict[str, Lesson]:
        """By id, in their order."""
        return {lesson.id: lesson for lesson in self._all()}

    def _all(self) -> Iterator[Lesson]:
        yield from self._own
        taken = {lesson.id for lesson in self._own}
        yield from (lesson for lesson in load_folder(built_in_directory()) if lesson.id not in taken)
