"""``nn.Linear(width)``: which of its two sizes is there, and what the other one is, as the rest of the function tells."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called, start_of
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow

_ENDS = ("out", "class", "label", "target", "action", "tag", "logit", "vocab")


@finds(errors.MISSING_PYTHON_ARGUMENT)
def _one_of_two_sizes(case: Case) -> Finding | None:
    """The size that comes in is that of another layer's input too; one that is a parameter, used nowhere else, goes out."""
    call = case.find(ast.Call)
    if call is None or called(call) != "Linear" or len(call.args) != 1 or call.keywords:
        return None
    own, before = call.args[0], _before(case, call)
    if before is None or _side_by_side(case, call, before):
        return None
    coming_in = _width(case, before)
    if case.text(own) in (case.text(coming_in), case.text(before.args[1])):
        return _goes_out(case, call, before)
    if isinstance(own, ast.Name) and own.id in [case.text(one.args[0]) for one in _whole(case, call)]:
        return _goes_out(case, call, before)
    return _comes_in(case, call, coming_in, before)


def _whole(case: Case, call: ast.Call) -> list[ast.Call]:
    """The linear layers of both sizes that are made in the same function."""
    scope = Flow(case).scope(call)
    made = [one for one in case.nodes(ast.Call) if called(one) == "Linear" and len(one.args) >= 2]
    return [one for one in made if Flow(case).scope(one) is scope]


def _before(case: Case, call: ast.Call) -> ast.Call | None:
    """The linear layer that is made last before one."""
    return max((one for one in _whole(case, call) if start_of(one) < start_of(call)), key=start_of, default=None)


def _side_by_side(case: Case, call: ast.Call, before: ast.Call) -> bool:
    """Whether two layers are called with the same thing: heads, of which none comes before the other."""
    names = [_attribute(case, one) for one in (call, before)]
    if None in names:
        return False
    given: list[set[str]] = [
        {case.text(one.args[0]) for one in case.nodes(ast.Call) if one.args and case.text(one.func) == name}
        for name in names
    ]
    return not given[0].isdisjoint(given[1])


def _attribute(case: Case, call: ast.Call) -> str | None:
    statement = case.parents.get(call)
    return case.text(statement.targets[0]) if isinstance(statement, ast.Assign) else None


def _width(case: Case, before: ast.Call) -> ast.expr:
    """What a layer gives; where a name goes along with the widths of several, as ``width = h`` in a loop, that name."""
    first, second = before.args[:2]
    loop = case.enclosing(before, ast.For)
    for one in ast.walk(loop) if loop is not None else ():
        match one:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if case.text(first) == name and case.text(
                value
            ) == case.text(second):
                return first
    return second


def _unused(case: Case, call: ast.Call) -> ast.arg | None:
    """The one parameter of the function that it makes no use of, or the one of these that is named for an output."""
    function = case.enclosing(call, ast.FunctionDef)
    if function is None:
        return None
    used = {one.id for one in ast.walk(function) if isinstance(one, ast.Name)}
    left = [one for one in (*function.args.args, *function.args.kwonlyargs) if one.arg not in {*used, "self"}]
    named = [one for one in left if any(word in one.arg.lower() for word in _ENDS)]
    return next((some[0] for some in (named, left) if len(some) == 1), None)


def _goes_out(case: Case, call: ast.Call, before: ast.Call) -> Finding | None:
    """What is written comes in: the size that goes out is missing."""
    own, other = case.text(call.args[0]), _unused(case, call)
    text = f"{case.text(call.func)}({own}, {other.arg if other is not None else '...'})"
    action, action_zh = f"Write how many go out behind it: `{text}`.", f"请在后面写上输出多少个：`{text}`。"
    if other is not None:
        action = (
            f"The parameter `{other.arg}` (line {line(other)}) is used nowhere: it is what goes out. Write `{text}`."
        )
        action_zh = f"参数 `{other.arg}`（第 {line(other)} 行）没有在任何地方用到：它就是输出的个数。请写成 `{text}`。"
    return finding(
        case,
        f"`Linear` takes two sizes, how many numbers come in and how many go out, and {code(case, call)} gives one: `{own}` comes in, as"
        f" {code(case, before)} on line {line(before)} shows. {action}",
        f"`Linear` 需要两个大小：输入多少个数、输出多少个数，而 {code(case, call)} 只给了一个：`{own}` 是输入的个数，这从第 {line(before)} 行的"
        f" {code(case, before)} 可以看出。{action_zh}",
        case.fix(case.replace(call, text), call) if other is not None else (),
        call,
    )


def _comes_in(case: Case, call: ast.Call, width: ast.expr, before: ast.Call) -> Finding:
    """What is written goes out: the size that comes in is what the layer before gives."""
    own = case.text(call.args[0])
    text = f"{case.text(call.func)}({case.text(width)}, {own})"
    return finding(
        case,
        f"`Linear` takes two sizes, how many numbers come in and how many go out, and {code(case, call)} gives one. The layer before it,"
        f" {code(case, before)} on line {line(before)}, gives `{case.text(width)}`, so these come in and `{own}` go out: `{text}`.",
        f"`Linear` 需要两个大小：输入多少个数、输出多少个数，而 {code(case, call)} 只给了一个。它前面的层是第 {line(before)} 行的 {code(case, before)}，输出"
        f" `{case.text(width)}` 个数，所以输入是它，输出是 `{own}`：`{text}`。",
        case.fix(case.replace(call, text), call),
        call,
    )
