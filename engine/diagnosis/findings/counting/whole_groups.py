"""A row that is laid out in groups and does not fill the last one: ``sales.view(-1, 7)`` of 100 days."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called, is_simple
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import place, shape_at
from gradflow.engine.diagnosis.findings.layers import constant
from gradflow.engine.diagnosis.findings.words import code, finding
from gradflow.engine.diagnosis.fixers import finds


@finds(errors.INVALID_SHAPE)
def _rest_of_groups(case: Case) -> Finding | None:
    """The size of a group is set elsewhere, by a name or by a layer: what is left over has to go."""
    call = case.find(ast.Call)
    told = _laid_out(case, call) if call is not None else None
    if call is None or told is None:
        return None
    owner, size = told
    shape, group = shape_at(case, owner), constant(case, size)
    if shape is None or not isinstance(group, int) or not 1 < group < shape[0] or shape[0] % group == 0:
        return None
    if not _settled(case, size, group):
        return None
    count, rest = divmod(shape[0], group)
    length = f"len({case.text(owner)})" if is_simple(owner) else str(shape[0])
    named = case.text(size) if is_simple(size) or isinstance(size, ast.Constant) else f"({case.text(size)})"
    cut = f"[:{length} // {named} * {named}]"
    made, made_zh = place(case, size)
    text = f"{case.operand(owner)}{cut}"
    return finding(
        case,
        f"{code(case, owner)} has {shape[0]} entries in its first dimension, which is no multiple of {code(case, size)}{made}: {shape[0]} = {count} × {group} + {rest}."
        f" Leave the last {rest} out first: `{text}`.",
        f"{code(case, owner)} 的第一维有 {shape[0]} 项，不是 {code(case, size)}{made_zh} 的倍数：{shape[0]} = {count} × {group} + {rest}。请先去掉最后 {rest} 项：`{text}`。",
        case.fix(case.followed(owner, cut), call),
        call,
    )


def _laid_out(case: Case, call: ast.Call) -> tuple[ast.expr, ast.expr] | None:
    """What is laid out, and the size of a group, where its first dimension alone is divided."""
    if not isinstance(call.func, ast.Attribute) or called(call) not in ("view", "reshape"):
        return None
    of_torch = case.text(call.func.value) == case.module_alias("torch")
    given = call.args[of_torch:]
    sizes = list(given[0].elts) if len(given) == 1 and isinstance(given[0], ast.Tuple | ast.List) else list(given)
    owner = call.args[0] if of_torch else call.func.value
    shape = shape_at(case, owner)
    if shape is None or len(sizes) != len(shape) + 1 or not shape:
        return None
    numbers = [constant(case, one) for one in sizes]
    if tuple(numbers[2:]) != shape[1:] or not all(shape):
        return None
    if case.text(sizes[1]) == "-1":
        return owner, sizes[0]  # so many rows of equal length
    group = numbers[1]
    whole = isinstance(group, int) and group > 0 and case.value(sizes[0]) == shape[0] // group
    return (owner, sizes[1]) if whole or case.text(sizes[0]) == "-1" else None


def _settled(case: Case, size: ast.expr, group: int) -> bool:
    """Whether the size of a group has a name, or stands elsewhere in the program, too."""
    same = [one for one in case.nodes(ast.Constant) if one.value == group and type(one.value) is int]
    return not isinstance(size, ast.Constant) or len(same) > 1
