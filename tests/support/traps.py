"""Programs that walk into a trap without an error, and what is left of them when it is mended."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).parents[1] / "engine" / "diagnosis" / "traps.txt"
"""A block is the code of the trap and the line it is told at, the program, and the program after the fix, if it has one."""


@dataclass(frozen=True)
class TrapExample:
    """A program with a trap in it, and what the fix makes of it."""

    code: str
    line: int
    source: str
    fixed: str | None


def trap_examples() -> Iterator[TrapExample]:
    """The blocks of the file."""
    for block in FILE.read_text(encoding="utf-8").rstrip("\n").split("\n-----\n"):
        head, rest = block.split("\n", 1)
        source, _, fixed = rest.partition("\n=====\n")
        code, line = head.removeprefix("# ").split()
        yield TrapExample(code, int(line), source, fixed or None)


def right_programs() -> Iterator[str]:
    """Programs that stand beside a trap and do not walk into it."""
    yield from FILE.with_name("right_programs.txt").read_text(encoding="utf-8").rstrip("\n").split("\n-----\n")
