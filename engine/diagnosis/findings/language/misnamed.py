"""Special methods that are misspelled: Python looks for another name."""

from __future__ import annotations

import ast
from difflib import get_close_matches
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import apply, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.errors.language import mistakes, python
from gradflow.engine.sandbox.special_names import METHODS
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
        asked = next((names for words, names in _ASKED if words in message), ())
        for name, method in sorted(methods.items(), key=lambda one: _meant(one[0]) not in asked):
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
    exact, plain = f"__{bare}__", bare.replace("_", "").lower()
    if exact in _KNOWN or get_close_matches(plain, ["forward"], 1, _NEAR):
        return exact if exact in _KNOWN else None
    near = get_close_matches(plain, [one.strip("_") for one in sorted(_KNOWN)], 1, _NEAR)
    known = _ODD.get(bare) or _ODD.get(plain)
    return known or (f"__{near[0]}__" if near and exact not in METHODS else None)


_NEAR: Final = 0.8
"""How alike two names are, of 1, that are taken for the same."""
_ASKED: Final = (
    ("has no len()", ("__len__",)),
    ("not subscriptable", ("__getitem__",)),
    ("not iterable", ("__iter__", "__getitem__")),
    ("not callable", ("__call__",)),
    ("no arguments", ("__init__",)),
    ("positional argument", ("__init__",)),
    ("context manager", ("__enter__", "__exit__")),
)
"""What Python looked for, by words of its message."""


_ODD: Final = {
    "int": "__init__", "inti": "__init__", "init": "__init__", "initi": "__init__", "ini": "__init__",
    "initialize": "__init__", "initialise": "__init__", "constructor": "__init__",
    "lenght": "__len__", "length": "__len__", "size": "__len__", "leng": "__len__",
    "getitems": "__getitem__", "getitm": "__getitem__", "get_item": "__getitem__", "getiem": "__getitem__", "item": "__getitem__",
    "cal": "__call__", "calls": "__call__",
}  # fmt: skip
"""Slips that are met often, by what stands between the underscores."""


def _renamed(case: Case, method: ast.FunctionDef, meant: str) -> Fix | tuple[()]:
    for number in range(line(method), line(method.body[0]) + 1):
        at = case.line(number).find(f"def {method.name}")
        if at >= 0:
            edit = Edit(Span(number, at + 4, number, at + 4 + len(method.name)), meant)
            return apply(case, [edit], f"`def {meant}`", f"`def {meant}`") or ()
    return ()
