"""Splits, groups and schedules: numbers of samples, parameters and steps that do not add up, told with the values of this run."""

from __future__ import annotations

import ast
import re

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, padding_mask
from gradflow.engine.diagnosis.findings.words import code, finding, line, ordinal, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.errors.language import mistakes
from gradflow.engine.namespace.nn.module import Module as Layer


@finds(errors.OPTIMIZER_ARGUMENT)
def _in_two_groups(case: Case) -> Finding | None:
    """``[{"params": model.parameters()}, {"params": model.head.parameters()}]``."""
    call = case.find(ast.Call)
    if call is None or "more than one parameter group" not in str(case.details.get("message", "")) or not call.args:
        return None
    given = definition(case, call.args[0])
    groups = [
        value
        for one in (given.elts if isinstance(given, ast.List | ast.Tuple) else [])
        if isinstance(one, ast.Dict)
        for key, value in zip(one.keys, one.values, strict=True)
        if isinstance(key, ast.Constant) and key.value == "params"
    ]
    owners = [_owner(one) for one in groups]
    for whole, inner in ((a, b) for a in range(len(groups)) for b in range(len(groups)) if a != b):
        outer, part = owners[whole], owners[inner]
        if outer is None or part is None or not _is_part(case, outer, part):
            continue
        rest = _others(case, outer, [one for one in owners if one is not None and one is not outer])
        text = rest or "..."
        return finding(
            case,
            f"{code(case, groups[whole])} on line {line(groups[whole])} gives all parameters of `{case.text(outer)}`, also those of"
            f" `{case.text(part)}`, which have a group of their own (line {line(groups[inner])}), and each parameter belongs to one group. Leave"
            f" them out of the first" + (f": `{text}`." if rest else "."),
            f"第 {line(groups[whole])} 行的 {code(case, groups[whole])} 给出 `{case.text(outer)}` 的全部参数，其中也有 `{case.text(part)}` 的参数，而它们已有自己的组"
            f"（第 {line(groups[inner])} 行）；每个参数只能属于一个组。请在前一组里去掉它们"
            + (f"：`{text}`。" if rest else "。"),
            write(case, groups[whole], text, case.parents.get(groups[whole])) if rest else (),
            groups[whole],
        )
    return None


def _owner(node: ast.expr) -> ast.expr | None:
    """``model`` of ``model.parameters()``."""
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr="parameters")):
            return owner
        case ast.Call(func=ast.Name(id="list"), args=[inner]):
            return _owner(inner)
    return None


def _module(case: Case, node: ast.expr) -> Layer | None:
    value = case.value(node)
    if isinstance(value, Layer):
        return value
    if isinstance(node, ast.Subscript) and isinstance(held := case.value(node.value), Layer):
        key = getattr(node.slice, "value", None)
        inner = held._modules.get(str(key))
        return inner if isinstance(inner, Layer) else None
    return None


def _is_part(case: Case, outer: ast.expr, part: ast.expr) -> bool:
    whole, inner = _module(case, outer), _module(case, part)
    return (
        whole is not None and inner is not None and whole is not inner and any(one is inner for one in whole.modules())
    )


def _others(case: Case, outer: ast.expr, parts: list[ast.expr]) -> str:
    """The parameters of the parts of a module that have no group of their own."""
    whole = _module(case, outer)
    known = [_module(case, one) for one in parts]
    left = [
        name
        for name, child in (whole._modules.items() if whole is not None else ())
        if child is not None and not any(child is one for one in known) and list(child.parameters())
    ]
    if len(left) != 1 or whole is None:
        return ""
    indexed = type(whole).__name__ in ("ModuleDict", "ModuleList", "Sequential")
    key = repr(left[0]) if type(whole).__name__ == "ModuleDict" else left[0]
    return f"{case.operand(outer)}[{key}].parameters()" if indexed else f"{case.operand(outer)}.{left[0]}.parameters()"


def stepped_too_often(case: Case) -> tuple[re.Match[str], ast.Call, ast.expr] | None:
    """How often a schedule was stepped and was made for, as the message tells, the call, and the schedule."""
    told = re.search(
        r"Tried to step (\d+) times\. The specified number of total steps is (\d+)",
        str(case.details.get("message", "")),
    )
    call = case.find(ast.Call)
    if told is None or call is None or not isinstance(call.func, ast.Attribute):
        return None
    return told, call, call.func.value


@finds(errors.OPTIMIZER_ARGUMENT)
def _too_many_steps(case: Case) -> Finding | None:
    """A schedule of ``total_steps`` that is stepped more often."""
    found = stepped_too_often(case)
    if found is None:
        return None
    told, call, schedule = found
    made = _schedule_made(case, schedule)
    loops = _loops_around(case, call)
    total = (
        next((one.value for one in made.keywords if one.arg == "total_steps"), None)
        if isinstance(made, ast.Call)
        else None
    )
    counts = [text for loop in loops if (text := _turns(case, loop))]
    text = f"total_steps={' * '.join(counts)}" if total is not None and counts and len(counts) == len(loops) else ""
    inner = f", in the loop of line {line(loops[-1])}" if loops else ""
    inner_zh = f"（第 {line(loops[-1])} 行的循环）" if loops else ""
    action = (
        f"Count all of them: `{text}`."
        if text
        else "Give the number of all steps: the turns of all loops around the call, multiplied."
    )
    action_zh = f"请给出全部步数：`{text}`。" if text else "请给出全部步数：把外面各层循环的轮数相乘。"
    return finding(
        case,
        f"{code(case, made)} on line {line(made)} was made for {told[2]} steps, and {code(case, call)} on line {line(call)} is called once a"
        f" batch{inner}, here for the {ordinal(int(told[1]))} time. {action}",
        f"第 {line(made)} 行的 {code(case, made)} 是按 {told[2]} 步创建的，而第 {line(call)} 行的 {code(case, call)} 每个批次调用一次{inner_zh}，这是第 {told[1]}"
        f" 次。{action_zh}",
        write(case, total, text.removeprefix("total_steps="), made) if text and total is not None else (),
        made,
    )


