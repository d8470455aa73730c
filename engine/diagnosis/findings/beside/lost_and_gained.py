"""A dimension that a sum over it took away, or that brackets around each single label put there: mended where that was done."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, shape_at
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.trace import Edit

_REDUCTIONS: Final = frozenset({"sum", "mean", "prod", "amax", "amin", "norm", "std", "var", "logsumexp"})
_MAKERS: Final = frozenset({"tensor", "as_tensor", "LongTensor", "IntTensor"})


@finds(errors.TARGET_MULTI)
def _one_in_brackets(case: Case) -> Finding | None:
    """``return self.x[i], torch.tensor([self.y[i]])`` in the data set: every label is a vector of one number."""
    call = case.find(ast.Call)
    target = argument_of(call, 1, "target") if call is not None else None
    shape = shape_at(case, target) if target is not None else None
    if target is None or shape is None or len(shape) != 2 or shape[1] != 1:
        return None
    behind = [one for one in Flow(case).behind(target) if isinstance(one, ast.Call)]
    sources = [one for one in behind if called(one) == "DataLoader"]
    made = list(_labels(case, sources))
    if len(made) != 1:
        return None
    label, edits, text = made[0]
    name, rows = code(case, target), shape[0]
    return finding(
        case,
        f"{name} is a column of shape [{rows}, 1], and the loss takes one class number for each sample, shape [{rows}]: {code(case, label)} on line"
        f" {line(label)} makes of each single label a vector of one number, and the loader stacks these. Make it a single number there: `{text}`.",
        f"{name} 是形状为 [{rows}, 1] 的一列，而损失要求每个样本一个类别编号，形状为 [{rows}]：第 {line(label)} 行的 {code(case, label)} 把每个标签做成了只有一个数的向量，"
        f"加载器再把它们叠起来。请在那里做成单个数：`{text}`。",
        case.fix(edits, label),
        label,
    )


def _labels(case: Case, sources: list[ast.Call]) -> Iterator[tuple[ast.expr, list[Edit], str]]:
    """What the data set of a loader gives back as a label that has a dimension too many; the edits without it, and the text then."""
    for method in case.nodes(ast.FunctionDef):
        owner = case.parents.get(method)
        if method.name != "__getitem__" or not isinstance(owner, ast.ClassDef) or not sources:
            continue
        for one in ast.walk(method):
            if isinstance(one, ast.Return) and isinstance(one.value, ast.Tuple | ast.Dict):
                parts = one.value.elts[1:] if isinstance(one.value, ast.Tuple) else one.value.values[1:]
                for part in parts:
                    yield from _without_dimension(case, definition(case, part) if isinstance(part, ast.Name) else part)


def _without_dimension(case: Case, made: ast.expr) -> Iterator[tuple[ast.expr, list[Edit], str]]:
    match made:
        case ast.Call(args=[ast.List(elts=[label]) as listed, *_]) if called(made) in _MAKERS:
            if called(made) in ("LongTensor", "IntTensor"):
                torch = case.module_alias("torch") or "torch"
                text = f"{torch}.tensor({case.text(label)})"
                yield made, case.replace(made, text), text
                return
            rest = case.text(made).replace(case.text(listed), case.text(label), 1)
            yield made, case.replace(listed, case.text(label)), rest
        case ast.Call(func=ast.Attribute(value=inner, attr="unsqueeze" | "view" | "reshape")) if len(
            made.args
        ) == 1 and case.text(made.args[0]) in ("0", "-1", "1"):
            yield made, case.without_tail(made), case.text(inner)


@finds(errors.CAT_DIMENSIONS)
def _summed_away(case: Case) -> Finding | None:
    """``torch.cat([x, A.sum(dim=1)], dim=1)``."""
    call = case.find(ast.Call)
    if call is None or called(call) not in ("cat", "concat", "concatenate") or not call.args:
        return None
    parts = call.args[0].elts if isinstance(call.args[0], ast.List | ast.Tuple) else []
    shapes = [shape_at(case, one) for one in parts]
    most = max((len(shape) for shape in shapes if shape is not None), default=0)
    for part, shape in zip(parts, shapes, strict=True):
        if shape is None or len(shape) != most - 1:
            continue
        made = definition(case, part)
        whole = _shape_before(case, made)
        dim = argument_of(made, 0, "dim") if isinstance(made, ast.Call) else None
        if whole is None or len(whole) != most or dim is None or not isinstance(made, ast.Call):
            continue
        if isinstance(dim, ast.Tuple | ast.List) or any(one.arg == "keepdim" for one in made.keywords):
            continue
        fix = case.fix(case.argument(made, "keepdim=True"), made)
        if fix is None or not _used_once(case, part):
            continue
        return finding(
            case,
            f"{code(case, made)} on line {line(made)} takes away the dimension that it goes through: {code(case, part)} has the shape {list(shape)}, and what"
            f" it is joined to has {most} dimensions. Keep the dimension: {fix.title.en}.",
            f"第 {line(made)} 行的 {code(case, made)} 去掉了它所沿的那一维：{code(case, part)} 的形状是 {list(shape)}，而与它拼接的张量有 {most} 维。请保留那一维："
            f"{fix.title.zh}。",
            [fix],
            made,
        )
    return None


def _shape_before(case: Case, made: ast.expr) -> tuple[int, ...] | None:
    """The shape of what a method goes through a dimension of, such as `sum`."""
    if not isinstance(made, ast.Call) or called(made) not in _REDUCTIONS or not isinstance(made.func, ast.Attribute):
        return None
    return shape_at(case, made.func.value)


def _used_once(case: Case, node: ast.expr) -> bool:
    """Whether nothing else uses what an expression stands for."""
    if not isinstance(node, ast.Name):
        return True
    uses = [one for one in case.nodes(ast.Name) if one.id == node.id and isinstance(one.ctx, ast.Load)]
    return len(uses) == 1
