"""Fixes of names: "did you mean", missing imports, and what was written in Python 2."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

from engine import errors, guards
from engine.diagnosis.case import Case
from engine.diagnosis.registry import fixes
from engine.errors import python
from engine.pytorch_names import exists
from engine.trace import Edit, Fix, Text

_IMPORTS: Final = {
    "torch": "import torch",
    "t": "import torch as t",
    "np": "import numpy as np",
    "numpy": "import numpy",
    "nn": "from torch import nn",
    "F": "import torch.nn.functional as F",
    "optim": "from torch import optim",
    "autograd": "from torch import autograd",
    "Variable": "from torch.autograd import Variable",
    "math": "import math",
    "random": "import random",
    "time": "import time",
    "itertools": "import itertools",
    "functools": "import functools",
    "collections": "import collections",
}
_PYTHON_2: Final = {"xrange": "range", "unicode": "str", "long": "int", "unichr": "chr", "true": "True", "null": "None"}


@fixes(python.NAME)
def _missing_name(case: Case) -> Fix | None:
    node = case.find(ast.Name)
    if node is None:
        return None
    name = node.id
    close = get_close_matches(name, sorted(_bound_names(case.program.tree) - {name}), 1, 0.75)
    if name in _PYTHON_2:
        return _rename(case, node, _PYTHON_2[name])
    if close and name not in _IMPORTS:
        return _rename(case, node, close[0])
    if name in _IMPORTS:
        line = _IMPORTS[name]
        return case.fix(case.import_line(line), words=Text(f"`{line}`", f"`{line}`"))
    torch = case.module_alias("torch")
    if torch and exists("torch", name):
        return _rename(case, node, f"{torch}.{name}")
    close = get_close_matches(name, dir(builtins), 1, 0.75)
    return _rename(case, node, close[0]) if close else None


def _rename(case: Case, node: ast.AST, name: str) -> Fix | None:
    statement = case.statement(node)
    return case.fix(case.replace(node, name), statement)


def _bound_names(tree: ast.AST) -> set[str]:
    """Every name that the program binds anywhere."""
    names: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                names.add(name)
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.alias(name=name, asname=asname):
                names.add(asname or name.split(".")[0])
    return names


@fixes(errors.NO_ATTRIBUTE)
@fixes(errors.NO_TYPE_ATTRIBUTE)
@fixes(errors.NO_MODULE_ATTRIBUTE)
def _attribute(case: Case) -> Fix | None:
    wrong = str(case.details.get("name"))
    node = case.find(ast.Attribute)
    if node is None or node.attr != wrong:
        return None
    return _closest(case, node, wrong, guards.readable_names(case.details.get("value")))


@fixes(python.ATTRIBUTE)
def _python_attribute(case: Case) -> Fix | None:
    node = case.find(ast.Attribute)
    if node is None or "value" not in case.details:
        return None
    value = case.details["value"]
    return _closest(case, node, node.attr, [*guards.readable_names(value), *getattr(value, "__dict__", ())])


def _closest(case: Case, node: ast.Attribute, wrong: str, names: Iterable[str]) -> Fix | None:
    close = get_close_matches(wrong, sorted(set(names) - {wrong}), 1, 0.7)
    if not close:
        return None
    parent = case.parents.get(node)
    shown = parent if isinstance(parent, ast.Call) and parent.func is node else node
    return case.fix(case.rename_end(node, wrong, close[0]), shown)


@fixes(errors.NO_IMPORT_NAME)
def _import_name(case: Case) -> Fix | None:
    wrong = str(case.details.get("name"))
    close = get_close_matches(wrong, sorted(guards.readable_names(case.details.get("value"))), 1, 0.7)
    alias = case.find(ast.alias)
    return _rename_alias(case, alias, close[0]) if alias and close else None


@fixes(errors.NO_MODULE)
def _module_name(case: Case) -> Fix | None:
    known = case.details.get("modules")
    alias = case.find(ast.alias)
    statement = case.statement(alias) if alias else None
    wanted = (statement.module or "") if isinstance(statement, ast.ImportFrom) else alias.name if alias else ""
    close = get_close_matches(wanted, list(known) if isinstance(known, list) else [], 1, 0.7)
    if alias is None or not close:
        return None
    if not isinstance(statement, ast.ImportFrom):
        return _rename_alias(case, alias, close[0])
    text, wrong = case.text(statement), statement.module or ""
    return case.fix(case.replace(statement, text.replace(wrong, close[0], 1)), statement)


def _rename_alias(case: Case, alias: ast.alias, name: str) -> Fix | None:
    text = name if alias.asname is None else f"{name} as {alias.asname}"
    edits: list[Edit] = case.replace(alias, text)
    return case.fix(edits, case.statement(alias))
