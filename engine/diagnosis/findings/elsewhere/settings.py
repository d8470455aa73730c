"""Sizes of layers that are written somewhere else: in a table of settings, as a constant, for a parameter."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.sizes_written import in_form, number
from gradflow.engine.diagnosis.findings.words import code, finding, line, text_with, write
from gradflow.engine.diagnosis.flow import Flow

_FAR: Final = 4


def set_elsewhere(
    case: Case,
    made: ast.Call,
    first: ast.expr | None,
    sizes: tuple[int, int, str],
    needs: tuple[str, str],
    given: tuple[str, str],
) -> Finding | None:
    """``nn.Linear(cfg["flat"], 10)``, where the number of inputs that does not fit stands in ``cfg``, for this layer alone.

    ``sizes``: the one that the layer has, the one that it is to have, and how that is written in the layer; ``needs``: what it takes, in
    both languages, ``given``: what it is given instead.
    """
    wanted, size, written = sizes
    setting = _setting(case, first, wanted) if first is not None and not _has_names(written) else None
    if setting is None or setting is first or first is None:
        return None
    text = in_form(setting, size) or str(size)
    statement = _named(case, setting)
    shown = text_with(case, statement, setting, text) if statement is not None else text
    return finding(
        case,
        f"{code(case, made)} on line {line(made)} takes {needs[0]}, because line {line(setting)} says {code(case, setting)} for {code(case, first)}, and {given[0]}."
        f" Correct that number on line {line(setting)}: `{shown}`.",
        f"第 {line(made)} 行的 {code(case, made)} 要求{needs[1]}，因为第 {line(setting)} 行把 {code(case, first)} 写成了 {code(case, setting)}，而{given[1]}。请改正第"
        f" {line(setting)} 行的这个数：`{shown}`。",
        write(case, setting, text, statement),
        setting,
    )


def _has_names(text: str) -> bool:
    return any(one.isalpha() for one in text)


def _named(case: Case, setting: ast.expr) -> ast.AST | None:
    """The assignment or argument that a number stands in, where that is short."""
    outer = case.parents.get(setting)
    return outer if isinstance(outer, ast.Assign | ast.AnnAssign | ast.keyword) else None


def _setting(case: Case, node: ast.expr, size: int, depth: int = _FAR) -> ast.expr | None:
    """Where a size that nothing else uses is written as a number."""
    if isinstance(node, ast.Constant | ast.BinOp):
        return node if _is_written(node) and number(case, node) == size else None
    if not depth or _uses(case, node) != 1:
        return None
    for given in _given(case, node):
        if given is not node and (found := _setting(case, given, size, depth - 1)) is not None:
            return found
    return None


def _is_written(node: ast.expr) -> bool:
    return all(isinstance(one, ast.Constant | ast.BinOp | ast.operator) for one in ast.walk(node))


def _uses(case: Case, node: ast.expr) -> int:
    """How often the program reads what has this name, other than to hand it on under the same name."""
    flow = Flow(case)
    match node:
        case ast.Name(id=name):
            scope = flow.scope(node)
            own = [one for one in ast.walk(scope) if isinstance(one, ast.Name) and one.id == name]
            return sum(isinstance(one.ctx, ast.Load) and not _hands_on(case, one, name) for one in own)
        case ast.Attribute(attr=key) | ast.Subscript(slice=ast.Constant(value=str(key))):
            named: list[ast.Attribute | ast.Subscript] = [*case.nodes(ast.Attribute), *case.nodes(ast.Subscript)]
            read = [one for one in named if isinstance(one.ctx, ast.Load) and _key(one) == key]
            return sum(not _hands_on(case, one, key) for one in read)
    return 0


def _hands_on(case: Case, node: ast.expr, key: str) -> bool:
    """Whether something is given to another of the same name: ``self.flat = config.flat``."""
    match case.parents.get(node):
        case ast.Assign(targets=[target], value=value):
            return value is node and _is_called(target, key)
        case ast.keyword(arg=name):
            return name == key
    return False


def _key(node: ast.expr) -> str | None:
    match node:
        case ast.Attribute(attr=key) | ast.Subscript(slice=ast.Constant(value=str(key))):
            return key
    return None


def _given(case: Case, node: ast.expr) -> Iterator[ast.expr]:
    """What a name, a setting or an entry is given."""
    if isinstance(node, ast.Name):
        yield from Flow(case).assigned(node, node.id)
        yield from _called_so(case, node.id) if _comes_in_table(case, node) else ()
        return
    key = _key(node)
    found = _called_so(case, key) if key is not None else []
    written = [one for one in found if _key(one) != key and not (isinstance(one, ast.Name) and one.id == key)]
    if len(written) == 1:
        yield written[0]
    elif not written:
        yield from found[:1]


def _comes_in_table(case: Case, node: ast.Name) -> bool:
    """Whether a name is the parameter of a function that is called with ``**table``."""
    flow = Flow(case)
    function = flow.scope(node)
    if not isinstance(function, ast.FunctionDef) or node.id not in [one.arg for one in function.args.args]:
        return False
    owner = getattr(case.parents.get(function), "name", None) if function.name == "__init__" else function.name
    calls = [one for one in case.nodes(ast.Call) if called(one) == owner]
    return any(word.arg is None for one in calls for word in one.keywords)


def _called_so(case: Case, key: str) -> list[ast.expr]:
    """What arguments, entries of tables, attributes and options of the command line of this name are given."""
    found = [one.value for one in case.nodes(ast.keyword) if one.arg == key]
    for table in case.nodes(ast.Dict):
        pairs = zip(table.keys, table.values, strict=True)
        found += [value for word, value in pairs if isinstance(word, ast.Constant) and word.value == key]
    for one in case.nodes(ast.Assign):
        found += [one.value] if _is_called(one.targets[0], key) else []
    for other in case.nodes(ast.AnnAssign):
        found += [other.value] if other.value is not None and _is_called(other.target, key) else []
    for call in case.nodes(ast.Call):
        options = [one.value for one in call.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        if called(call) == "add_argument" and key in [one.lstrip("-").replace("-", "_") for one in options]:
            found += [word.value for word in call.keywords if word.arg == "default"]
    return found


def _is_called(target: ast.expr, key: str | None) -> bool:
    return _key(target) == key or (isinstance(target, ast.Name) and target.id == key)
