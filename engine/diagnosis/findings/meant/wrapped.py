"""A state that was saved from a model around the one that is to load it: of `DataParallel`, of a class that holds it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine.diagnosis.case import UNKNOWN, Case, called, is_simple
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.namespace.nn.module import Module as Layer

_PARALLEL: Final = ("DataParallel", "DistributedDataParallel")


def saved_from_wrapper(case: Case, given: ast.expr, owner: str, names: tuple[str, str, str]) -> Finding | None:
    """``wrapped.state_dict()``, where the model inside is meant; ``names``: the prefix, a name with it, and one without."""
    prefix, long, short = names
    known = [one for one in _states(case, given) if _has(case, one, long)]
    if len({case.text(one) for one in known}) != 1:
        return None
    saved = known[-1]
    assert isinstance(saved.func, ast.Attribute)
    whole, inner = saved.func.value, prefix.removesuffix(".")
    made = definition(case, whole)
    if made is whole or not isinstance(made, ast.Call):
        return None
    name, text = case.text(whole), f"{case.operand(whole)}.{prefix}state_dict()"
    return finding(
        case,
        f"`{name}` is {code(case, made)} of line {line(made)}, which keeps the model under `{inner}`, so every name in its state, saved on line"
        f" {line(saved)}, begins with `{prefix}`, as `{long}` does, and `{owner}` calls it `{short}`. Save the state of the model inside:"
        f" `{text}`.",
        f"`{name}` 是第 {line(made)} 行的 {code(case, made)}，它把模型放在 `{inner}` 下面，所以第 {line(saved)} 行保存的状态里，名字都以 `{prefix}` 开头，"
        f"例如 `{long}`，而 `{owner}` 把它叫作 `{short}`。请保存里面那个模型的状态：`{text}`。",
        case.fix(case.after(whole, f".{inner}"), saved),
        saved,
    )


def wrapped_at(case: Case, given: ast.expr, prefix: str) -> tuple[str, str, ast.Call | None]:
    """``, `nn.DataParallel(net)` of line 3``, where the program makes one such model; and that call."""
    made = [one for one in case.nodes(ast.Call) if called(one) in _PARALLEL and prefix == "module."]
    if len(made) > 1:
        saved = [one.func.value for one in _states(case, given) if isinstance(one.func, ast.Attribute)]
        made = [one for one in made if one in {definition(case, each) for each in saved}]
    if len(made) != 1:
        return "", "", None
    return (
        f", {code(case, made[0])} of line {line(made[0])}",
        f"（第 {line(made[0])} 行的 {code(case, made[0])}）",
        made[0],
    )


def _states(case: Case, given: ast.expr) -> Iterator[ast.Call]:
    """The calls that made the state, or all that the program has where it was read from a file."""
    behind = [one for one in Flow(case).behind(given) if _is_state(one)]
    every = [one for one in case.nodes(ast.Call) if _is_state(one)]
    yield from (one for one in behind or every if isinstance(one, ast.Call))


def _is_state(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr="state_dict"), args=[], keywords=[]):
            return is_simple(owner)
    return False


def _has(case: Case, call: ast.Call, name: str) -> bool:
    """Whether the state that a call gives has a name, or is that of a model that is not known here."""
    held = case.value(call.func.value) if isinstance(call.func, ast.Attribute) else UNKNOWN
    return isinstance(held, Layer) and name in dict(held.named_parameters(remove_duplicate=False)) | dict(
        held.named_buffers()
    )
