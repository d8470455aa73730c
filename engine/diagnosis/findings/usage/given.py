"""What models and functions are given: too much, joined already, as one number where a size is taken."""

from __future__ import annotations

import ast
import re
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.elsewhere.layers_in_turn import each_takes_all
from gradflow.engine.diagnosis.findings.general.calls import definition_of
from gradflow.engine.diagnosis.findings.general.sources import definition, shape_at
from gradflow.engine.diagnosis.findings.layers import maker_of
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import mistakes
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.trace import Edit, Span


@finds(mistakes.NEEDS_SELF)
def _data_beside(case: Case) -> Finding | None:
    """``net(x, c)`` of a row of layers: the data of each sample stand in one tensor."""
    call = case.find(ast.Call)
    model = case.value(call.func) if call is not None else None
    if call is None or not isinstance(model, Layer) or len(call.args) < 2 or definition_of(case) is not None:
        return None
    if (each := each_takes_all(case, call, model)) is not None:
        return each
    shapes = [shape_at(case, one) for one in call.args]
    known = [one for one in shapes if one is not None]
    if len(known) != len(shapes):
        return None
    sizes = [
        getattr(one, word) for one in model.modules() for word in ("in_features", "in_channels") if hasattr(one, word)
    ]
    widths = [one[-1] for one in known if one]
    torch, imports = case.with_torch()
    listed = ", ".join(case.text(one) for one in call.args)
    joined = f"{torch}.cat([{listed}], dim=-1)"
    alike = len({one[:-1] for one in known}) == 1 and len(widths) == len(known)
    fits = bool(sizes) and alike and sizes[0] == sum(widths)
    takes, takes_zh = (
        (f", which take {sizes[0]} numbers for each sample,", f"（每个样本取 {sizes[0]} 个数）") if sizes else ("", "")
    )
    given = " and ".join(f"{code(case, one)} {list(shape)}" for one, shape in zip(call.args, known, strict=True))
    given_zh = "、".join(f"{code(case, one)} {list(shape)}" for one, shape in zip(call.args, known, strict=True))
    if fits:
        return finding(
            case,
            f"{code(case, call.func)} hands one tensor through its layers{takes} and is given {len(known)}: {given}. Join them side by"
            f" side, {' + '.join(map(str, widths))} ="
            f" {sum(widths)}: `{joined}`.",
            f"{code(case, call.func)} 让一个张量依次通过各层{takes_zh}，而这里给了 {len(known)} 个：{given_zh}。请把它们左右拼接，"
            f"{' + '.join(map(str, widths))} = {sum(widths)}：`{joined}`。",
            case.fix([*case.replace(call, f"{case.text(call.func)}({joined})"), *imports], call),
            call,
        )
    made = maker_of(case, model)
    where, where_zh = (f" (line {line(made)})", f"（第 {line(made)} 行）") if made is not None else ("", "")
    return finding(
        case,
        f"{code(case, call.func)}{where} takes one tensor, and is given {len(known)}: {given}. Join them before, `{joined}`, and"
        " make its first layer for that; or write a"
        f" module of your own whose `forward` takes them all.",
        f"{code(case, call.func)}{where_zh} 只接受一个张量，而这里给了 {len(known)} 个：{given_zh}。请先把它们拼接 `{joined}`，"
        "并按此创建第一层；或者自己写一个模块，让它的 `forward` 接收所有这些张量。",
        (),
        call,
    )


@finds(errors.MISSING_PYTHON_ARGUMENT)
def _joined_already(case: Case) -> Finding | None:
    """``model(torch.cat([x, t], 1))`` of ``forward(self, x, t)``."""
    call, function = case.find(ast.Call), definition_of(case)
    if call is None or function is None or len(call.args) != 1 or call.keywords:
        return None
    given = definition(case, call.args[0])
    match given:
        case ast.Call(args=[ast.List(elts=parts) | ast.Tuple(elts=parts), *_]) if called(given) in (
            "cat",
            "concat",
            "stack",
            "hstack",
            "concatenate",
        ):
            pass
        case _:
            return None
    names = [one.arg for one in function.args.args if one.arg not in ("self", "cls")]
    needed = len(names) - len(function.args.defaults)
    if not needed <= len(parts) <= len(names):
        return None
    inside = ", ".join(case.text(one) for one in parts)
    text = f"{case.text(call.func)}({inside})"
    return finding(
        case,
        f"`{function.name}` on line {line(function)} takes {', '.join(f'`{one}`' for one in names)} one by one, and"
        f" {code(case, call.args[0])} gives them joined into one tensor. Give each by itself:"
        f" `{text}`.",
        f"第 {line(function)} 行的 `{function.name}` 要逐个接收 {'、'.join(f'`{one}`' for one in names)}，而"
        f" {code(case, call.args[0])} 把它们拼成了一个张量。请分别给出：`{text}`。",
        write(case, call, text),
        call,
    )


_SIZED: Final = {
    "randint": (2, "size"),
    "normal": (2, "size"),
    "full": (0, "size"),
    "new_full": (0, "size"),
    "broadcast_to": (1, "size"),
    "tile": (1, "dims"),
}


