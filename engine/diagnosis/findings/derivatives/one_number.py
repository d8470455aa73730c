"""A function that is differentiated and gives no single number: ``grad(f)``, ``vmap(grad(f))``, ``hessian(f, x)``."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.origins.unreduced import Unreduced, unreduced
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, returned
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Fix

_GRADIENTS: Final = ("grad", "grad_and_value")
_DIMENSIONS: Final = re.compile(r"got tensor with (\d+) dims")
_MOST: Final = 40


def differentiating(case: Case, call: ast.Call) -> ast.Call:
    """The call that makes the derivative: ``grad(f)`` of ``vmap(grad(f))(x)``, of ``step = grad(f)`` and ``step(x)``."""
    if called(call) in _GRADIENTS and not isinstance(call.func, ast.Call):
        return call
    for count, one in enumerate(Flow(case).behind(call.func)):
        if isinstance(one, ast.Call) and called(one) in _GRADIENTS and one.args:
            return one
        if count > _MOST:
            break
    made = case.assignment(call.func.id) if isinstance(call.func, ast.Name) else call.func
    return made if isinstance(made, ast.Call) else call


def function_given(case: Case, given: ast.expr) -> ast.FunctionDef | ast.Lambda | None:
    """The function of the program that an argument names: itself, a method, or what ``partial`` is given."""
    match given:
        case ast.Lambda():
            return given
        case ast.Call(args=[first, *_]) if called(given) == "partial":
            return function_given(case, first)
        case ast.Name(id=name) | ast.Attribute(attr=name):
            defined = [one for one in case.nodes(ast.FunctionDef) if one.name == name]
            if defined:
                return defined[-1]
            made = case.assignment(name) if isinstance(given, ast.Name) else None
            return function_given(case, made) if isinstance(made, ast.Lambda | ast.Call) else None
    return None


@finds(errors.DERIVATIVE_CALL)
def _not_one_number(case: Case) -> Finding | None:
    """``hessian`` of a function that gives several numbers."""
    call = case.find(ast.Call)
    told = str(case.details.get("message"))
    if call is None or ("should contain a single element" not in told and "to return a scalar Tensor" not in told):
        return None
    call = differentiating(case, call)
    if not call.args:
        return None
    given = call.args[0]
    function = function_given(case, given)
    results = returned(function) if function is not None else []
    if not results:
        return _of_derivative(case, call, given) or _generally(case, call, given, None)
    result = results[-1]
    losses = unreduced(case, result)
    if losses is not None:
        return _losses_apart(case, call, given, result, losses)
    held = Flow(case).tensor(result)
    if _DIMENSIONS.search(told) and (found := _one_kept(case, call, given, result, held)) is not None:
        return found
    return _generally(case, call, given, result)


def _losses_apart(case: Case, call: ast.Call, given: ast.expr, result: ast.expr, losses: Unreduced) -> Finding | None:
    """``reduction="none"`` in what the function computes."""
    keyword, owner = losses.keyword, losses.owner
    if keyword is None or owner is None:
        return None
    option = f"`{case.text(keyword)}`"
    away = case.fix(case.without_argument(owner, keyword), owner) if losses.plain else None
    mean = _added_up(case, result, "mean")
    back, back_zh = "", ""
    if line(result) != line(keyword.value):
        back = f" Line {line(result)} gives {code(case, result)} back as it is."
        back_zh = f"第 {line(result)} 行把 {code(case, result)} 原样返回。"
    what, what_zh = "Take their mean: `.mean()`", "请取平均：`.mean()`"
    if away is not None:
        what = f"Leave {option} out; the loss is then the mean, one number"
        what_zh = f"请去掉 {option}，这样损失就是平均值，即一个数"
    return finding(
        case,
        f"{_named(call)} differentiates a function that gives one number, a tensor without dimensions, and {option} on line"
        f" {line(keyword.value)} keeps one loss for each sample, so {code(case, given)} gives a vector, even for a single sample.{back} {what}.",
        f"{_named(call)} 只对给出一个数（没有维度的张量）的函数求导，而第 {line(keyword.value)} 行的 {option} 为每个样本保留一个损失，所以即使只有一个样本，"
        f"{code(case, given)} 给出的也是向量。{back_zh}{what_zh}。",
        [away, mean] if away is not None else [mean, _added_up(case, result, "sum")],
        keyword.value,
    )


def _one_kept(case: Case, call: ast.Call, given: ast.expr, result: ast.expr, held: Tensor | None) -> Finding | None:
    """One number in a tensor that still has a dimension: ``keepdim=True``, the output of a layer."""
    kept = [
        (one, each)
        for one in _made_by(case, result)
        if isinstance(one, ast.Call)
        for each in one.keywords
        if each.arg == "keepdim" and case.value(each.value) is True
    ]
    if kept and (held is None or held.numel() == 1 or held.dim() > 1):
        owner, keyword = kept[0]
        return finding(
            case,
            f"{_named(call)} differentiates a function that gives one number, a tensor without dimensions, and `{case.text(keyword)}` in"
            f" {code(case, owner)} on line {line(owner)} keeps a dimension of size 1, so {code(case, given)} gives a vector of one number. Leave"
            f" `{case.text(keyword)}` out.",
            f"{_named(call)} 只对给出一个数（没有维度的张量）的函数求导，而第 {line(owner)} 行的 {code(case, owner)} 里的 `{case.text(keyword)}` 保留了大小为 1"
            f" 的维度，所以 {code(case, given)} 给出的是只含一个数的向量。请去掉 `{case.text(keyword)}`。",
            [case.fix(case.without_argument(owner, keyword), owner), _squeezed(case, result)],
            keyword,
        )
    if held is None or held.numel() != 1 or not held.dim():
        return None
    return finding(
        case,
        f"{_named(call)} differentiates a function that gives one number, a tensor without dimensions, and {code(case, given)} gives"
        f" {code(case, result)} on line {line(result)}, one number in a tensor of shape {list(held.shape)}. Take that dimension away: `.squeeze()`.",
        f"{_named(call)} 只对给出一个数（没有维度的张量）的函数求导，而 {code(case, given)} 在第 {line(result)} 行给出的 {code(case, result)} 虽然只有一个数，形状却是"
        f" {list(held.shape)}。请去掉这一维：`.squeeze()`。",
        _squeezed(case, result),
        result,
    )


def _made_by(case: Case, result: ast.expr) -> Sequence[ast.expr]:
    """The expression that is given back and what it is directly made of; of a name what it was given."""
    parts = [result]
    if isinstance(result, ast.Name):
        parts += list(Flow(case).assigned(result, result.id))[:1]
    return [each for one in parts for each in ast.walk(one) if isinstance(each, ast.expr)]


def _of_derivative(case: Case, call: ast.Call, given: ast.expr) -> Finding | None:
    """``grad(grad(f))`` of a function of a vector: the first derivative has as many numbers as that."""
    made = case.assignment(given.id) if isinstance(given, ast.Name) else given
    if not isinstance(made, ast.Call) or called(made) not in _GRADIENTS or not made.args:
        return None
    torch, imports = case.with_torch()
    text = f"{torch}.func.hessian({case.text(made.args[0])})"
    plain = not made.keywords and not call.keywords and len(made.args) == len(call.args) == 1
    return finding(
        case,
        f"{_named(call)} differentiates a function that gives one number, and {code(case, made)} gives the first derivative, which has as many"
        f" numbers as what {code(case, made.args[0])} is given. All second derivatives are a matrix: `{text}`.",
        f"{_named(call)} 只对给出一个数的函数求导，而 {code(case, made)} 给出的是一阶导数，它的个数与 {code(case, made.args[0])} 的输入一样多。全部二阶导数是一个矩阵："
        f"`{text}`。",
        case.fix([*case.replace(call, text), *imports], call) if plain else (),
        call,
    )


def _generally(case: Case, call: ast.Call, given: ast.expr, result: ast.expr | None) -> Finding:
    value = Flow(case).tensor(result) if result is not None else None
    shape, shape_zh = (
        (f", of shape {list(value.shape)}", f"，形状为 {list(value.shape)}") if isinstance(value, Tensor) else ("", "")
    )
    place, place_zh = (f" on line {line(result)}", f"第 {line(result)} 行的") if result is not None else ("", "")
    what = code(case, result) if result is not None else code(case, given)
    return finding(
        case,
        f"{_named(call)} differentiates a function that gives one number, and {what}{place} has several{shape}."
        f" Make one of them: `.mean()`, or `.sum()`; for a vector there is `jacobian`.",
        f"{_named(call)} 只对给出一个数的函数求导，而{place_zh} {what} 有多个数{shape_zh}。"
        f"请合成一个：`.mean()` 或 `.sum()`；对向量请用 `jacobian`。",
        [_added_up(case, result, "mean"), _added_up(case, result, "sum")] if result is not None else (),
        result,
    )


def _named(call: ast.Call) -> str:
    return f"`{called(call)}`"


def _added_up(case: Case, result: ast.expr | None, method: str) -> Fix | None:
    return case.fix(case.followed(result, f".{method}()"), case.statement(result)) if result is not None else None


def _squeezed(case: Case, result: ast.expr) -> Fix | None:
    return case.fix(case.followed(result, ".squeeze()"), case.statement(result))
