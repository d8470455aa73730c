"""A loss of the program's own that has a choice of ``reduction``, and none was chosen."""

from __future__ import annotations

import ast

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.tensor import Tensor


def not_chosen(case: Case, given: ast.expr, held: Tensor, need: tuple[str, str]) -> Finding | None:
    """``FocalLoss()`` of a class whose ``forward`` takes the mean ``if self.reduction == "mean"``, and gives the losses back else."""
    call, flow = definition(case, given) if isinstance(given, ast.Name) else given, Flow(case)
    for function in flow.called(call) if isinstance(call, ast.Call) else ():
        word = _word(function)
        if word is None or not isinstance(function, ast.FunctionDef) or not isinstance(call, ast.Call):
            continue
        owner = case.parents.get(function)
        made = definition(case, call.func) if isinstance(owner, ast.ClassDef) else call
        taking = flow.methods(owner.name).get("__init__") if isinstance(owner, ast.ClassDef) else function
        if not isinstance(made, ast.Call) or not isinstance(taking, ast.FunctionDef):
            continue
        names = [one.arg for one in (*taking.args.args, *taking.args.kwonlyargs)]
        if word not in names or len(made.args) + 1 > names.index(word) or any(one.arg == word for one in made.keywords):
            continue
        text, shape = f'{word}="mean"', list(held.shape)
        return finding(
            case,
            f"{code(case, made)} on line {line(made)} chooses no `{word}`, and then `{function.name}` (line {line(function)}) gives back one loss for each element:"
            f" {code(case, given)} has the shape {shape}, {held.numel()} numbers, and {need[0]}. Choose the mean: `{text}`.",
            f"第 {line(made)} 行的 {code(case, made)} 没有选择 `{word}`，这时 `{function.name}`（第 {line(function)} 行）为每个元素返回一个损失：{code(case, given)} 的形状是"
            f" {shape}，有 {held.numel()} 个数，{need[1]}。请选择平均：`{text}`。",
            apply(case, case.argument(made, text), f"`{text}`", f"`{text}`") or (),
            made,
        )
    return None


def _word(function: ast.FunctionDef | ast.Lambda) -> str | None:
    """The name that a function compares with ``"mean"``."""
    for node in ast.walk(function):
        match node:
            case ast.Compare(left=left, ops=[ast.Eq()], comparators=[ast.Constant(value="mean")]):
                return getattr(left, "attr", getattr(left, "id", None))
    return None
