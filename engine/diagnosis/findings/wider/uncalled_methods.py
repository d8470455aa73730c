"""A method without its brackets that was put into a variable, a dictionary or a call, and is gone through elsewhere."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import mistakes

_GIVING: Final = frozenset(
    {
        "parameters",
        "named_parameters",
        "children",
        "named_children",
        "modules",
        "named_modules",
        "buffers",
        "named_buffers",
        "state_dict",
        "keys",
        "values",
        "items",
        "tolist",
        "splitlines",
        "readlines",
    }
)
_METHODS: Final = ("method", "function", "builtin_function_or_method", "method_descriptor")
_MOST: Final = 200


@finds(mistakes.NOT_ITERABLE, mistakes.NOT_SUBSCRIPTABLE, mistakes.NO_LENGTH)
def _handed_on_uncalled(case: Case) -> Finding | None:
    """``cfg = {"params": model.parameters}`` and ``SGD(**cfg)``."""
    node = case.find(ast.expr) or next((one.iter for one in case.nodes(ast.For) if one.lineno == case.span.line), None)
    if node is None or case.details.get("type") not in _METHODS:
        return None
    bare = next((one for one in _behind(case, node) if _is_bare(case, one)), None)
    if not isinstance(bare, ast.Attribute) or case.statement(bare) is case.statement(node):
        return None
    text = f"{case.text(bare)}()"
    return finding(
        case,
        f"{code(case, bare)} on line {line(bare)} has no brackets, so it hands on the method itself and not what that gives, and line {case.span.line} needs the elements."
        f" Call it there: `{text}`.",
        f"第 {line(bare)} 行的 {code(case, bare)} 没有括号，传出的是方法本身，而不是它的结果，第 {case.span.line} 行却需要其中的元素。请在那里调用它：`{text}`。",
        case.fix(case.after(bare, "()"), bare),
        bare,
    )


def _behind(case: Case, node: ast.expr) -> Iterator[ast.expr]:
    """What an expression was computed from, with what the names of the functions stand for, and what was put in under a key."""
    flow = Flow(case)
    seen: set[ast.expr] = set()
    waiting = [node]
    while waiting and len(seen) < _MOST:
        for one in flow.behind(waiting.pop(0)):
            if one in seen:
                continue
            seen.add(one)
            yield one
            if isinstance(one, ast.Call):
                waiting.append(one.func)
            elif isinstance(one, ast.Name):
                waiting += _put_in(case, one.id)


def _put_in(case: Case, name: str) -> list[ast.expr]:
    """``cfg["params"] = ...``."""
    return [
        one.value
        for one in case.nodes(ast.Assign)
        if any(isinstance(part, ast.Subscript) and case.text(part.value) == name for part in one.targets)
    ]


def _is_bare(case: Case, node: ast.expr) -> bool:
    """Whether a node reads a method that gives elements, without calling it."""
    parent = case.parents.get(node)
    if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Load):
        return False
    if isinstance(parent, ast.Attribute) or (isinstance(parent, ast.Call) and parent.func is node):
        return False
    own = [
        one
        for one in case.nodes(ast.FunctionDef)
        if one.name == node.attr and isinstance(case.parents.get(one), ast.ClassDef) and not one.decorator_list
    ]
    return node.attr in _GIVING or any(len(one.args.args) == 1 for one in own)
