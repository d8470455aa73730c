"""The echo of a pasted session: what Python prints of an expression typed at ``>>>``, and IPython of the last in a cell.

A session goes on after an error. So does the run, where the pasted text shows that this entry ended with such an error.
"""

from __future__ import annotations

import ast
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from gradflow.engine.sandbox.refusal import guarded_call

ECHO: Final = "<echo>"
FAILURE: Final = "<failure>"
_BLOCKS: Final = ("body", "orelse", "finalbody", "handlers", "cases")
_CLOSED: Final = (ast.FunctionDef, ast.ClassDef)


@dataclass(frozen=True)
class Entry:
    """What was typed at one prompt: its first line, the number of the cell (None at ``>>>``), and the type of the error
    that it ended with in the session."""

    line: int
    cell: int | None
    failure: str | None = None


def echo_expressions(tree: ast.Module, entries: Sequence[Entry], lines: Sequence[str]) -> None:
    """Have the program print the expressions that the session would print.

    At ``>>>`` these are all expression statements but those in functions and classes; of a cell it is the last statement,
    if no semicolon stands behind it.
    """
    firsts = [entry.line for entry in entries]
    owners = [bisect_right(firsts, statement.lineno) - 1 for statement in tree.body]
    for index, statement in enumerate(tree.body):
        entry = entries[owners[index]] if owners[index] >= 0 else None
        if entry is None:
            continue
        if entry.cell is None:
            _echo_all(statement)
            continue
        is_last = index + 1 == len(tree.body) or owners[index + 1] != owners[index]
        if is_last and isinstance(statement, ast.Expr) and not _is_silenced(statement, lines):
            statement.value = _echoed(statement.value, entry.cell)
    tree.body = list(_outlived(tree.body, owners, entries))


def _outlived(body: Sequence[ast.stmt], owners: Sequence[int], entries: Sequence[Entry]) -> Iterator[ast.stmt]:
    """The statements, those of an entry that failed in the session within a ``try``."""
    for owner, group in groupby(zip(owners, body, strict=True), lambda pair: pair[0]):
        statements = [statement for _, statement in group]
        expected = entries[owner].failure if owner >= 0 else None
        if expected is None:
            yield from statements
            continue
        first, end = statements[0], ast.Raise()
        asked = guarded_call(FAILURE, [ast.Constant(expected)], first)
        handler = ast.ExceptHandler(None, None, [ast.If(asked, [ast.Pass()], [end])])
        for node in (handler, handler.body[0], handler.body[0].body[0], end):  # type: ignore[attr-defined]  # an `if`
            ast.copy_location(node, first)
        yield ast.copy_location(ast.Try(statements, [handler], [], []), first)


def _echo_all(statement: Any) -> None:
    if isinstance(statement, ast.Expr):
        statement.value = _echoed(statement.value, None)
    elif not isinstance(statement, _CLOSED):
        for block in _BLOCKS:
            for inner in getattr(statement, block, ()):
                _echo_all(inner)


def _echoed(value: ast.expr, cell: int | None) -> ast.expr:
    return guarded_call(ECHO, [value, ast.Constant(cell)], value)


def _is_silenced(statement: ast.Expr, lines: Sequence[str]) -> bool:
    end = statement.end_lineno or statement.lineno
    line = lines[end - 1].encode()[statement.end_col_offset or 0 :].decode()
    return line.partition("#")[0].strip().endswith(";")


def echoer(builtins: dict[str, object], write: Callable[[str], None]) -> Callable[[Any, int | None], Any]:
    """The function that prints a value and keeps it as ``_``, for a cell also as ``Out[3]`` and ``_3``.

    builtins: those of the program, where a name of its own goes before them.
    """
    outputs: dict[int, object] = {}

    def echo(value: Any, cell: int | None) -> Any:
        if value is None:
            return value
        shown = repr(value)
        if cell is None:
            write(f"{shown}\n")
        else:
            outputs[cell] = value
            builtins.update({"Out": outputs, f"_{cell}": value})
            between = "\n" if "\n" in shown else ""
            write(f"Out[{cell}]: {between}{shown}\n")
        builtins["_"] = value
        return value

    return echo


def teller_of_failures(write: Callable[[str], None]) -> Callable[[str], bool]:
    """The function that tells of the error being handled, if it is of the type that the session shows."""

    def tell(expected: str) -> bool:
        error = sys.exc_info()[1]
        kind = type(error)
        if not isinstance(error, Exception) or kind.__name__.lstrip("_") != expected:
            return False
        home = "" if kind.__module__ in ("builtins", "__main__") else f"{kind.__module__}."
        write(f"{home}{kind.__qualname__}: {error}\n")
        return True

    return tell
