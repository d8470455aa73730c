"""What no gradient reaches: a derivative that is computed only once, and an input that another branch would have used."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import UNKNOWN, Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, default_of, loops_of
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.trace import Edit, Fix, Span

_OUTSIDE = frozenset({"numpy", "detach", "data", "item", "tolist", "no_grad", "from_numpy", "tensor"})
"""What ends the graph inside of a `backward`."""


# ---- differentiable only once


@finds(errors.UNUSED_INPUT, errors.FUNCTION_MISUSE, errors.NO_GRAD_FN)
def _only_once(case: Case) -> Finding | None:
    """The gradient of a gradient that went through a `backward` under ``@once_differentiable``."""
    node = case.find(ast.expr)
    given = (node.args[:1] or [getattr(node.func, "value", node.func)]) if isinstance(node, ast.Call) else []
    if case.details.get("message") and "@once_differentiable" not in str(case.details["message"]):
        return None
    flow = Flow(case)
    behind = [one for each in given for one in flow.behind(each)]
    if not any(_is_gradient(one) for one in behind):
        return None
    for owner in case.nodes(ast.ClassDef):
        for method in owner.body:
            marks = [one for one in getattr(method, "decorator_list", ()) if _is_mark(one)]
            if not isinstance(method, ast.FunctionDef) or not marks or not _is_applied(case, owner, behind):
                continue
            return _said_once(case, owner, method, marks[0], given[0])
    return None


def _is_gradient(node: ast.AST) -> bool:
    return (isinstance(node, ast.Call) and called(node) == "grad") or (
        isinstance(node, ast.Attribute) and node.attr == "grad"
    )


def _is_mark(node: ast.expr) -> bool:
    return getattr(node, "attr", getattr(node, "id", "")) == "once_differentiable"


def _is_applied(case: Case, owner: ast.ClassDef, behind: Sequence[ast.expr]) -> bool:
    """Whether a Function is on the way, by its own name or by that of its ``apply``."""
    for one in behind:
        made = definition(case, one.func) if isinstance(one, ast.Call) else one
        if isinstance(made, ast.Attribute) and made.attr == "apply" and case.text(made.value) == owner.name:
            return True
    return False


def _said_once(case: Case, owner: ast.ClassDef, method: ast.FunctionDef, mark: ast.expr, given: ast.expr) -> Finding:
    ends = [
        one
        for one in ast.walk(method)
        if isinstance(one, ast.Attribute | ast.Name) and getattr(one, "attr", getattr(one, "id", "")) in _OUTSIDE
    ]
    row = line(mark)
    edits = [Edit(Span(row, 0, row + 1, 0), "")] if case.line(row).strip().startswith("@") and not ends else []
    action = (
        f"Write its `{method.name}` with differentiable operations alone (line {line(ends[0])} has {code(case, ends[0])}) and take the decorator away"
        if ends
        else "Take the decorator away: what stands in it can be differentiated again"
    )
    action_zh = (
        f"请只用可微的运算来写 `{method.name}`（第 {line(ends[0])} 行有 {code(case, ends[0])}），并去掉这个装饰器"
        if ends
        else "请去掉这个装饰器：其中的运算可以再次求导"
    )
    return finding(
        case,
        f"`@once_differentiable` on line {row} cuts off the gradient that `{owner.name}.{method.name}` computes, so {code(case, given)} has no path"
        f" back through it, and there is no second derivative. {action}.",
        f"第 {row} 行的 `@once_differentiable` 切断了 `{owner.name}.{method.name}` 算出的梯度，所以 {code(case, given)} 没有穿过它的路径，也就没有"
        f"二阶导数。{action_zh}。",
        apply(case, edits, "Take `@once_differentiable` away", "去掉 `@once_differentiable`") or (),
        mark,
    )


# ---- used in another branch


@finds(errors.UNUSED_INPUT)
def _in_other_branch(case: Case) -> Finding | None:
    """``if not centred: out = out + offset``, with the default that leaves it out."""
    call, index = case.find(ast.Call), case.details.get("index")
    wanted = argument_of(call, 1, "inputs") if call is not None else None
    output = argument_of(call, 0, "outputs") if call is not None else None
    if call is None or wanted is None or output is None or not isinstance(index, int):
        return None
    listed = wanted.elts if isinstance(wanted, ast.Tuple | ast.List) else [wanted]
    if index >= len(listed):
        return None
    lost, flow = listed[index], Flow(case)
    for one in flow.behind(output):
        if not isinstance(one, ast.Name | ast.Attribute) or case.text(one) != case.text(lost):
            continue
        branch = case.enclosing(one, ast.If)
        function = case.enclosing(one, ast.FunctionDef)
        if branch is None or case.enclosing(branch, ast.FunctionDef) is not function or one in ast.walk(branch.test):
            continue
        used = case.statement(one) or one
        made = getattr(used, "value", None)
        if isinstance(made, ast.expr) and case.value(made) is not UNKNOWN:
            continue  # it was computed in this run
        otherwise = any(used is each or used in ast.walk(each) for each in branch.orelse)
        return _skipped(case, call, lost, listed, used, branch, otherwise)
    return None


def _skipped(
    case: Case,
    call: ast.Call,
    lost: ast.expr,
    listed: Sequence[ast.expr],
    used: ast.AST,
    branch: ast.If,
    otherwise: bool,
) -> Finding:
    test = code(case, branch.test)
    when, when_zh = (f"unless {test}", f"不满足 {test} 时") if otherwise else (f"if {test}", f"满足 {test} 时")
    reason, other, reason_zh, other_zh, asked = _setting(case, branch)
    without, edits = _left_out(case, call, lost, listed)
    own = code(case, lost)
    leave = f"Leave {own} out of what is asked for" if len(listed) > 1 else f"Ask for what was used instead of {own}"
    leave_zh = f"请不要对 {own} 求梯度" if len(listed) > 1 else f"请改为对真正用到的张量求梯度，而不是 {own}"
    return finding(
        case,
        f"Line {line(used)} uses {own} only {when} (line {line(branch)}){reason}, so the output was not computed from it and no"
        f" path leads back to it. {leave}{other}.",
        f"第 {line(used)} 行只有{when_zh}（第 {line(branch)} 行）才会用到 {own}{reason_zh}，所以输出不是由它算出的，没有回到它的路径。"
        f"{leave_zh}{other_zh}。",
        [case.fix(edits, without), asked] if edits or asked else (),
        used,
    )


def _setting(case: Case, branch: ast.If) -> tuple[str, str, str, str, Fix | None]:
    """The call whose argument, or whose default, decided: the words for it, and the fix that asks for the other branch."""
    nothing = ("", ", or take the other branch", "", "，或者走另一个分支", None)
    function = case.enclosing(branch, ast.FunctionDef)
    test = branch.test.operand if isinstance(branch.test, ast.UnaryOp) else branch.test
    if function is None or not isinstance(test, ast.Name):
        return nothing
    flow, name = Flow(case), test.id
    calls = [one for one in case.nodes(ast.Call) if function in flow.called(one)]
    defaults = default_of(function, name)
    if len(calls) != 1 or len(defaults) != 1 or not isinstance(defaults[0], ast.Constant):
        return nothing
    default, call = defaults[0], calls[0]
    if not isinstance(default.value, bool) or any(one.arg in (name, None) for one in call.keywords):
        return nothing
    names = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
    at = names.index(name) - (names[:1] == ["self"]) if name in names else len(call.args)
    if at < len(call.args) or any(isinstance(one, ast.Starred) for one in call.args):
        return nothing
    text = f"{name}={not default.value}"
    fix = case.fix(case.argument(call, text), call)
    return (
        f", and {code(case, call)} on line {line(call)} leaves `{name}` at its default `{default.value}`",
        f", or call the function with `{text}`",
        f"，而第 {line(call)} 行的 {code(case, call)} 让 `{name}` 取默认值 `{default.value}`",
        f"，或者调用时写上 `{text}`",
        fix,
    )


def _left_out(
    case: Case, call: ast.Call, lost: ast.expr, listed: Sequence[ast.expr]
) -> tuple[ast.AST | None, list[Edit]]:
    """The edits that take an input out of the list, where nothing counts on the number of gradients."""
    at = list(listed).index(lost) if lost in listed else -1
    span = case.program.span_of(lost)
    if len(listed) < 2 or span is None or not _taken_as_one(case, call, at == len(listed) - 1):
        return None, []
    if at > 0 and (before := case.program.span_of(listed[at - 1])) is not None:
        return call, [Edit(case.between(before, span), "")]
    after = case.program.span_of(listed[at + 1])
    return (
        (call, [Edit(Span(span.line, span.column, after.line, after.column), "")]) if after is not None else (None, [])
    )


def _taken_as_one(case: Case, call: ast.Call, last: bool) -> bool:
    """Whether the gradients are kept together, and are not paired with a list that would keep its length."""
    statement = case.parents.get(call)
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
        return False
    name = statement.targets[0].id
    indexed = any(
        isinstance(one.value, ast.Name) and one.value.id == name and not isinstance(case.value(one.slice), int)
        for one in case.nodes(ast.Subscript)
    )
    paired = [
        one
        for one in loops_of(case)
        if isinstance(one.iter, ast.Call)
        and called(one.iter) == "zip"
        and any(isinstance(part, ast.Name) and part.id == name for part in one.iter.args)
    ]
    return not indexed and (last or not paired)
