"""The programs of the files of `NAMES`: what somebody who learns gets wrong, what is said of it, and the mended programs.

A block of the files is the code of the error and the line of the cause, the program, the explanation in English and in
Chinese, and the program after each fix that is offered.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

NAMES = (
    "mistakes.txt",
    "causes.txt",
    "everyday.txt",
    "later.txt",
    "afterwards.txt",
    "first_steps.txt",
    "graphs.txt",
    "nearer.txt",
)
FILES = tuple(Path(__file__).parent / name for name in NAMES)


@dataclass(frozen=True)
class Mistake:
    """A failing program, and what is to be told of it."""

    code: str
    line: int
    source: str
    en: str
    zh: str
    mended: list[str]


def mistakes() -> Iterator[Mistake]:
    """The blocks of the files."""
    for block in (
        block for file in FILES for block in file.read_text(encoding="utf-8").rstrip("\n").split("\n-----\n")
    ):
        program, words, *mended = block.split("\n=====\n")
        head, source = program.split("\n", 1)
        code, line = head.removeprefix("# ").split()
        en, zh = words.split("\n")
        yield Mistake(code, int(line), source, en, zh, mended)


MISTAKES = list(mistakes())
