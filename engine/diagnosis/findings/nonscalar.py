"""An output of several numbers: one number made of it, or a weight for each."""

from __future__ import annotations

import ast
import re

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, is_simple
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.nothing_differentiable import output_of
from gradflow.engine.diagnosis.findings.words import code, finding, line, on_line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.fixes.backward import ones_like
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.error_kind import Shape
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Fix

_LOSS = re.compile(r"loss|cost|err|mse|obj|penal|nll|^l$", re.IGNORECASE)


@finds(errors.NONSCALAR_BACKWARD)
def _several(case: Case) -> Finding | None:
    output = output_of(case)
    flow = Flow(case)
    tensor = flow.tensor(output) if output is not None else None
    if output is None or isinstance(output, ast.List | ast.Tuple):
        return None
    shape = Shape(tensor.shape) if isinstance(tensor, Tensor) else None
    reduced = _unreduced(case, output)
    if reduced is not None:
        return _reduction(case, output, reduced, shape)
    en = (
        f"{code(case, output)} is {shape:en} with {shape:n} elements"
        if shape
        else f"{code(case, output)} has several elements"
    )
    zh = f"{code(case, output)} 是{shape:zh}，有 {shape:n} 个元素" if shape else f"{code(case, output)} 有多个元素"
    weighted = ones_like(case) if is_simple(output) else None
    mean, total = _made_one(case, output, "mean"), _made_one(case, output, "sum")
    if weighted is not None and _for_each_row(case, tensor):
        return finding(
            case,
            f"{en}, one for each row of what it is differentiated by, and only for a single number does `grad` know where to start. For the"
            f" derivative in every row give each element the weight 1: `grad_outputs=torch.ones_like({case.text(output)})`.",
            f"{zh}，对应求导变量的每一行，而只有单个数时 `grad` 才知道从哪里开始。要得到每一行的导数，请给每个元素权重 1："
            f"`grad_outputs=torch.ones_like({case.text(output)})`。",
            weighted,
        )
    loss = _LOSS.search(case.text(output)) is not None or "optim" in case.program.source
    if f"{case.operand(output)}.sum()" in case.program.source:
        mean = total  # the program takes the sum elsewhere
    if shape and isinstance(output, ast.Name) and _LOSS.search(output.id) is not None:
        return _of_each(case, output, (en, zh), mean, "sum" if mean is total else "mean")
    return finding(
        case,
        f"{en}, and only for a single number does `backward` know where to start. Either make one number of it, with"
        f" `.mean()` or `.sum()`, as for a loss, or pass a `gradient` of the same shape: the weight of each element (all ones"
        f" give the gradient of the sum).",
        f"{zh}，而只有单个数时 `backward` 才知道从哪里开始。要么把它变成一个数（损失一般用 `.mean()` 或 `.sum()`），要么传入形状"
        f"相同的 `gradient`，即每个元素的权重（全是 1 时就是总和的梯度）。",
        [mean, weighted or total] if loss else [weighted or total, mean],
    )


def _of_each(case: Case, output: ast.Name, several: tuple[str, str], fix: Fix | None, how: str) -> Finding:
    """What is called a loss: one number is made of those of the samples."""
    made = definition(case, output)
    where, where_zh = on_line(made) if made is not output else ("", "")
    name, (en, zh) = f"`{output.id}`", several
    action, action_zh = ("their sum", "总和") if how == "sum" else ("their mean", "平均")
    return finding(
        case,
        f"{en.replace(name, f'{name}{where}', 1)}, a loss for each, and `backward` begins at a single number. Take {action}: `{output.id}.{how}()`.",
        f"{zh.replace(name, f'{name}{where_zh}', 1)}，每个元素各是一个损失，而 `backward` 要从单个数开始。请取{action_zh}：`{output.id}.{how}()`。",
        fix or (),
        made,
    )


def _for_each_row(case: Case, output: Tensor | None) -> bool:
    """Whether ``grad`` with a graph of its own asks for the derivative of a column by a column: one in every row."""
    call = case.find(ast.Call)
    if call is None or len(call.args) < 2 or not any(one.arg == "create_graph" for one in call.keywords):
        return False
    by = Flow(case).tensor(call.args[1])
    return by is not None and output is not None and by.dim() == 2 and tuple(output.shape) == (by.shape[0], 1)


def _made_one(case: Case, output: ast.expr, how: str) -> Fix | None:
    """``.mean()`` where the output is made, if its number is used elsewhere; else where it is differentiated."""
    made = case.assignment(output.id) if isinstance(output, ast.Name) else None
    if made is not None and isinstance(output, ast.Name) and _is_number_elsewhere(case, output.id):
        return case.fix(case.followed(made, f".{how}()"), case.statement(made))
    return case.fix(case.followed(output, f".{how}()"), case.find(ast.Call))


def _is_number_elsewhere(case: Case, name: str) -> bool:
    return any(
        isinstance(node, ast.Attribute)
        and node.attr == "item"
        and isinstance(node.value, ast.Name)
        and node.value.id == name
        for node in case.nodes(ast.Attribute)
    ) or bool(re.search(rf"\{{{name}:", case.program.source))


def _unreduced(case: Case, output: ast.expr) -> ast.keyword | None:
    """``reduction='none'`` of the loss that the output is."""
    for node in Flow(case).behind(output):
        for keyword in node.keywords if isinstance(node, ast.Call) else ():
            if keyword.arg == "reduction" and case.value(keyword.value) == "none":
                return keyword
            if keyword.arg == "reduce" and case.value(keyword.value) is False:
                return keyword
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            made = case.assignment(node.func.id)
            for keyword in made.keywords if isinstance(made, ast.Call) else ():
                if keyword.arg == "reduction" and case.value(keyword.value) == "none":
                    return keyword
    return None


def _is_given_by(case: Case, output: ast.expr, maker: ast.AST | None) -> bool:
    """Whether an output is what the loss gave, and nothing was computed with that, such as weights, in between."""
    made = definition(case, output)
    return made is maker or (
        isinstance(made, ast.Call) and (made.func is maker or definition(case, made.func) is maker)
    )


def _reduction(case: Case, output: ast.expr, given: ast.keyword, shape: Shape | None) -> Finding:
    call = case.parents.get(given)
    mean = _made_one(case, output, "mean")
    away = case.fix(case.without_argument(call, given), call) if isinstance(call, ast.Call) else None
    if not _is_given_by(case, output, call):
        return finding(
            case,
            f"`{case.text(given)}` on line {line(given.value)} keeps one loss for each element, and {code(case, output)}, which is computed from"
            f" them, is {shape or 'no single number'}: `backward` begins at one number. Make one of it here: `.mean()`, or `.sum()`.",
            f"第 {line(given.value)} 行的 `{case.text(given)}` 为每个元素保留一个损失，由它们算出的 {code(case, output)} 的形状是"
            f" {shape or '多个元素'}，而 `backward` 要从一个数开始。请在这里合成一个数：`.mean()` 或 `.sum()`。",
            [mean, _made_one(case, output, "sum")],
            given.value,
        )
    return finding(
        case,
        f"`{case.text(given)}` on line {line(given.value)} keeps one loss for each element, so {code(case, output)} is"
        f" {shape or 'no single number'} and `backward` does not know how much each counts. Take their mean: `.mean()`, or"
        f" leave the argument out.",
        f"第 {line(given.value)} 行的 `{case.text(given)}` 为每个元素保留一个损失，所以 {code(case, output)} 的形状是"
        f" {shape or '多个元素'}，`backward` 不知道各占多少分量。请取平均：`.mean()`，或者去掉这个参数。",
        [mean, away],
        given.value,
    )