@finds(errors.INVALID_COMBINATION, errors.ARGUMENT_TYPE)
def _number_for_size(case: Case) -> Finding | None:
    """``torch.randint(0, 5, 10)``: the size is a tuple, also of one number."""
    call = case.find(ast.Call)
    at, word = _SIZED.get(called(call), (-1, "")) if call is not None else (-1, "")
    if call is None or not word:
        return None
    named = next((one.value for one in call.keywords if one.arg == word), None)
    spread = call.args[at:] if named is None else [named]
    if called(call) in ("full", "new_full"):
        spread = spread[:1]
    if not spread or not all(type(case.value(one)) is int for one in spread):
        return None
    text = f"({', '.join(case.text(one) for one in spread)}{',' if len(spread) == 1 else ''})"
    first, last = case.program.span_of(spread[0]), case.program.span_of(spread[-1])
    if first is None or last is None:
        return None
    edits = [*case.before(spread[0], "("), *case.after(spread[-1], ",)" if len(spread) == 1 else ")")]
    fix = case.fix(edits, call)
    return finding(
        case,
        f"`{called(call)}` takes the size of the tensor as a tuple, also where it has one dimension, and {code(case, spread[0])}"
        f" is a number. Put it in brackets: `{text}`.",
        f"`{called(call)}` 的大小要用元组给出，只有一维时也是如此，而 {code(case, spread[0])} 是一个数。请加上括号：`{text}`。",
        fix,
        spread[0],
    )


@finds(errors.DERIVATIVE_VALUE)
def _in_dims(case: Case) -> Finding | None:
    """``vmap(f, in_dims=(None, 0))`` of three arguments."""
    if "in_dims is not compatible" not in str(case.details.get("message", "")):
        return None
    maps = [
        one
        for one in case.nodes(ast.Call)
        if called(one) == "vmap" and any(word.arg == "in_dims" for word in one.keywords)
    ]
    made = maps[-1] if maps else None
    given = next((word.value for word in made.keywords if word.arg == "in_dims"), None) if made is not None else None
    call = case.find(ast.Call)
    if made is None or not isinstance(given, ast.Tuple) or call is None:
        return None
    count = len(call.args)
    if not count or count == len(given.elts):
        return None
    shapes = [f"{code(case, one)} {list(shape)}" for one in call.args if (shape := shape_at(case, one)) is not None]
    return finding(
        case,
        f"`in_dims` on line {line(given)} says for {len(given.elts)} arguments which of their dimensions is gone through, and"
        f" {count} are given ({', '.join(shapes)}). Give one entry for each:"
        f" `0` for what has a sample in every row, `None` for what is the same for all.",
        f"第 {line(given)} 行的 `in_dims` 说明了 {len(given.elts)} 个参数各沿哪一维取样本，而这里给了 {count}"
        f" 个参数（{'、'.join(shapes)}）。请每个参数写一项：`0` 表示每行是一个样本，`None` 表示"
        f"对所有样本都一样。",
        (),
        given,
    )


@finds(errors.LOSS_REFUSED)
def _column_for_signs(case: Case) -> Finding | None:
    """``CosineEmbeddingLoss()(a, b, y)`` of a column of signs."""
    call = case.find(ast.Call)
    given = call.args[-1] if call is not None and len(call.args) > 2 else None
    shape = shape_at(case, given) if given is not None else None
    if (
        call is None
        or given is None
        or shape is None
        or len(shape) != 2
        or shape[1] != 1
        or "target" not in str(case.details.get("message", ""))
    ):
        return None
    made = definition(case, given)
    where, where_zh = (f" (line {line(made)})", f"（第 {line(made)} 行）") if line(made) != line(call) else ("", "")
    return finding(
        case,
        f"The target {code(case, given)}{where} is a column of shape {list(shape)}, and this loss takes one number for each pair,"
        f" shape [{shape[0]}]. Take the dimension away: `.squeeze(1)`.",
        f"目标 {code(case, given)}{where_zh} 是形状 {list(shape)} 的一列，而这个损失要求每一对一个数，形状为 [{shape[0]}]。"
        "请去掉这一维：`.squeeze(1)`。",
        case.fix(case.followed(given, ".squeeze(1)"), call),
        made,
    )


@finds(errors.VARIANCE_NEGATIVE)
def _raw_variance(case: Case) -> Finding | None:
    """``GaussianNLLLoss()(mu, y, var)`` of what a layer gave."""
    call = case.find(ast.Call)
    given = (
        next((one.value for one in call.keywords if one.arg == "var"), call.args[2] if len(call.args) > 2 else None)
        if call is not None
        else None
    )
    held = Flow(case).tensor(given) if given is not None else None
    if call is None or given is None or held is None:
        return None
    torch, imports = case.with_torch()
    text = f"{torch}.nn.functional.softplus({case.text(given)})"
    low = f"{float(held._a.min()):.4g}"
    made = definition(case, given)
    where, where_zh = (f" (line {line(made)})", f"（第 {line(made)} 行）") if line(made) != line(call) else ("", "")
    raw = held.requires_grad
    return finding(
        case,
        f"{code(case, given)}{where} is the variance and goes down to {low}; a variance is never negative"
        f"{', and what a layer gives can be any number. Make it positive: `' + text + '`' if raw else '. Give the squares of the deviations'}.",
        f"{code(case, given)}{where_zh} 是方差，最小的是 {low}；"
        f"方差不能为负{'，而层的输出可以是任何数。请让它为正：`' + text + '`' if raw else '。请给出偏差的平方'}。",
        case.fix([*case.replace(given, text), *imports], call) if raw else (),
        given,
    )


