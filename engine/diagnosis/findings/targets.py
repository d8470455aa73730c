"""Losses and their targets, dtypes that do not meet, indices beyond the end."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.beside.listed_inputs import is_trained
from gradflow.engine.diagnosis.findings.causes.births import column_made, made_by
from gradflow.engine.diagnosis.findings.counting.followed import followed
from gradflow.engine.diagnosis.findings.counting.sums import plus
from gradflow.engine.diagnosis.findings.general.sources import birthplace, definition, kind_source_elsewhere
from gradflow.engine.diagnosis.findings.inputs.tables import given_size
from gradflow.engine.diagnosis.findings.kindred.ignored_classes import keeps_zero
from gradflow.engine.diagnosis.findings.layers import maker_of
from gradflow.engine.diagnosis.findings.practice.conditions import by_element
from gradflow.engine.diagnosis.findings.words import ALLOWED, apply, code, finding, line, on_line, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.error_kind import Shape
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Edit, Fix, Span


def pair_of(case: Case) -> tuple[ast.Call, ast.expr, ast.expr, Tensor, Tensor] | None:
    """The call of a loss, its input and its target, and their values."""
    call = case.find(ast.Call)
    if call is None or len(call.args) < 2:
        return None
    flow = Flow(case)
    own, target = flow.tensor(call.args[0]), flow.tensor(call.args[1])
    return (call, call.args[0], call.args[1], own, target) if own is not None and target is not None else None


@finds(errors.TARGET_PROBABILITY_DTYPE)
def _one_hot(case: Case) -> Finding | None:
    """Classes written as rows of ones and zeros."""
    pair = pair_of(case)
    if pair is None:
        return None
    call, _, target, own, _ = pair
    flow = Flow(case)
    for node in flow.behind(target):
        match node:
            case ast.Call(func=ast.Attribute(attr="one_hot") | ast.Name(id="one_hot"), args=[classes, *_]):
                return finding(
                    case,
                    f"{code(case, node)} on line {line(node)} makes a row of ones and zeros of each class, and cross-entropy takes"
                    f" the numbers of the classes themselves. Give it those: `{case.text(classes)}`.",
                    f"第 {line(node)} 行的 {code(case, node)} 把每个类别变成一行 0 和 1，而交叉熵直接接受类别编号。请给它编号："
                    f"`{case.text(classes)}`。",
                    write(case, node, case.text(classes), case.statement(node)),
                    node,
                )
    whole = isinstance(target, ast.Call) and getattr(target.func, "attr", "") in ("long", "int")
    place, place_zh, made = birthplace(case, target)
    return finding(
        case,
        f"{code(case, target)} has the shape of the scores, {Shape(own.shape)}, so it is read as probabilities, which must be"
        f" floats; it holds whole numbers{_made_by(case, made, place)}. Convert it: `.float()`.",
        f"{code(case, target)} 的形状与得分相同（{Shape(own.shape)}），因此被当作概率，而概率必须是浮点数；它存的是整数{_made_by_zh(case, made, place_zh)}。请转换："
        f"`.float()`。",
        case.fix(
            case.without_tail(target) if whole and isinstance(target, ast.Call) else case.followed(target, ".float()"),
            call,
        ),
        made,
    )


def _made_by(case: Case, made: ast.expr | None, place: str) -> str:
    return f", made by {code(case, made)}{place}" if made is not None else ""


def _made_by_zh(case: Case, made: ast.expr | None, place: str) -> str:
    return f"，由 {code(case, made)}{place} 得到" if made is not None else ""


@finds(errors.RESULT_CAST, errors.FOUND_DTYPE)
def _whole_targets(case: Case) -> Finding | None:
    """Whole numbers as the target of a loss that computes with floats."""
    pair = pair_of(case)
    if pair is None or pair[4].dtype.is_floating_point or not pair[3].dtype.is_floating_point:
        return None
    call, _, target, _, value = pair
    place, place_zh, made = birthplace(case, target)
    return finding(
        case,
        f"The target {code(case, target)} is `{value.dtype}`{_made_by(case, made, place)}, and this loss"
        f" computes with floats. Convert it: `{case.operand(target)}.float()`.",
        f"目标 {code(case, target)} 是 `{value.dtype}`{_made_by_zh(case, made, place_zh)}，而这个损失要用浮点数计算。请转换："
        f"`{case.operand(target)}.float()`。",
        case.fix(case.followed(target, ".float()"), call),
        made,
    )


def _made(case: Case, node: ast.expr) -> ast.expr | None:
    return case.assignment(node.id, unpacked=True) if isinstance(node, ast.Name) else None


@finds(errors.TARGET_DTYPE, errors.TARGET_RANGE, errors.TARGET_MULTI)
def _classes(case: Case) -> Finding | None:
    """A target of class numbers: their dtype, their range, their shape."""
    pair = pair_of(case)
    if pair is None:
        return None
    call, own, target, scores, value = pair
    classes = int(scores.shape[1]) if scores.dim() > 1 else int(scores.shape[0])
    made = _made(case, target)
    place, place_zh = on_line(made)
    if value.dim() == 2 and value.shape[1] == 1:
        if (column := column_made(case, target)) is not None and column is not made:
            made = column
            place, place_zh = made_by(case, target, column)
        return finding(
            case,
            f"{code(case, target)}{place} is a column of shape {Shape(value.shape)}, and the loss takes one class number for each"
            f" sample, shape [{value.shape[0]}]. Take the dimension away: `.squeeze(1)`.",
            f"{code(case, target)}{place_zh} 是形状为 {Shape(value.shape)} 的一列，而损失要求每个样本一个类别编号，形状为"
            f" [{value.shape[0]}]。请去掉这一维：`.squeeze(1)`。",
            case.fix(
                case.followed(target, ".squeeze(1)" if not value.dtype.is_floating_point else ".squeeze(1).long()"),
                call,
            ),
            made,
        )
    if value.dtype.is_floating_point:
        if value.shape == scores.shape:
            return None
        if made is None and (source := kind_source_elsewhere(case, target)) is not None:
            made = source
            place = f" (from {code(case, made)} on line {line(made)})"
            place_zh = f"（来自第 {line(made)} 行的 {code(case, made)}）"
        return finding(
            case,
            f"{code(case, target)}{place} holds floats, and class numbers are whole numbers. Convert it: `.long()`.",
            f"{code(case, target)}{place_zh} 存的是浮点数，而类别编号应是整数。请转换：`.long()`。",
            case.fix(case.followed(target, ".long()"), call),
            made,
        )
    if case.details.get("dtype"):
        return finding(
            case,
            f"{code(case, target)}{place} is `{value.dtype}`, and class numbers are `torch.int64`. Convert it: `.long()`.",
            f"{code(case, target)}{place_zh} 是 `{value.dtype}`，而类别编号应是 `torch.int64`。请转换：`.long()`。",
            case.fix(case.followed(target, ".long()"), call),
            made,
        )
    if not value.numel() or value.dim() > 1 or keeps_zero(case):
        return None
    low, high = int(value._a.min()), int(value._a.max())
    if low > 0 and high - low + 1 == classes:
        text = f"{case.text(target)} - {low}"
        place, place_zh, made = birthplace(case, target)
        from_zh = place_zh if made is None else f"（来自第 {line(made)} 行的 {code(case, made)}）"
        return finding(
            case,
            f"{code(case, target)}{_made_by(case, made, place)}{'' if made is None else ','} counts its classes from {low} to {high}, and there are {classes} scores, numbered from 0"
            f" to {classes - 1}. Count from 0: `{text}`.",
            f"{code(case, target)}{from_zh} 的类别从 {low} 数到 {high}，而 {classes} 个得分的编号是 0 到 {classes - 1}。请从 0 数："
            f"`{text}`。",
            case.fix(case.replace(target, text), call),
            made,
        )
    if high >= classes:
        return _more_outputs(case, own, target, classes, high)
    return None


def _more_outputs(case: Case, own: ast.expr, target: ast.expr, classes: int, high: int) -> Finding:
    """The last layer has fewer outputs than there are classes."""
    layers = [
        one
        for held in case.values.values()
        if isinstance(held, Layer)
        for one in held.modules()
        if type(one).__name__ == "Linear" and getattr(one, "out_features", None) == classes
    ]
    made = maker_of(case, layers[-1]) if len({id(one) for one in layers}) == 1 else None
    last = made.args[1] if made is not None and len(made.args) > 1 else None
    where = (
        f" {code(case, made)} on line {line(made)} makes {classes} score{'s' * (classes != 1)} for each sample,"
        if made is not None
        else ""
    )
    where_zh = f"第 {line(made)} 行的 {code(case, made)} 为每个样本给出 {classes} 个得分，" if made is not None else ""
    return finding(
        case,
        f"The target {code(case, target)} has the class {high}.{where or f' There are {classes} scores for each sample,'} for the"
        f" class{f'es 0 to {classes - 1}' if classes > 1 else ' 0'}. Make the last layer with {high + 1} outputs.",
        f"目标 {code(case, target)} 里有类别 {high}。{where_zh or f'每个样本有 {classes} 个得分，'}对应类别 0 到 {classes - 1}。请让最后一层有"
        f" {high + 1} 个输出。",
        write(case, last, str(high + 1), made) if isinstance(last, ast.Constant) else None,
        made,
    )


def tested(case: Case) -> ast.expr | None:
    """The condition at the error; where that is a whole statement, what it tests."""
    statement = case.find(ast.If) or case.find(ast.While)
    return statement.test if statement is not None else case.find(ast.expr)


@finds(errors.BOOL_AMBIGUOUS)
def _branch(case: Case) -> Finding | None:
    """``if x > 0: return a`` / ``else: return b`` for each element."""
    node = tested(case)
    statement = case.statement(node) if node is not None else None
    if not isinstance(statement, ast.If) or node is None or statement.test is not node:
        return None
    text, fix = chosen_by_element(case, statement)
    if fix is None:
        return None
    return finding(
        case,
        f"{code(case, node)} is true for some elements and false for others, and `if` needs one answer for all. Choose element"
        f" by element: `{text}`.",
        f"{code(case, node)} 对一些元素为真，对另一些为假，而 `if` 只要一个答案。请逐个元素选择：`{text}`。",
        fix,
    )


def chosen_by_element(case: Case, statement: ast.If) -> tuple[str, Fix | None]:
    """``torch.where`` in the place of two branches, and the change, where each branch gives one value."""
    body, other = _result(statement.body), _result(statement.orelse) or _next(case, statement)
    torch, _ = case.with_torch()
    test = by_element(case, statement.test)
    fix, text = None, f"{torch}.where({test}, ..., ...)"
    if body is not None and other is not None and body[0] == other[0]:
        text = f"{torch}.where({test}, {case.text(body[1])}, {case.text(other[1])})"
        fix = _chosen(case, statement, f"{body[0]}{text}", other[2])
    return text, fix


_Result = tuple[str, ast.expr, ast.stmt]


def _result(body: list[ast.stmt]) -> _Result | None:
    match body:
        case [ast.Return(value=ast.expr() as value) as one]:
            return "return ", value, one
        case [ast.Assign(targets=[ast.Name(id=name)], value=value) as one]:
            return f"{name} = ", value, one
    return None


def _next(case: Case, statement: ast.If) -> _Result | None:
    """What is returned where the condition does not hold."""
    parent = case.parents.get(statement)
    body = getattr(parent, "body", [])
    at = body.index(statement) if statement in body else -1
    return _result(body[at + 1 : at + 2]) if not statement.orelse and at >= 0 else None


def _chosen(case: Case, statement: ast.If, text: str, last: ast.stmt) -> Fix | None:
    """A statement up to another one, replaced."""
    span, end = case.program.span_of(statement), case.program.span_of(last)
    if span is None or end is None:
        return None
    edit = Edit(Span(span.line, span.column, end.end_line, end.end_column), text)
    return apply(
        case,
        [edit],
        f"`{text}`" if len(text) < 70 else "Choose with `torch.where`",
        f"`{text}`" if len(text) < 70 else "用 `torch.where` 选择",
    )


@finds(errors.BOOL_AMBIGUOUS)
def _whole_condition(case: Case) -> Finding | None:
    """``if mask``: of all elements, or of one of them."""
    node = tested(case)
    parent = case.parents.get(node) if node is not None else None
    if (
        node is None
        or not isinstance(parent, ast.If | ast.While | ast.Assert | ast.IfExp)
        or parent.test is not node
        or isinstance(node, ast.BoolOp | ast.UnaryOp)
    ):
        return None
    held = Flow(case).tensor(node)
    if held is not None and not held.numel():
        return None
    equal = isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq)
    order = ("all", "any") if equal else ("any", "all")
    text = case.text(node) if isinstance(node, ast.Name | ast.Call | ast.Attribute) else f"({case.text(node)})"
    return finding(
        case,
        f"{code(case, node)} has an answer for each element, and a condition needs one. Say which: `{text}.all()` if it must hold"
        f" for every element, `{text}.any()` if one is enough.",
        f"{code(case, node)} 对每个元素各有一个答案，而条件只要一个。请说明：要求每个元素都成立写 `{text}.all()`，只要有一个成立写"
        f" `{text}.any()`。",
        [case.fix(case.followed(node, f".{one}()"), node) for one in order],
    )


@finds(errors.UNUSED_INPUT)
def _not_used(case: Case) -> Finding | None:
    """The gradient of something that the output was not computed from."""
    call, index = case.find(ast.Call), case.details.get("index")
    if call is None or len(call.args) < 2:
        return None
    wanted = call.args[1].elts if isinstance(call.args[1], ast.Tuple | ast.List) else [call.args[1]]
    if not isinstance(index, int) or index >= len(wanted):
        return None
    output, lost = call.args[0], wanted[index]
    names = [code(case, one) for one in Flow(case).behind(output) if isinstance(one, ast.Name) and _is_leaf(case, one)]
    used = ", ".join(dict.fromkeys(name for name in names if name != code(case, lost)))
    others = f"; it was computed from {used}" if used else ""
    others_zh = f"；它是由 {used.replace(', ', '、')} 算出来的" if used else ""
    also, also_zh = ALLOWED if len(wanted) > 1 else ("", "")
    return finding(
        case,
        f"{code(case, output)} was not computed from {code(case, lost)}{others}, so there is no path between the two. Ask for the"
        f" gradient of what was used, or use {code(case, lost)} on the way to the output{also}.",
        f"{code(case, output)} 不是由 {code(case, lost)} 算出来的{others_zh}，两者之间没有路径。请求真正用到的张量的梯度，或者在通往输出的"
        f"计算中使用 {code(case, lost)}{also_zh}。",
        None if len(wanted) > 1 and not is_trained(case, call, case.value(lost)) else (),
    )


def _is_leaf(case: Case, node: ast.expr) -> bool:
    value = case.value(node)
    return isinstance(value, Tensor) and value.requires_grad and value.grad_fn is None


@finds(errors.HOOK_TYPE, errors.HOOK_RESULT)
def _hook(case: Case) -> Finding | None:
    """A hook that gives back what is no gradient."""
    calls = [one for one in case.nodes(ast.Call) if getattr(one.func, "attr", "") == "register_hook" and one.args]
    if len(calls) != 1:
        return None
    given = calls[0].args[0]
    body = given.body if isinstance(given, ast.Lambda) else None
    functions = [one for one in case.nodes(ast.FunctionDef) if isinstance(given, ast.Name) and one.name == given.id]
    if body is None and functions:
        results = [
            one.value for one in ast.walk(functions[-1]) if isinstance(one, ast.Return) and one.value is not None
        ]
        body = results[-1] if results else None
    if body is None:
        return None
    fix = case.fix(case.wrapped(body, "print(", ")"), case.statement(body)) if isinstance(given, ast.Lambda) else None
    return finding(
        case,
        f"The hook of line {line(calls[0])} returns {code(case, body)} (line {line(body)}), and what a hook returns takes the"
        f" place of the gradient: it must be a tensor of the same shape, or nothing. To look at a value, print it.",
        f"第 {line(calls[0])} 行的钩子返回了 {code(case, body)}（第 {line(body)} 行），而钩子的返回值会取代梯度：必须是形状相同的张量，或者什么都"
        f"不返回。只想看数值请把它打印出来。",
        fix,
        body,
    )


_FEW = 3
"""Rows that a count can lack: for padding, for what is unknown, or because numbers begin at 1."""


@finds(errors.EMBEDDING_RANGE)
def _table_too_small(case: Case) -> Finding | None:
    """An index beyond the rows of an embedding."""
    call, flow = case.find(ast.Call), Flow(case)
    layer = case.value(call.func) if call is not None else None
    given = flow.tensor(call.args[0]) if call is not None and call.args else None
    if call is None or not isinstance(layer, Layer) or given is None or not given.numel():
        return None
    tables, high = [one for one in layer.modules() if type(one).__name__ == "Embedding"], int(given._a.max())
    made = maker_of(case, tables[0]) if len(tables) == 1 else None
    if made is None or not made.args or high < tables[0].num_embeddings:
        return None
    rows, more = tables[0].num_embeddings, high + 1 - tables[0].num_embeddings
    size = definition(case, made.args[0])
    if isinstance(size, ast.Constant) and isinstance(made.args[0], ast.Name) and size.value == rows:
        return given_size(case, call.args[0], made, size, (high, rows))
    listed = isinstance(made.args[0], ast.Name) and any(path for _, path in followed(case, made.args[0]))
    if not isinstance(size, ast.Constant) and size is not made.args[0] and more <= _FEW and not listed:
        text = plus(case, size, more)
        return finding(
            case,
            f"{code(case, call.args[0])} has the index {high}, and {code(case, made)} on line {line(made)} has the rows 0 to {rows - 1}, for"
            f" {code(case, size)} on line {line(size)} counts {rows}. The indices need {high + 1}: `{text}`.",
            f"{code(case, call.args[0])} 里有下标 {high}，而第 {line(made)} 行的 {code(case, made)} 只有第 0 到 {rows - 1} 行，因为第 {line(size)} 行的"
            f" {code(case, size)} 等于 {rows}。这些下标需要 {high + 1} 行：`{text}`。",
            case.fix(case.replace(size, text), case.statement(size)),
            size,
        )
    return finding(
        case,
        f"{code(case, call.args[0])} has the index {high}, and {code(case, made)} on line {line(made)} has the rows 0 to"
        f" {rows - 1}. Make it with {high + 1} rows at least, one for each index that there can be.",
        f"{code(case, call.args[0])} 里有下标 {high}，而第 {line(made)} 行的 {code(case, made)} 只有第 0 到 {rows - 1} 行。请至少创建"
        f" {high + 1} 行，每个可能的下标一行。",
        write(case, made.args[0], str(high + 1), made) if not listed else (),
        made,
    )
