"""What the parts of the policy share: the refusal of a construct, and calls of guarded functions."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NoReturn

from gradflow.engine import errors


class Refusal(SyntaxError):
    """A construct that programs may not use."""


def refuse(node: ast.AST, construct: str) -> NoReturn:
    """Raise the refusal of a construct, at its place."""
    waits = isinstance(node, ast.AsyncFunctionDef | ast.AsyncFor | ast.AsyncWith | ast.Await)
    error = (errors.NO_WAITING if waits else errors.NOT_ALLOWED)(construct=construct)
    refusal = Refusal(str(error))
    refusal.__dict__.update(error.__dict__, node=node)
    raise refusal


def guarded_call(function: str, arguments: Sequence[ast.expr], place: ast.AST) -> ast.Call:
    """A call of a guarded function, by its name that cannot be spelled."""
    for argument in arguments:
        if not hasattr(argument, "lineno"):
            ast.copy_location(argument, place)
    name = ast.copy_location(ast.Name(function, ast.Load()), place)
    return ast.copy_location(ast.Call(name, list(arguments), []), place)
