"""``gradflow lessons check DIR``: whether a folder of lessons can be given, and whether each can be gone through."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from gradflow.backend.jail import unconfined
from gradflow.backend.lessons.course import FileFault, read_folder
from gradflow.backend.lessons.lesson import Lesson, line_of_step
from gradflow.backend.lessons.walk import Run, walk
from gradflow.backend.settings import Settings
from gradflow.engine.trace import Trace

_EXAMPLES = """examples:
  gradflow lessons check my_lessons
  gradflow lessons check my_lessons && gradflow serve --lessons my_lessons

exit status: 0; 1 when something is wrong with a lesson, one line for each thing; 2 when there are no lessons"""


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The command ``lessons``."""
    lessons = commands.add_parser("lessons", help="check lessons of your own")
    actions = lessons.add_subparsers(required=True, metavar="check")
    check = actions.add_parser(
        "check",
        help="check a folder of lessons, and go through each by its solutions",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    check.add_argument("folder", metavar="DIR", type=Path, help="a folder of lessons: files that end in .md")
    check.set_defaults(command=_check)


def _check(arguments: argparse.Namespace) -> int:
    lessons, faults = read_folder(arguments.folder)
    run = lru_cache(maxsize=None)(_run)
    for file, lesson in lessons:
        faults += _stumbles(file, lesson, run)
    for fault in sorted(faults, key=lambda fault: (fault.file, fault.line)):
        print(fault)
    if not faults:
        print(f"{arguments.folder}: {'1 lesson' if len(lessons) == 1 else f'{len(lessons)} lessons'}, nothing wrong")
    return 1 if faults else 0


def _stumbles(file: Path, lesson: Lesson, run: Run) -> Iterator[FileFault]:
    try:
        for stumble in walk(lesson, run):
            yield FileFault(file, line_of_step(file, stumble.step), f"step {stumble.step + 1}: {stumble.message}")
    except unconfined.Died as died:
        yield FileFault(file, 1, str(died))


def _run(source: str) -> Trace:
    """With the time that a server gives to a program: a lesson has to be one that a reader can run."""
    return unconfined.run(source, time_limit=Settings().time_limit)
