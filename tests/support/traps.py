"""Programs that walk into a trap without an error, and what is left of them when it is mended."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_LONG = ('"""', "'''", "\\\n")
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


def in_a_function(source: str) -> tuple[str, int] | None:
    """A program whose statements stand in ``main()``, behind its imports, classes and functions, and how many lines stay outside.

    None for one that cannot stand so: with texts over several lines, with names that are declared global, with lines of a notebook.
    """
    try:
        tree, head = ast.parse(source), 0
    except SyntaxError:  # a line of a notebook, prose
        return None
    for statement in tree.body:
        if not isinstance(statement, ast.Import | ast.ImportFrom | ast.ClassDef | ast.FunctionDef):
            break
        head = statement.end_lineno or 0
    whole = any(isinstance(node, ast.Global) for node in ast.walk(tree)) or any(each in source for each in _LONG)
    if whole or not head:
        return None
    lines = source.split("\n")
    return "\n".join([*lines[:head], "def main():", *(f"    {each}" for each in lines[head:]), "main()"]), head


def right_programs() -> Iterator[str]:
    """Programs that stand beside a trap and do not walk into it."""
    yield from FILE.with_name("right_programs.txt").read_text(encoding="utf-8").rstrip("\n").split("\n-----\n")