def _schedule_made(case: Case, schedule: ast.expr) -> ast.expr:
    """The call that made a schedule, in another function, too, where the program makes one of that class."""
    made = definition(case, schedule)
    name = type(case.value(schedule)).__name__
    if isinstance(made, ast.Call) and called(made) == name:
        return made
    others = [one for one in case.nodes(ast.Call) if called(one) == name]
    return others[0] if len(others) == 1 else made


def _loops_around(case: Case, node: ast.AST) -> list[ast.For]:
    found = []
    loop = case.enclosing(node, ast.For)
    while loop is not None:
        found.append(loop)
        loop = case.enclosing(loop, ast.For)
    return found[::-1]


def _turns(case: Case, loop: ast.For) -> str:
    """How many turns a loop has, as text."""
    match loop.iter:
        case ast.Call(func=ast.Name(id="range"), args=[count]):
            return case.text(count)
        case ast.Call(func=ast.Name(id="range"), args=[_, _] | [_, _, _]):
            return f"len({case.text(loop.iter)})"
        case ast.Call(func=ast.Name(id="enumerate"), args=[held, *_]):
            return f"len({case.text(held)})"
        case ast.Name():
            return f"len({case.text(loop.iter)})"
    return ""


@finds(errors.NO_ATTRIBUTE, errors.NO_FORWARD, mistakes.NOT_CALLABLE)
def _report_for_model(case: Case) -> Finding | None:
    """``model = model.load_state_dict(...)``."""
    if case.details.get("type") not in ("_IncompatibleKeys", "NoneType"):
        return None
    for statement in case.nodes(ast.Assign):
        match statement:
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(func=ast.Attribute(value=ast.Name(id=same), attr="load_state_dict")) as call,
            ) if name == same:
                return finding(
                    case,
                    f"`load_state_dict` on line {line(statement)} changes `{name}` itself and gives back a report about the names, which then takes the"
                    f" place of the model. Call it on a line of its own: `{case.text(call)}`.",
                    f"第 {line(statement)} 行的 `load_state_dict` 直接修改 `{name}`，返回的只是关于名字的报告，结果这个报告取代了模型。请单独写一行调用："
                    f"`{case.text(call)}`。",
                    case.fix(case.replace(statement, case.text(call)), statement),
                    statement,
                )
    return None


@finds(errors.MISSING_PYTHON_ARGUMENT)
def _one_size_of_layer(case: Case) -> Finding | None:
    """``nn.Linear(32)``, as in Keras."""
    call = case.find(ast.Call)
    name = called(call) if call is not None else ""
    if call is None or name != "Linear" or len(call.args) != 1 or call.keywords:
        return None
    alone = [one for one in case.nodes(ast.Call) if _is_alone(one)]
    own = case.text(call.args[0])
    lazy = [edit for one in alone for edit in case.rename_end(one.func, "Linear", "LazyLinear")]
    text = f"{case.text(call.func)}(..., {own})"
    lazy_text = f"{case.text(call.func).replace('Linear', 'LazyLinear')}({own})"
    return finding(
        case,
        f"{code(case, call)} gives one size, as `Dense` of Keras does, and `Linear` takes two: how many numbers come in, and how many go out. If"
        f" {own} are to go out, write what comes in before it, `{text}`, or let PyTorch find it at the first call: `{lazy_text}`.",
        f"{code(case, call)} 只给了一个大小（像 Keras 的 `Dense` 那样），而 `Linear` 需要两个：输入多少个数、输出多少个数。如果 {own} 是输出的个数，请在前面写上输入的"
        f"个数 `{text}`，或者让 PyTorch 在第一次调用时确定：`{lazy_text}`。",
        case.fix(lazy, call),
        call,
    )


def _is_alone(call: ast.Call) -> bool:
    name = called(call)
    return name == "Linear" and len(call.args) == 1 and not call.keywords


@finds(errors.MODULE_ASSERTION, errors.MODULE_RUNTIME)
def _padding_turned(case: Case) -> Finding | None:
    """A mask of what is filled up, whose rows are steps."""
    told = padding_mask(case)
    if told is None:
        return None
    given, wanted, rows = told
    node = given.value
    match node:
        case (
            ast.Call(func=ast.Attribute(value=inner, attr="t" | "transpose"))
            | ast.Attribute(value=inner, attr="T" | "mT")
        ):
            text, edits = case.text(inner), case.replace(node, case.text(inner))
        case _:
            text, edits = f"{case.operand(node)}.t()", case.followed(node, ".t()")
    return finding(
        case,
        f"`{given.arg}` has one row for each sample and one column for each step, whatever comes first in the sequence: {wanted} rows here, and"
        f" {code(case, node)} has {rows}. Give it the other way round: `{text}`.",
        f"`{given.arg}` 总是每个样本一行、每一步一列，无论序列里哪一维在前：这里应有 {wanted} 行，而 {code(case, node)} 有 {rows} 行。请换成另一个方向：`{text}`。",
        case.fix(edits, case.find(ast.Call)),
        node,
    )
