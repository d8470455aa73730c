"""``gradflow lessons check DIR``: whether a folder of lessons can be given, and whether each can be gone through."""

from __future__ import annotations

import argparse
from functools import lru_cache
from pathlib import Path

from gradflow.backend.jail import unconfined
from gradflow.backend.lessons.course import read_folder
from gradflow.backend.lessons.front_matter import Fault
from gradflow.backend.lessons.lesson import line_of_step
from gradflow.backend.lessons.walk import walk
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
    told = [str(fault) for fault in faults]
    run = lru_cache(maxsize=None)(_run)
    for file, lesson in lessons:
        try:
            told += [
                f"{file}:{line_of_step(file, each.step)}: step {each.step + 1}: {each.message}"
                for each in walk(lesson, run)
            ]
        except (Fault, unconfined.Died) as error:
            told.append(f"{file}:1: {error}")
    print("\n".join(sorted(told)) if told else f"{arguments.folder}: {len(lessons)} lessons, all can be gone through")
    return 1 if told else 0


def _run(source: str) -> Trace:
    return unconfined.run(source)