_OUTSIDE: Final = re.compile(
    r"Expected value argument .* to be within the support \((.*)\) of the distribution (\w+)", re.DOTALL
)


@finds(errors.MODULE_ARGUMENT)
def _outside_support(case: Case) -> Finding | None:
    """``Beta(2, 3).log_prob(1.5)``."""
    call, told = case.find(ast.Call), _OUTSIDE.search(str(case.details.get("message", "")))
    if call is None or told is None or not call.args:
        return None
    given = call.args[0]
    held, value = Flow(case).tensor(given), case.value(given)
    bounds = dict(re.findall(r"(\w+)=(\S+?)[,)]", told[1] + ")"))
    low, high = bounds.get("lower_bound"), bounds.get("upper_bound")
    kind = told[1].partition("(")[0]
    what = (
        f"between {low} and {high}"
        if low and high
        else f"greater than {low}"
        if low
        else {
            "Boolean": "0 or 1",
            "NonnegativeInteger": "whole numbers from 0 on",
            "Simplex": "not negative and adding up to 1",
        }.get(kind, f"in `{told[1]}`")
    )
    what_zh = (
        f"在 {low} 和 {high} 之间"
        if low and high
        else f"大于 {low}"
        if low
        else {"Boolean": "是 0 或 1", "NonnegativeInteger": "是从 0 开始的整数", "Simplex": "非负且相加为 1"}.get(
            kind, f"属于 `{told[1]}`"
        )
    )
    span = (
        f"from {float(held._a.min()):.4g} to {float(held._a.max()):.4g}"
        if held is not None and held.numel() > 1
        else f"{float(held._a):.4g}"
        if held is not None
        else repr(value)
    )
    spread = span.startswith("from ")
    span_zh = f"的取值从 {span.removeprefix('from ').replace(' to ', ' 到 ')}" if spread else f"是 {span}"
    made = definition(case, given)
    where, where_zh = (f" (line {line(made)})", f"（第 {line(made)} 行）") if line(made) != line(call) else ("", "")
    return finding(
        case,
        f"{code(case, given)}{where} is {span}, and the values of `{told[2]}` are {what}: outside of that there is no probability."
        " Bring the values there first, for example by scaling"
        f" them or with `.clamp(...)`, or choose a distribution that has them.",
        f"{code(case, given)}{where_zh} {span_zh}，而 `{told[2]}` 的取值{what_zh}：在此之外没有概率。请先把值变到这个范围，"
        "例如缩放或用 `.clamp(...)`，或者选择包含这些值的分布。",
        (),
        made,
    )


@finds(errors.MODULE_RUNTIME)
def _unscaled_twice(case: Case) -> Finding | None:
    """``scaler.unscale_(opt)`` a second time before ``update``."""
    message = str(case.details.get("message", ""))
    call = case.find(ast.Call)
    if call is None or (
        "unscale_() has already been called" not in message
        and "unscale_() is being called after step()" not in message
        and "step() has already been called" not in message
    ):
        return None
    name = called(call)
    before = [
        one for one in case.nodes(ast.Call) if called(one) == name and one is not call and line(one) <= line(call)
    ]
    first = before[-1] if before else None
    owner = case.text(call.func).rpartition(".")[0]
    if first is not None and line(first) != line(call):
        return finding(
            case,
            f"{code(case, first)} on line {line(first)} has done that already in this step, and once is all that is allowed until"
            f" `{owner}.update()`. Leave {code(case, call)} on line"
            f" {line(call)} out.",
            f"第 {line(first)} 行的 {code(case, first)} 在这一步里已经做过了，在 `{owner}.update()` 之前只允许一次。请去掉第"
            f" {line(call)} 行的 {code(case, call)}。",
            apply(
                case, _without_line(case, case.statement(call)), f"Without line {line(call)}", f"去掉第 {line(call)} 行"
            )
            or (),
            call,
        )
    return finding(
        case,
        f"{code(case, call)} was done before, and once is all that is allowed until `{owner}.update()`. Call `{owner}.update()` at"
        " the end of each step.",
        f"{code(case, call)} 之前已经做过，在 `{owner}.update()` 之前只允许一次。请在每一步的末尾调用 `{owner}.update()`。",
        (),
        call,
    )


def _without_line(case: Case, statement: ast.stmt | None) -> list[Edit]:
    span = case.program.span_of(statement) if statement is not None else None
    if statement is None or span is None or span.line != span.end_line:
        return []
    block = getattr(case.parents.get(statement), "body", [])
    if len(block) < 2 or case.line(span.line).strip() != case.text(statement):
        return []
    return [Edit(Span(span.line, 0, span.line + 1, 0), "")]
