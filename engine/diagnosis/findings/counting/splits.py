"""Parts of a data set that do not make up the whole: each rounded down, or written as a number."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.words import code, finding, joined, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.sandbox.positions import argument_of


@finds(errors.MODULE_ARGUMENT)
def _parts(case: Case) -> Finding | None:
    """``random_split(data, [int(0.8 * n), int(0.2 * n)])``."""
    call, whole, parts = case.find(ast.Call), case.details.get("whole"), case.details.get("parts")
    given = argument_of(call, 1, "lengths") if call is not None else None
    listed = definition(case, given) if given is not None else None
    if call is None or not call.args or type(whole) is not int or not isinstance(parts, list):
        return None
    numbers = all(type(one) is int for one in parts)
    if not isinstance(listed, ast.List | ast.Tuple) or len(listed.elts) != len(parts) or len(parts) < 2:
        return _unequal(case, call, parts, whole, listed) if numbers and parts else None
    if numbers:
        counted = _counted(case, call.args[0], listed.elts, parts, whole)
        return counted or _unequal(case, call, parts, whole, listed)
    return _shares(case, call, listed.elts[-1], parts)


def _counted(case: Case, data: ast.expr, given: Sequence[ast.expr], parts: Sequence[int], whole: int) -> Finding | None:
    """Whole numbers of samples: the last part is what is left."""
    if whole - sum(parts[:-1]) < 1:
        return None
    last, made = given[-1], [definition(case, one) for one in given]
    others = [case.text(one) if not isinstance(one, ast.BinOp) else f"({case.text(one)})" for one in given[:-1]]
    text = f"len({case.text(data)}) - {' - '.join(others)}"
    told = [_told(case, one, size, at) for one, size, at in zip(given, parts, made, strict=True)]
    rounded = sum(parts) < whole and any(_rounds(one) for one in made)
    why, why_zh = (": each part is rounded down", "：每一部分都向下取整了") if rounded else ("", "")
    named = isinstance(last, ast.Name) and made[-1] is not last
    shown = f"{case.text(last)} = {text}" if named else text
    target = made[-1] if named else last
    total = " + ".join(map(str, parts))
    return finding(
        case,
        f"{joined([one[0] for one in told], 'en')}, together {total} = {sum(parts)}, and {code(case, data)} has {whole} samples{why}. Compute the last part"
        f" as what is left: `{shown}`.",
        f"{joined([one[1] for one in told], 'zh')}，合计 {total} = {sum(parts)}，而 {code(case, data)} 有 {whole} 个样本{why_zh}。请把最后一部分算成余下的个数："
        f"`{shown}`。",
        case.fix(case.replace(target, text), case.statement(target)) or (),
        target,
    )


def _unequal(case: Case, call: ast.Call, parts: Sequence[int], whole: int, listed: ast.expr | None) -> Finding:
    """Numbers that do not add up, where nothing tells which of them is wrong."""
    total = " + ".join(map(str, parts))
    return finding(
        case,
        f"{code(case, call.args[0])} has {whole} samples, and the lengths {total} add up to {sum(parts)}. Choose lengths that add up to {whole}.",
        f"{code(case, call.args[0])} 有 {whole} 个样本，而各长度 {total} 加起来是 {sum(parts)}。请选择加起来等于 {whole} 的长度。",
        (),
        listed,
    )


def _shares(case: Case, call: ast.Call, last: ast.expr, parts: Sequence[float]) -> Finding | None:
    """Fractions that do not make 1."""
    if not all(type(one) in (int, float) and 0 <= one < 1 for one in parts) or sum(parts[:-1]) >= 1:
        return None
    left, total = f"{1 - sum(parts[:-1]):.6g}", " + ".join(f"{one:g}" for one in parts)
    place = definition(case, last)
    return finding(
        case,
        f"The fractions {total} in {code(case, call)} make {sum(parts):.6g}, and fractions of a data set must make 1. Let the last one be what is left:"
        f" `{left}`.",
        f"{code(case, call)} 里的比例 {total} 合计 {sum(parts):.6g}，而数据集的各部分比例合计必须是 1。请让最后一个等于余下的部分：`{left}`。",
        case.fix(case.replace(place, left), case.statement(place)) or (),
        place,
    )


def _told(case: Case, node: ast.expr, size: int, made: ast.expr) -> tuple[str, str]:
    if isinstance(node, ast.Constant):
        return f"`{size}`", f"`{size}`"
    where, where_zh = (f" (line {line(made)})", f"（第 {line(made)} 行）") if made is not node else ("", "")
    return f"{code(case, node)}{where} is {size}", f"{code(case, node)}{where_zh} 是 {size}"


def _rounds(node: ast.expr) -> bool:
    """Whether an expression cuts off what is behind the point."""
    return any(
        (isinstance(one, ast.Call) and called(one) in ("int", "floor"))
        or (isinstance(one, ast.BinOp) and isinstance(one.op, ast.FloorDiv))
        for one in ast.walk(node)
    )
