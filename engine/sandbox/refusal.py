"""What the parts of the policy share: the refusal of a construct, and calls of guarded functions."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Final, NoReturn

from gradflow.engine import errors


class Refusal(SyntaxError):
    """A construct that programs may not use."""


def refuse(node: ast.AST, construct: str) -> NoReturn:
    """Raise the refusal of a construct, at its place."""
    waits = isinstance(node, ast.AsyncFunctionDef | ast.AsyncFor | ast.AsyncWith | ast.Await)
    error = (errors.NO_WAITING if waits else errors.NOT_ALLOWED)(
        construct=construct, construct_zh=_in_chinese(construct)
    )
    refusal = Refusal(str(error))
    refusal.__dict__.update(error.__dict__, node=node)
    raise refusal


def _in_chinese(construct: str) -> str:
    """The name of a construct, for the explanation in Chinese."""
    for pattern, words in _CHINESE:
        construct = re.sub(pattern, words, construct)
    return construct


_CHINESE: Final = (
    ("^the name (`.*`)$", r"名字 \1"),
    ("^another value for (`.*`)$", r"给 \1 换一个值"),
    ("^(`.*`) in the head of a class$", r"类的头部里的 \1"),
    ("^a relative import$", "相对导入"),
    ("^(`.*`) and (`.*`)$", r"\1 和 \2"),
)
"""What constructs are called."""


def guarded_call(function: str, arguments: Sequence[ast.expr], place: ast.AST) -> ast.Call:
    """A call of a guarded function, by its name that cannot be spelled."""
    for argument in arguments:
        if not hasattr(argument, "lineno"):
            ast.copy_location(argument, place)
    name = ast.copy_location(ast.Name(function, ast.Load()), place)
    return ast.copy_location(ast.Call(name, list(arguments), []), place)
