"""The names that a program gives to what its own functions return: ``loss = f(x)`` in every turn of a loop, not the last alone.

What operations make is named after the text where they are called. A function of the program returns what was made somewhere in it,
so an assignment of its result tells the recorder what came.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, Final

from gradflow.engine.sandbox.refusal import guarded_call
from gradflow.engine.state import STATE

NAMED: Final = "<named>"
"""The function's name in the rewritten program, which cannot be spelled."""
_BLOCKS: Final = ("body", "orelse", "finalbody", "handlers", "cases")


def name_results(tree: ast.Module) -> None:
    """Rewrite the assignments of what the program's own functions, or modules called by a name, return, in place."""
    every = list(statements(tree))
    defined = {each.name for each in every if isinstance(each, ast.FunctionDef)}
    for each in every:
        if isinstance(each, ast.Assign):
            for target in each.targets:
                each.value = _told(target, each.value, defined)


def statements(tree: ast.Module) -> Iterator[ast.AST]:
    """All statements, and what holds them, without a look at expressions."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for field in _BLOCKS:
            waiting += getattr(node, field, ())


def _is_own(value: ast.expr, defined: set[str]) -> bool:
    """Whether an expression calls something that is not known to be an operation."""
    match value:
        case ast.Call(func=ast.Name() | ast.Attribute(value=ast.Name(id="self"))):
            return True
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in defined
    return False


def _told(target: ast.expr, value: ast.expr, defined: set[str]) -> ast.expr:
    match target, value:
        case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
            value.elts = [_told(one, each, defined) for one, each in zip(targets, values, strict=True)]
        case ast.Name(id=name), _ if _is_own(value, defined):
            return guarded_call(NAMED, [value, ast.Constant(name)], value)
        case ast.Tuple(elts=targets), _ if _is_own(value, defined):
            names = [ast.Constant(each.id if isinstance(each, ast.Name) else "") for each in targets]
            held = ast.Tuple([ast.copy_location(name, value) for name in names], ast.Load())
            return guarded_call(NAMED, [value, held], value)
    return value


def named(value: Any, names: str | tuple[str, ...]) -> Any:
    """Tell the recorder what a name, or the names of an unpacked tuple, will stand for; gives the value back."""
    recorder = STATE.recorder
    if recorder is not None:
        if type(names) is str:
            recorder.returned(value, names)
        elif type(value) in (tuple, list) and len(value) == len(names):
            for each, name in zip(value, names, strict=True):
                if name:
                    recorder.returned(each, name)
    return value
