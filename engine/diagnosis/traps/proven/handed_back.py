"""A model that is to be a copy, from a function of the program that gives back what it is given."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Final

from gradflow.engine.diagnosis.traps.edits import copying
from gradflow.engine.diagnosis.traps.record import (
    Record,
    Trap,
    attributes_of,
    children_of,
    is_to_stay,
    modules_in,
    parameters_in,
)
from gradflow.engine.diagnosis.traps.sharing import _is_used
from gradflow.engine.trace import Note

HANDED_BACK: Final = Trap(
    "model-handed-back",
    "`{function}` gives back the very model that it is given, so `{name}` (line {line}) is no second model, but a second name for `{other}`: every step that changes the"
    " parameters of `{other}` changes those of `{name}`, too. Give back a copy: `{meant}`.",
    "`{function}` 返回的就是传给它的那个模型，所以 `{name}`（第 {line} 行）不是第二个模型，只是 `{other}` 的另一个名字：对 `{other}` 参数的每一步更新也同样改变了 `{name}`。"
    "请返回副本：`{meant}`。",
)


def handed_back(run: Record) -> Iterator[Note]:
    """``self.target = self.make_target(self.online)``, where the method ends with ``return net``."""
    moved = {id(entry.tensor) for step in run.steps for entry in step.told["tensors"]}
    for statement in run.case.nodes(ast.Assign) if moved else ():
        match statement:
            case ast.Assign(targets=[ast.Name() | ast.Attribute() as target], value=ast.Call(args=[given]) as call):
                result = _same(run, call)
            case _:
                continue
        if result is None or not is_to_stay(_last(target)) or not isinstance(given, ast.Name | ast.Attribute):
            continue
        if not any(_are_one(held, target, given, moved) for held in _owners(run, target, given)):
            continue
        if isinstance(target, ast.Name) and not all(
            isinstance(one, ast.Name) and _is_used(run, one.id, statement.lineno) for one in (target, given)
        ):
            continue  # it goes on under the one name alone
        copy, imports = copying(run)
        meant = f"{copy}({result.id})"
        words = {"function": _last(call.func), "name": run.case.text(target), "other": run.case.text(given)}
        fix = run.fix([*imports, *run.case.wrapped(result, f"{copy}(", ")")], f"`{meant}`", f"`{meant}`")
        yield HANDED_BACK.note(run.program.span_of(result), (), fix, **words, line=statement.lineno, meant=meant)


def _last(node: ast.expr) -> str:
    return str(getattr(node, "attr", getattr(node, "id", "")))


def _same(run: Record, call: ast.Call) -> ast.Name | None:
    """The name behind ``return``, where a function of the program gives back its one argument as it is."""
    functions = [one for one in run.case.nodes(ast.FunctionDef) if one.name == _last(call.func)]
    if len(functions) != 1:
        return None
    names = [one.arg for one in functions[0].args.args if one.arg not in ("self", "cls")]
    inside = list(ast.walk(functions[0]))
    results = [one.value for one in inside if isinstance(one, ast.Return)]
    written = any(isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store) and one.id in names for one in inside)
    result = results[0] if len(results) == 1 else None
    return result if isinstance(result, ast.Name) and names == [result.id] and not written else None


def _owners(run: Record, target: ast.expr, given: ast.expr) -> list[object]:
    """What has the two names: the objects of the program, or the program itself."""
    if isinstance(target, ast.Name) and isinstance(given, ast.Name):
        return [run.namespace]
    return run.held()


def _are_one(held: object, target: ast.expr, given: ast.expr, moved: set[int]) -> bool:
    """Whether the two names are one module, whose parameters an optimizer moved."""
    own = attributes_of(held)
    inside = dict(held) if isinstance(held, Mapping) else {**own, **children_of(own)}
    model = inside.get(_last(target))
    if model is None or model is not inside.get(_last(given)):
        return False
    return any(id(one) in moved for _, part in modules_in(model) for one in parameters_in(part))


TRAPS: Final = (handed_back,)
