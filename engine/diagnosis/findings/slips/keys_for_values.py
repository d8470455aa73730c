"""A loop through a dictionary, which gives its keys, where its values were meant."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, place
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import loops_of
from gradflow.engine.errors.language import mistakes, python


@finds(
    python.TYPE,
    python.ATTRIBUTE,
    errors.NO_ATTRIBUTE,
    errors.ARGUMENT_TYPE,
    mistakes.OPERAND_TYPES,
    mistakes.CONCATENATION,
)
def _keys(case: Case) -> Finding | None:
    """``for (k, v), g in zip(weights.items(), grads)``, where `grads` is a dictionary, too."""
    for used in _texts(case):
        for loop in loops_of(case):
            source = _part_for(loop.target, loop.iter, used.id)
            if source is None or not _is_dictionary(case, source, case.value(used)):
                continue
            where, where_zh = place(case, source)
            text = f"{case.operand(source)}.values()"
            return finding(
                case,
                f"{code(case, source)}{where} is a dictionary, and what goes through a dictionary gets its keys: `{used.id}` on line {line(used)} is"
                f" the key `{case.value(used)!r}`, not what is kept under it. Go through the values on line {line(source)}: `{text}`.",
                f"{code(case, source)}{where_zh} 是字典，遍历字典得到的是它的键：第 {line(used)} 行的 `{used.id}` 是键 `{case.value(used)!r}`，而不是"
                f"存在它下面的值。请在第 {line(source)} 行遍历各个值：`{text}`。",
                case.fix(case.followed(source, ".values()"), None) or (),
                source,
            )
    return None


def _is_dictionary(case: Case, source: ast.expr, key: object, depth: int = 4) -> bool:
    """Whether an expression is a dictionary with this key, whose values are no texts."""
    held = case.value(source)
    if isinstance(held, dict):
        return key in held and not any(isinstance(one, str) for one in held.values())
    made = definition(case, source)
    match made:
        case ast.Dict(keys=keys):
            return key in [case.value(one) for one in keys]
        case ast.DictComp():
            return True
        case ast.Call(args=[_, inputs, *_]) if depth and called(made) == "grad":
            return _is_dictionary(case, inputs, key, depth - 1)  # it gives one of the gradients
    return depth > 0 and made is not source and _is_dictionary(case, made, key, depth - 1)


def _texts(case: Case) -> Iterator[ast.Name]:
    """The names that the failed expression computes with and that stand for a text."""
    match case.find(ast.BinOp) or case.find(ast.Attribute) or case.find(ast.Call):
        case ast.BinOp(left=left, right=right):
            parts = [left, right]
        case ast.Attribute(value=value):
            parts = [value]
        case ast.Call(func=func, args=args):
            parts = [*args, *([func.value] if isinstance(func, ast.Attribute) else [])]
        case _:
            parts = []
    yield from (one for one in parts if isinstance(one, ast.Name) and isinstance(case.value(one), str))


def _part_for(target: ast.expr, source: ast.expr, name: str) -> ast.expr | None:
    """What a name of a loop's target goes through, behind ``zip`` and ``enumerate``."""
    if isinstance(target, ast.Name):
        return source if target.id == name else None
    if not isinstance(target, ast.Tuple | ast.List):
        return None
    match source:
        case ast.Call(func=ast.Name(id="zip"), args=args) if len(args) == len(target.elts):
            found = (_part_for(part, given, name) for part, given in zip(target.elts, args, strict=True))
            return next((one for one in found if one is not None), None)
        case ast.Call(func=ast.Name(id="enumerate"), args=[inner, *_]) if len(target.elts) == 2:
            return _part_for(target.elts[1], inner, name)
    return None
