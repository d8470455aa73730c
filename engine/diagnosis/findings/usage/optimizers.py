"""Settings of optimizers: pairs, the groups that they are kept in, and the words of another optimizer."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.models.constructed import given_to
from gradflow.engine.diagnosis.findings.usage.keyword_tables import MEANT
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.fixes.calls import parameters_of
from gradflow.engine.errors.language import mistakes, python
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.namespace.optim.optimizer import Optimizer
from gradflow.engine.trace import Edit

_PAIRS: Final = ("betas", "etas", "step_sizes")
_FIRST_RATES: Final = (0.1, 0.99)
_SMALLEST_DECAY: Final = 1e-7
_SETTINGS: Final = {"weight_decay": ("the weight decay", "权重衰减"), "eps": ("`eps`", " `eps`")}


@finds(mistakes.NOT_SUBSCRIPTABLE, mistakes.NOT_ITERABLE, python.TYPE, mistakes.NOT_ENOUGH_VALUES)
def _pair(case: Case) -> Finding | None:
    """``Adam(..., betas=0.9)``."""
    call = case.find(ast.Call)
    held = case.value(call.func) if call is not None else None
    if call is None or not (isinstance(held, type) and issubclass(held, Optimizer)):
        return None
    for name, node in given_to(case, call).items():
        value = case.value(node)
        if name not in _PAIRS or not isinstance(value, int | float):
            continue
        if name == "betas":
            return _betas(case, call, node, float(value))
        text = f"({case.text(node)}, ...)"
        return finding(
            case,
            f"`{name}` of {code(case, call.func)} is a pair of numbers, and {code(case, node)} is one. Give both: `{name}={text}`.",
            f"{code(case, call.func)} 的 `{name}` 是一对数，而 {code(case, node)} 只是一个数。请给出两个：`{name}={text}`。",
            (),
            node,
        )
    return None


def _betas(case: Case, call: ast.Call, node: ast.expr, value: float) -> Finding:
    """One number for both rates; by its place it may be meant for another setting."""
    meant = _other_setting(case, call, node, value) if node in call.args else None
    if meant is not None:
        return _in_place_of_betas(case, call, node, meant)
    following = _following(case, call, node)
    if following is not None and _are_rates(value, case.value(following)):
        return _parted(case, call, node, following)
    known = _FIRST_RATES[0] <= value < 1
    first, second = (case.text(node), "0.999") if value <= _FIRST_RATES[1] else ("0.9", case.text(node))
    text = f"({first}, {second})" if known else "(0.9, 0.999)"
    action, action_zh = ("Give both", "请给出两个") if known else ("The usual ones are", "常用的是")
    return finding(
        case,
        f"`betas` of {code(case, call.func)} is a pair, one rate for the mean of the gradients and one for that of their squares,"
        f" and {code(case, node)} is one number. {action}: `betas={text}`.",
        f"{code(case, call.func)} 的 `betas` 是一对数，一个用于梯度的平均，一个用于梯度平方的平均，而 {code(case, node)}"
        f" 只是一个数。{action_zh}：`betas={text}`。",
        write(case, node, text, call) if known else (),
        node,
    )


def _following(case: Case, call: ast.Call, node: ast.expr) -> ast.expr | None:
    """The argument behind one that is given by its place."""
    at = call.args.index(node) + 1 if node in call.args else len(call.args)
    return next(iter(call.args[at:]), None)


def _are_rates(first: float, second: object) -> bool:
    """Whether two numbers are those of a pair of rates: 0.9 and 0.999."""
    return _FIRST_RATES[0] <= first <= _FIRST_RATES[1] and isinstance(second, float) and _FIRST_RATES[1] <= second < 1


def _parted(case: Case, call: ast.Call, node: ast.expr, following: ast.expr) -> Finding:
    """``Adam(params, 1e-3, 0.9, 0.999)``: both rates, side by side."""
    text = f"({case.text(node)}, {case.text(following)})"
    first, last = case.program.span_of(node), case.program.span_of(following)
    whole = replace(first, end_line=last.end_line, end_column=last.end_column) if first and last else None
    edits = [Edit(whole, text)] if whole is not None else []
    return finding(
        case,
        f"`betas` of {code(case, call.func)} is one argument, a pair, and {code(case, node)} is given alone in its place;"
        f" {code(case, following)} behind it lands in the next setting. Put both rates into one pair: `{text}`.",
        f"{code(case, call.func)} 的 `betas` 是一个参数，即一对数，而它的位置上只有 {code(case, node)}；后面的 {code(case, following)}"
        f" 落到了下一项设置里。请把两个数放进同一对括号：`{text}`。",
        case.fix(edits, call) or (),
        node,
    )


def _other_setting(case: Case, call: ast.Call, node: ast.expr, value: float) -> str | None:
    """The setting that a number is for that is too small to be a rate: the weight decay, or what is added to a divisor."""
    rate = case.value(given_to(case, call).get("lr"))
    if not 0 <= value < _FIRST_RATES[0] or call.args[-1] is not node:
        return None
    if isinstance(rate, int | float) and rate > _FIRST_RATES[0]:
        return None
    name = "eps" if 0 < value <= _SMALLEST_DECAY else "weight_decay"
    taken = name in given_to(case, call) or name not in parameters_of(case, call)
    return None if taken else name


def _in_place_of_betas(case: Case, call: ast.Call, node: ast.expr, meant: str) -> Finding:
    """``Adam(params, 1e-3, 1e-4)``: the third place is that of `betas`."""
    text = f"{meant}={case.text(node)}"
    what, what_zh = _SETTINGS[meant]
    return finding(
        case,
        f"The argument in this place of {code(case, call.func)} is `betas`, a pair of rates such as `(0.9, 0.999)`, and"
        f" {code(case, node)} is one number, so small that it is most probably meant as {what}. Give that by its name: `{text}`.",
        f"{code(case, call.func)} 的这个位置上是 `betas`，即像 `(0.9, 0.999)` 这样的一对数，而 {code(case, node)} 只是一个数，"
        f"而且这么小，多半是想设置{what_zh}。请用名字给出：`{text}`。",
        write(case, node, text, call),
        node,
    )


@finds(mistakes.INDICES)
def _one_of_groups(case: Case) -> Finding | None:
    """``opt.param_groups["lr"] = 0.01``: there is a list of groups, each with its settings."""
    node = case.find(ast.Subscript) or _stored(case)
    match node:
        case ast.Subscript(value=ast.Attribute(attr="param_groups") as groups, slice=index):
            pass
        case _:
            return None
    statement = case.statement(node)
    text = f"{case.operand(groups)}[0][{case.text(index)}]"
    loop = f"for group in {case.text(groups)}: group[{case.text(index)}] = ..."
    several = isinstance(statement, ast.Assign) and node in statement.targets
    fix = write(case, node, text, statement)
    if several and isinstance(statement, ast.Assign):
        written = f"for group in {case.text(groups)}: group[{case.text(index)}] = {case.text(statement.value)}"
        fix = apply(case, case.replace(statement, written), f"`{written}`", f"`{written}`")
    action = f"Set it in each of them: `{loop}`" if several else f"Take the first: `{text}`"
    action_zh = f"请在每一组里设置：`{loop}`" if several else f"请取第一组：`{text}`"
    return finding(
        case,
        f"`{case.text(groups)}` is a list of groups of parameters, each with settings of its own, and {code(case, index)} is the"
        f" name of such a setting. {action}.",
        f"`{case.text(groups)}` 是参数组的列表，每一组有自己的设置，而 {code(case, index)} 是其中一项设置的名字。{action_zh}。",
        fix,
        node,
    )


def _stored(case: Case) -> ast.Subscript | None:
    """The element that the failed statement writes."""
    statement = case.find(ast.Assign) or case.find(ast.AugAssign)
    targets = (
        statement.targets if isinstance(statement, ast.Assign) else [statement.target] if statement is not None else []
    )
    return next((one for one in targets if isinstance(one, ast.Subscript)), None)


@finds(errors.UNEXPECTED_KEYWORD)
def _word_of_other(case: Case) -> Finding | None:
    """``Adam(..., momentum=0.9)``."""
    call = case.find(ast.Call)
    held = case.value(call.func) if call is not None else None
    wrong = str(case.details.get("keyword", ""))
    given = next((one for one in call.keywords if one.arg == wrong), None) if call is not None else None
    if call is None or given is None or not (isinstance(held, type) and issubclass(held, Optimizer)):
        return None
    names = list(parameters_of(case, call))
    for (word, meant), (text, why, why_zh) in MEANT.items():
        if word != wrong or meant not in names or any(one.arg == meant for one in call.keywords):
            continue
        written = f"{meant}={text.replace(word, case.text(given.value))}"
        return finding(
            case,
            f"{code(case, call.func)} has no argument called `{wrong}`: {why}. Write `{written}`.",
            f"{code(case, call.func)} 没有名为 `{wrong}` 的参数：{why_zh}。请写 `{written}`。",
            case.fix(case.replace(given, written), call),
            given.value,
        )
    return None


@finds(errors.SHAPE_BROADCAST, errors.EXPAND_SIZE, errors.INPLACE_BROADCAST)
def _paired_models(case: Case) -> Finding | None:
    """``for s, t in zip(student.parameters(), teacher.parameters())`` of two models that differ."""
    node = case.find(ast.AST)
    loop = case.enclosing(node, ast.For) if node is not None else None
    while loop is not None and not _is_pairing(loop.iter):
        loop = case.enclosing(loop, ast.For)
    if loop is None or not isinstance(loop.iter, ast.Call):
        return None
    sources = [one for one in loop.iter.args if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute)]
    models = [(one.func.value, case.value(one.func.value)) for one in sources if isinstance(one.func, ast.Attribute)]
    held = [(node, dict(model.named_parameters())) for node, model in models if isinstance(model, Layer)]
    if len(held) < 2:
        return None
    (first, own), (second, other) = held[0], held[1]
    differing = next(
        (
            (a, list(own[a].shape), b, list(other[b].shape))
            for a, b in zip(own, other, strict=False)
            if own[a].shape != other[b].shape
        ),
        None,
    )
    if differing is None:
        return None
    a, sizes, b, sizes_other = differing
    return finding(
        case,
        f"The loop on line {line(loop)} pairs the parameters of `{case.text(first)}` and `{case.text(second)}` one by one, and the"
        f" two models differ: `{a}` is {sizes} in the first and `{b}`"
        f" {sizes_other} in the second. Make both with the same sizes, for example the second as a copy:"
        f" `copy.deepcopy({case.text(first)})`.",
        f"第 {line(loop)} 行的循环把 `{case.text(first)}` 与 `{case.text(second)}` 的参数逐个配对，而两个模型不同：前者的 `{a}` 是"
        f" {sizes}，后者的 `{b}` 是 {sizes_other}。请让两者大小相同，例如"
        f"让后者成为前者的副本：`copy.deepcopy({case.text(first)})`。",
        (),
        loop.iter,
    )


def _is_pairing(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "zip" and len(node.args) > 1
    )
