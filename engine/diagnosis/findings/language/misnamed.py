"""Special methods that are misspelled: Python looks for another name."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import apply, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.errors.language import mistakes, python
from gradflow.engine.trace import Edit, Fix, Span

_SPECIAL: Final = {
    mistakes.NEEDS_SELF.code: ("__init__",),
    mistakes.TAKES_NO_ARGUMENTS.code: ("__init__",),
    errors.UNEXPECTED_KEYWORD.code: ("__init__",),
    errors.NO_ATTRIBUTE.code: ("__init__", "__enter__", "__exit__"),
    python.ATTRIBUTE.code: ("__init__",),
    mistakes.NO_LENGTH.code: ("__len__",),
    mistakes.NOT_SUBSCRIPTABLE.code: ("__getitem__",),
    mistakes.NOT_CALLABLE.code: ("__call__",),
    mistakes.NOT_ITERABLE.code: ("__iter__", "__getitem__"),
    python.TYPE.code: ("__len__", "__getitem__", "__enter__", "__next__", "__init__"),
    python.UNCLASSIFIED.code: ("__getitem__", "__len__"),
}
_KNOWN: Final = frozenset(one for names in _SPECIAL.values() for one in names) | {
    "__setitem__",
    "__contains__",
    "__repr__",
    "__str__",
    "__eq__",
}
_ALL: Final = (
    mistakes.NEEDS_SELF, mistakes.TAKES_NO_ARGUMENTS, errors.UNEXPECTED_KEYWORD, errors.NO_ATTRIBUTE, python.ATTRIBUTE,
    mistakes.NO_LENGTH, mistakes.NOT_SUBSCRIPTABLE, mistakes.NOT_CALLABLE, mistakes.NOT_ITERABLE, python.TYPE,
    python.UNCLASSIFIED,
)  # fmt: skip


@finds(*_ALL)
def _special(case: Case) -> Finding | None:
    """``def _init_(self)``, ``def __getitm__(self, i)``: Python looks for the other name."""
    message = str(case.details.get("message", "")) + " ".join(
        str(one) for one in case.details.values() if isinstance(one, str)
    )
    node = case.find(ast.AST)
    around = case.enclosing(node, ast.ClassDef) if node is not None else None
    for owner in case.nodes(ast.ClassDef):
        if owner.name not in message and owner is not around:
            continue
        methods = {one.name: one for one in owner.body if isinstance(one, ast.FunctionDef)}
        for name, method in methods.items():
            meant = _meant(name)
            if meant is None or meant in methods:
                continue
            return finding(
                case,
                f"Line {line(method)} defines `{name}`, and Python looks for `{meant}`, with two underscores on either side: without it `{owner.name}` has no `{meant}` of its"
                f" own, and what line {line(method)} defines is never called. Write `def {meant}`.",
                f"第 {line(method)} 行定义的是 `{name}`，而 Python 要找的是两边各有两个下划线的 `{meant}`：没有它，`{owner.name}` 就没有自己的 `{meant}`，第 {line(method)} 行定义的方法从未被调用。"
                f"请写 `def {meant}`。",
                _renamed(case, method, meant),
                method,
            )
    return None


def _meant(name: str) -> str | None:
    """The special method that a name is probably meant to be: ``_init_`` and ``__int__`` are ``__init__``."""
    bare = name.strip("_")
    if name in _KNOWN or not bare or not (name.startswith("_") and name.endswith("_")):
        return None
    exact = f"__{bare}__"
    return exact if exact in _KNOWN else _ODD.get(bare)


_ODD: Final = {
    "int": "__init__", "inti": "__init__", "init": "__init__", "initi": "__init__", "ini": "__init__",
    "lenght": "__len__", "length": "__len__", "size": "__len__", "leng": "__len__",
    "getitems": "__getitem__", "getitm": "__getitem__", "get_item": "__getitem__", "getiem": "__getitem__", "item": "__getitem__",
    "cal": "__call__", "calls": "__call__", "foward": "__call__",
}  # fmt: skip
"""Slips that are met often, by what stands between the underscores."""


def _renamed(case: Case, method: ast.FunctionDef, meant: str) -> Fix | tuple[()]:
    for number in range(line(method), line(method.body[0]) + 1):
        at = case.line(number).find(f"def {method.name}")
        if at >= 0:
            edit = Edit(Span(number, at + 4, number, at + 4 + len(method.name)), meant)
            return apply(case, [edit], f"`def {meant}`", f"`def {meant}`") or ()
    return ()
