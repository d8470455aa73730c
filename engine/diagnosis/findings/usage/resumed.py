"""Schedules that are to go on from an epoch, for an optimizer that has no saved state yet."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, start_of
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.models.constructed import given_to
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, on_line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import returned
from gradflow.engine.diagnosis.traps.edits import moved_behind
from gradflow.engine.trace import Edit, Fix


@finds(errors.RESUMED_SCHEDULE)
def _fresh_optimizer(case: Case) -> Finding | None:
    """``StepLR(optimizer, 10, last_epoch=4)`` before the optimizer's state is loaded, or without any."""
    call = case.find(ast.Call)
    given = given_to(case, call) if call is not None else {}
    optimizer, epoch = given.get("optimizer"), given.get("last_epoch")
    if call is None or optimizer is None or epoch is None:
        return None
    value = case.value(epoch)
    begun, begun_zh = (
        (f"is to go on after epoch {value}", f"从第 {value} 轮之后继续")
        if type(value) is int
        else ("is to go on from an epoch", "从某一轮之后继续")
    )
    name = case.text(optimizer)
    begin = (
        f"{code(case, call)} on line {line(call)} {begun} (`last_epoch`), and for that the groups of `{name}` must hold their first learning rate, `initial_lr`,"
        f" which comes with the saved state of an optimizer."
    )
    begin_zh = f"第 {line(call)} 行的 {code(case, call)} {begun_zh}（`last_epoch`），这要求 `{name}` 的参数组里有最初的学习率 `initial_lr`，它随优化器保存的状态而来。"
    loads = list(_loads(case, call, optimizer))
    without = case.without_argument(call, _argument(case, epoch))
    plain = apply(case, without, "leave `last_epoch` out", "去掉 `last_epoch`")
    schedule = _scheduler_load(case, call)
    later = next((one for one in loads if line(one) > line(call)), None)
    if schedule is not None:
        action = f"Line {line(schedule)} loads the state of the schedule itself, which holds its epoch, too: leave `last_epoch` out here"
        action_zh = f"第 {line(schedule)} 行会加载调度器自己的状态，其中已有轮次：请在这里去掉 `last_epoch`"
        return finding(case, f"{begin} {action}.", f"{begin_zh}{action_zh}。", [plain], call)
    if later is not None:
        text = f"{name}.load_state_dict({case.text(later.args[0])})"
        return finding(
            case,
            f"{begin} Line {line(later)} loads that only later. Load it before the schedule is made: `{text}`.",
            f"{begin_zh}而第 {line(later)} 行之后才加载它。请在创建调度器之前加载：`{text}`。",
            [_loaded_first(case, call, epoch, later, text)],
            call,
        )
    made = definition(case, optimizer)
    where, where_zh = on_line(made) if made is not optimizer else ("", "")
    way, way_zh = "", ""
    if loads:
        state = (
            f"The state that line {line(loads[0])} loads was saved from an optimizer without a schedule, and has none"
        )
        state_zh = f"第 {line(loads[0])} 行加载的状态来自没有调度器的优化器，其中没有它"
    else:
        state, state_zh = (
            f"`{name}`{where} is new and was given no such state",
            f"`{name}`{where_zh} 是新建的，没有加载过这样的状态",
        )
        way = "; to go on from a checkpoint, load the optimizer's state before this line"
        way_zh = "；要从检查点继续，请在这一行之前加载优化器的状态"
    return finding(
        case,
        f"{begin} {state}. Begin at the start, without `last_epoch`{way}.",
        f"{begin_zh}{state_zh}。请去掉 `last_epoch`，从头开始{way_zh}。",
        [plain],
        call,
    )


def _argument(case: Case, value: ast.expr) -> ast.expr | ast.keyword:
    """The argument that has a value: its keyword, or the value itself."""
    outer = case.parents.get(value)
    return outer if isinstance(outer, ast.keyword) else value


def _state_loads(case: Case) -> Iterator[tuple[ast.Call, ast.expr]]:
    """The calls that load a state, with what they load it into."""
    for call in sorted(case.nodes(ast.Call), key=start_of):
        match call:
            case ast.Call(func=ast.Attribute(value=owner, attr="load_state_dict"), args=[_, *_]):
                yield call, owner


def _loads(case: Case, call: ast.Call, optimizer: ast.expr) -> Iterator[ast.Call]:
    """Where the state of an optimizer is loaded: under its own name, as what a function gave back, or as an attribute of an object."""
    names = {case.text(optimizer), *_given_back(case, call, optimizer)}
    for one, owner in _state_loads(case):
        text = case.text(owner)
        if text in names or (isinstance(optimizer, ast.Attribute) and text.endswith(f".{optimizer.attr}")):
            yield one


def _scheduler_load(case: Case, call: ast.Call) -> ast.Call | None:
    """Where the state of the schedule that a call makes is loaded later."""
    statement = case.statement(call)
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    return (
        next((one for one in _loads(case, call, target) if line(one) > line(call)), None)
        if target is not None
        else None
    )


def _given_back(case: Case, call: ast.Call, held: ast.expr) -> Iterator[str]:
    """What the callers of the function around a call name what it gives back of this name."""
    function = case.enclosing(call, ast.FunctionDef)
    for result in returned(function) if function is not None else ():
        parts = result.elts if isinstance(result, ast.Tuple) else [result]
        places = [at for at, one in enumerate(parts) if case.text(one) == case.text(held)]
        for made in case.nodes(ast.Assign):
            known = (
                isinstance(made.value, ast.Call)
                and function is not None
                and case.text(made.value.func).split(".")[-1] == function.name
            )
            if not known or not places:
                continue
            target = made.targets[0]
            targets = target.elts if isinstance(target, ast.Tuple) and isinstance(result, ast.Tuple) else [target]
            if places[0] < len(targets):
                yield case.text(targets[places[0]])


def _loaded_first(case: Case, call: ast.Call, epoch: ast.expr, later: ast.Call, text: str) -> Fix | None:
    """The state, loaded before the schedule is made: the line moved, or in a function loaded there where it goes on."""
    statement, loading = case.statement(call), case.statement(later)
    if statement is None or loading is None:
        return None
    edits: list[Edit] = moved_behind(case, statement, loading, before=True)
    if (
        not edits
        and case.enclosing(call, ast.FunctionDef) is not None
        and case.enclosing(later, ast.FunctionDef) is None
    ):
        test = "" if isinstance(epoch, ast.Constant) else f"if {case.text(epoch)} >= 0:"
        pad = " " * statement.col_offset
        edits = case.line_before(statement, f"{test}\n{pad}    {text}" if test else text)
    return apply(case, edits, f"`{text}` before the schedule", f"在创建调度器之前 `{text}`")
