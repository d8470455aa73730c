"""Texts that a program hands to ``eval``, ``exec`` and ``compile``: they are read, refused and rewritten as a program is.

The text may be made while the program runs, so nothing of it is trusted: it passes the same policy, which leaves no attribute, import or
special name past the gate, and no name that cannot be spelled is in it. What it is compiled to belongs to the program
(``PROGRAM_FILE``), stands in the program's text where the call stands, and has a name of its own, `EVALUATED`, by which it is known from a
statement of the module: NumPy may be calling it.
"""

from __future__ import annotations

import ast
from types import CodeType
from typing import Final, Literal, TypeAlias

from gradflow.engine import errors
from gradflow.engine.errors.error_kind import ErrorKind
from gradflow.engine.sandbox.policy import Policy, Refusal
from gradflow.engine.sandbox.rewriting.limits import MAX_BYTES, MAX_DEPTH, calls_in_progress, depth_of, parsing
from gradflow.engine.sandbox.unbound_methods import PROGRAM_FILE

Mode: TypeAlias = Literal["eval", "exec"]
Region: TypeAlias = tuple[int, int, int, int]
"""First and last line, first and last column, as the compiler counts them."""
EVALUATED: Final = "<evaluated>"
_FILE: Final = "<string>"
_NO_FILE: Final = "\ud800"
"""No name that a file can have: Python looks for the line of an error in the file, and so asks the system for nothing."""
_DEEPEST: Final = 250
"""Calls in progress where a text is still compiled: Python's parser needs room on the stack of the process."""


def compiled(text: str, mode: Mode, region: Region) -> tuple[CodeType, bool]:
    """The code of a text, all of which stands at ``region``, and whether it has ``from module import *``.

    Raises SyntaxError, in Python's words or in those of the policy, and RecursionError.
    """
    _check(text)
    failure: Exception | None = None
    try:
        with parsing():
            tree = ast.parse(text.lstrip(" \t") if mode == "eval" else text, _NO_FILE, mode)
            if depth_of(tree) > MAX_DEPTH:
                raise RecursionError
            stars = "*" in text and any(map(_imports_all, ast.walk(tree)))
            Policy().visit(tree)
            _put_at(tree, region)
            code: CodeType = compile(tree, _NO_FILE, mode, dont_inherit=True)  # type: ignore[call-overload]  # the kind of tree goes with the mode
    except Refusal as refusal:
        failure = _without_node(refusal)
    except SyntaxError as error:
        error.filename = _FILE
        failure = error.with_traceback(None)
    except (RecursionError, MemoryError):
        failure = errors.TOO_DEEP()
    if failure is not None:  # what was caught would be its context, of which a program can ask
        failure.__context__ = None
        raise failure
    return _of_program(code).replace(co_name=EVALUATED), stars


def _imports_all(node: ast.AST) -> bool:
    """Whether a statement binds all names of a module, which the module alone can have."""
    return isinstance(node, ast.ImportFrom) and node.names[0].name == "*"


def _of_program(code: CodeType) -> CodeType:
    """The code, and what it holds, as that of the program."""
    held = tuple(_of_program(each) if isinstance(each, CodeType) else each for each in code.co_consts)
    return code.replace(co_filename=PROGRAM_FILE, co_consts=held)


def _check(text: str) -> None:
    if len(text.encode()) > MAX_BYTES:
        raise errors.SOURCE_TOO_LONG(kibibytes=MAX_BYTES // 1024)
    if "\0" in text:
        raise SyntaxError("source code string cannot contain null bytes")
    if calls_in_progress() > _DEEPEST:
        raise RecursionError("maximum recursion depth exceeded")


def _without_node(refusal: Refusal) -> Exception:
    """A refusal as an error of Python's own, without the tree, which a program could get hold of."""
    kind: ErrorKind = refusal.__dict__["kind"]
    return kind(**refusal.__dict__["details"])


def _put_at(tree: ast.AST, region: Region) -> None:
    line, end_line, column, end_column = region
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt | ast.expr | ast.excepthandler | ast.arg | ast.keyword | ast.alias | ast.pattern):
            node.lineno, node.end_lineno = line, end_line
            node.col_offset, node.end_col_offset = column, end_column
