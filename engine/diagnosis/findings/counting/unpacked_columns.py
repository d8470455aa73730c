"""Names for the columns of a table whose rows were unpacked: ``src, dst = edges`` of pairs."""

from __future__ import annotations

import ast

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.causes.births import born
from gradflow.engine.diagnosis.findings.general.sources import shape_at
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import mistakes
from gradflow.engine.trace import Fix


@finds(mistakes.TOO_MANY_VALUES, mistakes.NOT_ENOUGH_VALUES)
def _columns(case: Case) -> Finding | None:
    """``src, dst = edge_index`` with one pair in each row."""
    found = case.find(ast.AST)
    match case.statement(found) if found is not None else None:
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Name() | ast.Attribute() as source):
            shape = shape_at(case, source)
        case _:
            return None
    if shape is None or len(shape) < 2 or shape[0] == shape[-1] or shape[-1] != len(names):
        return None
    tail = ".t()" if len(shape) == 2 else ".unbind(-1)"
    made = born(case, source)
    name = _only_handed_on(case, made) if made is not None and tail == ".t()" else None
    shown = ", ".join(case.text(one) for one in names)
    if made is not None and name is not None:
        text, fix, cause = f"{name}.t()", _fix(case, made, tail), made
    else:
        text, cause = f"{case.text(source)}{tail}", made if made is not None else source
        fix = case.fix(case.followed(source, tail), case.statement(source))
    where, where_zh = ("", "")
    if made is not None and line(made) != line(source):
        where, where_zh = f", made on line {line(made)},", f"（第 {line(made)} 行创建）"
    turned = f"[{shape[1]}, {shape[0]}]" if tail == ".t()" else ""
    end, end_zh = (f" there, of shape {turned}", f"，形状是 {turned}") if turned and name is not None else ("", "")
    if len(shape) > 2:
        return finding(
            case,
            f"{code(case, source)}{where} has the shape {list(shape)}. Unpacking goes through the {shape[0]} of its first dimension, and `{shown}` stand for the"
            f" {shape[-1]} of its last. Take it apart along that one: `{text}`.",
            f"{code(case, source)}{where_zh}的形状是 {list(shape)}。解包沿着第一维的 {shape[0]} 项进行，而 `{shown}` 代表的是最后一维的 {shape[-1]} 项。请沿最后一维拆开："
            f"`{text}`。",
            fix or (),
            cause,
        )
    return finding(
        case,
        f"{code(case, source)}{where} has the shape {list(shape)}: {shape[0]} rows of {shape[-1]} numbers each. Unpacking gives its rows, and `{shown}`"
        f" stand for its {shape[-1]} columns. Turn it: `{text}`{end}.",
        f"{code(case, source)}{where_zh}的形状是 {list(shape)}：{shape[0]} 行，每行 {shape[-1]} 个数。解包得到的是各行，而 `{shown}` 代表的是它的 {shape[-1]} 列。"
        f"请{'在那里' if end_zh else ''}转置它：`{text}`{end_zh}。",
        fix or (),
        cause,
    )


def _fix(case: Case, made: ast.expr, tail: str) -> Fix | None:
    return case.fix(case.followed(made, tail), case.statement(made))


def _only_handed_on(case: Case, made: ast.expr) -> str | None:
    """The name of what was made, where the program does nothing with it but hand it to functions."""
    match case.statement(made):
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is made:
            scope = Flow(case).scope(made)
        case _:
            return None
    uses = [one for one in case.nodes(ast.Name) if one.id == name and isinstance(one.ctx, ast.Load)]
    own = [one for one in uses if Flow(case).scope(one) is scope]
    handed = [one for one in own if isinstance(case.parents.get(one), ast.Call)]
    return name if own and len(handed) == len(own) else None
