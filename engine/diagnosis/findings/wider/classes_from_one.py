"""Classes that are counted from one and read elsewhere, too: by an accuracy, a table, weights."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.causes.births import born
from gradflow.engine.diagnosis.findings.kindred.ignored_classes import keeps_zero
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow

_HANDING_ON: Final = frozenset(
    [
        "TensorDataset",
        "DataLoader",
        "zip",
        "len",
        "list",
        "set",
        "max",
        "min",
        "sorted",
        "print",
        "range",
        "enumerate",
        "tuple",
        "append",
        "split",
        "repr",
        "str",
    ]
)
_ASKING: Final = frozenset(
    [
        "size",
        "numel",
        "dim",
        "shape",
        "dtype",
        "device",
        "unique",
        "max",
        "min",
        "tolist",
        "numpy",
        "ndim",
        "append",
        "extend",
    ]
)
_CASTS: Final = frozenset(
    ["long", "to", "squeeze", "view", "reshape", "flatten", "int", "clone", "detach", "cuda", "cpu", "type"]
)


@finds(errors.TARGET_RANGE)
def _counted_from_one(case: Case) -> Finding | None:
    """``loss_fn(logits, y)`` and ``(pred == y).mean()``, of classes from 1 to 7."""
    call = case.find(ast.Call)
    if call is None or len(call.args) < 2:
        return None
    target = _without_casts(call.args[1])
    flow = Flow(case)
    scores, value = flow.tensor(call.args[0]), flow.tensor(target)
    if scores is None or value is None or value.dtype.is_floating_point or not value.numel() or scores.dim() == 0:
        return None
    classes = int(scores.shape[1] if scores.dim() > 1 else scores.shape[0])
    low, high = int(value._a.min()), int(value._a.max())
    made = born(case, target)
    if low <= 0 or high - low + 1 != classes or keeps_zero(case):
        return None
    names = _names_of(case, target, low, high)
    other = _read_elsewhere(case, call, names, low, made)
    if other is None:
        return None
    known = made is not None and not _lies_in(case, made, call)
    wanted = f"{case.operand(made)} - {low}" if known and made is not None else ""
    closed = isinstance(case.parents.get(made) if made is not None else None, ast.Attribute | ast.Subscript | ast.BinOp)
    whole = f"({wanted})" if closed else wanted
    place = made if known and made is not None else other
    there, there_zh = (
        (
            f" Count from 0 where they are made, on line {line(place)}: `{wanted}`.",
            f"请在产生它们的第 {line(place)} 行从 0 数起：`{wanted}`。",
        )
        if wanted
        else (" Count from 0 where they are made.", "请在产生它们的地方从 0 数起。")
    )
    return finding(
        case,
        f"{code(case, target)} counts its classes from {low} to {high}, and there are {classes} scores, numbered from 0 to {classes - 1}. Line {line(other)} reads the"
        f" classes, too, so a change in the call of the loss alone would leave {code(case, _shown(case, other))} wrong.{there}",
        f"{code(case, target)} 的类别从 {low} 数到 {high}，而 {classes} 个得分的编号是 0 到 {classes - 1}。第 {line(other)} 行也要读这些类别，所以只在调用损失时改，会让"
        f" {code(case, _shown(case, other))} 出错。{there_zh}",
        [case.fix(case.replace(made, whole), made)] if wanted and made is not None else [],
        place,
    )


def _without_casts(node: ast.expr) -> ast.expr:
    """``y`` of ``y.long().squeeze(1)``."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CASTS:
        node = node.func.value
    return node


def _names_of(case: Case, target: ast.expr, low: int, high: int) -> set[str]:
    """The names on the way to a target that hold classes between these numbers."""
    flow = Flow(case)
    found = set()
    for one in flow.behind(target):
        held = flow.tensor(one) if isinstance(one, ast.Name) else None
        if held is None or held.dtype.is_floating_point or not held.numel() or not isinstance(one, ast.Name):
            continue
        if low <= int(held._a.min()) and int(held._a.max()) <= high:
            found.add(one.id)
    return found | {one.id for one in ast.walk(target) if isinstance(one, ast.Name)}


def _read_elsewhere(case: Case, call: ast.Call, names: set[str], low: int, made: ast.expr | None) -> ast.expr | None:
    """A use of the classes that is none of the loss; None, too, where a use takes the first number off by itself."""
    flow = Flow(case)
    found = None
    for one in case.nodes(ast.Name):
        before = made is not None and flow.scope(one) is flow.scope(made) and one.lineno <= made.lineno
        if one.id not in names or not isinstance(one.ctx, ast.Load) or before:
            continue
        parent = case.parents.get(one)
        match parent:
            case ast.Call(func=ast.Name(id="zip" | "enumerate")) if _looped(case, parent, call):
                found = found or one
            case ast.BinOp(op=ast.Sub(), left=left, right=ast.Constant(value=number)) if left is one and number == low:
                return None
            case ast.Compare(ops=[ast.Eq() | ast.NotEq()]):
                found = found or one
            case ast.Subscript(slice=index) if index is one:
                found = found or one
            case ast.Call() if one in parent.args and called(parent) not in _HANDING_ON:
                known = case.text(parent.func) == case.text(call.func) or flow.called(parent)
                found = found if known else found or one
            case ast.Attribute(attr=attr) if attr not in _ASKING and attr not in _CASTS:
                found = found or one
    return found


def _looped(case: Case, source: ast.Call, call: ast.Call) -> bool:
    """Whether a loop goes through something that does not hold the call of the loss."""
    loop = case.parents.get(source)
    while isinstance(loop, ast.Call):
        loop = case.parents.get(loop)
    return isinstance(loop, ast.For | ast.comprehension) and not _lies_in(case, call, loop)


def _shown(case: Case, node: ast.expr) -> ast.expr:
    """The comparison or the call that a name is read in."""
    parent = case.parents.get(node)
    if isinstance(parent, ast.Attribute):
        parent = case.parents.get(parent)
    return parent if isinstance(parent, ast.expr) else node


def _lies_in(case: Case, node: ast.AST, outer: ast.AST) -> bool:
    current: ast.AST | None = node
    while current is not None and current is not outer:
        current = case.parents.get(current)
    return current is outer
