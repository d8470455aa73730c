"""A list, a table or an attribute that keeps what was computed in one turn after another, each with its graph, and a pass that goes back into them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.graph.collected_losses import given_from
from gradflow.engine.diagnosis.findings.nothing_differentiable import output_of
from gradflow.engine.diagnosis.findings.practice.overwritten import free_name
from gradflow.engine.diagnosis.findings.second_pass import functions_behind
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, returned
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Fix

_DEEPEST: Final = 3
_MOST: Final = 400


@dataclass(frozen=True)
class _Kept:
    """Where a value with a graph is kept from turn to turn: the statement, what keeps it, and the value."""

    node: ast.Call | ast.AugAssign | ast.Assign
    owner: ast.expr
    value: ast.expr


@finds(errors.BACKWARD_TWICE)
def _turns_before(case: Case) -> Finding | None:
    """``history.append(loss)``, and ``sum(history).backward()`` in every turn, or behind the turns that had passes of their own."""
    call, output = case.find(ast.Call), output_of(case)
    first = case.find(ast.Call, case.context.related) if case.context.related else None
    tensor = Flow(case).tensor(output) if output is not None else None
    if call is None or output is None or tensor is None:
        return None
    behind = functions_behind(tensor)
    kept = next((one for one in _kept(case) if _holds(case, one, behind)), None)
    if kept is None or _is_renewed(case, kept):
        return None
    if first is None or first is call:
        return _of_all_turns(case, call, output, kept)
    return _freed_in_its_turn(case, call, first, kept)


def _kept(case: Case) -> Iterator[_Kept]:
    """The statements that may keep something from turn to turn."""
    for node in case.program.nodes:
        match node:
            case ast.Call(func=ast.Attribute(value=owner, attr="append"), args=[value]):
                yield _Kept(node, owner, value)
            case ast.AugAssign(target=ast.Attribute() | ast.Subscript() as owner, op=ast.Add(), value=value):
                yield _Kept(node, owner, value)
            case ast.Assign(
                targets=[ast.Attribute() | ast.Subscript() as owner],
                value=ast.BinOp(left=total, op=ast.Add(), right=value),
            ) if case.text(total) == case.text(owner):
                yield _Kept(node, owner, value)


def _holds(case: Case, kept: _Kept, behind: set[int]) -> bool:
    """Whether what is kept there has graphs of several turns, which the pass goes back into."""
    name = _last_name(kept.owner)
    for found, held in _reachable(case):
        if found != name:
            continue
        if not isinstance(kept.node, ast.Call) and isinstance(held, Tensor):
            return held.grad_fn is not None and id(held.grad_fn) in behind
        parts = held if isinstance(held, list) else []
        graphs = [one.grad_fn for one in parts if isinstance(one, Tensor) and one.grad_fn is not None]
        if len(graphs) > 1 and sum(id(one) in behind for one in graphs) > 1:
            return True
    return False


def _last_name(node: ast.expr) -> str:
    """``losses`` of ``self.losses`` and of ``losses``, ``loss`` of ``stats["loss"]``."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Subscript(slice=ast.Constant(value=str(name))):
            return name
    return ""


def _reachable(case: Case) -> Iterator[tuple[str, object]]:
    """What the program holds where the error is, with its last name: variables, what stands in tables, attributes of its objects."""
    waiting: list[tuple[str, object, int]] = [(name, value, 0) for name, value in case.values.items()]
    seen: set[int] = set()
    classes = {one.name for one in case.nodes(ast.ClassDef)}
    for name, value, depth in waiting:
        if id(value) in seen or len(seen) > _MOST:
            continue
        seen.add(id(value))
        yield name, value
        own = type(value).__name__ in classes or isinstance(value, Layer)
        inside = value if type(value) is dict else vars(value) if own and hasattr(value, "__dict__") else {}
        if depth < _DEEPEST:
            waiting += [(str(key), each, depth + 1) for key, each in list(inside.items())[:_MOST]]


def _is_renewed(case: Case, kept: _Kept) -> bool:
    """Whether what keeps the values is emptied somewhere but where it begins."""
    name = _last_name(kept.owner)
    for node in case.program.nodes:
        match node:
            case ast.Call(func=ast.Attribute(value=owner, attr="clear" | "pop" | "popleft")) if (
                _last_name(owner) == name
            ):
                return True
            case ast.Delete(targets=[ast.Subscript(value=owner)]) if _last_name(owner) == name:
                return True
            case ast.Assign(targets=targets) if node is not kept.node and any(
                _last_name(one) == name for one in targets
            ):
                function = case.enclosing(node, ast.FunctionDef)
                loop = case.enclosing(node, ast.For)
                if loop is not None and not isinstance(kept.owner, ast.Subscript):
                    return True
                if isinstance(kept.owner, ast.Attribute) and function is not None and function.name != "__init__":
                    return True
    return False


def _of_all_turns(case: Case, call: ast.Call, output: ast.expr, kept: _Kept) -> Finding:
    """The pass of a turn begins at something that was computed from what all turns have kept."""
    value = kept.value if isinstance(kept.node, ast.Call) else given_from(case, kept.value)
    if value is not kept.value:
        kept = _Kept(kept.node, kept.owner, value)
    own = f"{case.operand(kept.value)}.detach()"
    same = ast.unparse(kept.owner) == ast.unparse(output)
    used = "" if same else f", and {code(case, output)} is computed from all of them"
    used_zh = "" if same else f"，而 {code(case, output)} 由所有这些值算出"
    values, en = (
        case.followed(kept.value, ".detach()"),
        f"Keep the values of turns that are over without their graphs: `{own}`",
    )
    fixes: list[Fix | None] = [apply(case, values, f"`{own}`", f"`{own}`")]
    zh = f"请只保留各轮的数值：`{own}`"
    if isinstance(kept.value, ast.Name) and _is_loss(case, kept, output):
        text = f"{kept.value.id}.backward()"
        en += f", and begin the pass at the value of this turn: `{text}`"
        zh += f"，并从这一轮自己的值开始反向传播：`{text}`"
        fixes = [
            apply(
                case, [*values, *case.replace(output, kept.value.id)], f"`{own}` and `{text}`", f"`{own}` 和 `{text}`"
            )
        ]
    elif same and (named := _named(case, output, kept)) is not None:
        text, fix = named
        en += f", under a name of its own, and begin the pass at the value of this turn: `{text}`"
        zh += f"（先给它取个名字），并从这一轮自己的值开始反向传播：`{text}`"
        fixes = [fix]
    return finding(
        case,
        f"{code(case, kept.owner)} keeps {code(case, kept.value)} of every turn with its graph (line {line(kept.node)}){used}. So the pass on line"
        f" {line(call)} goes back into the turns before, whose graphs are already freed. {en}.",
        f"{code(case, kept.owner)} 把每一轮的 {code(case, kept.value)} 连同计算图一起保存（第 {line(kept.node)} 行）{used_zh}。所以第 {line(call)} 行的反向传播会走进之前各轮的计算图，"
        f"而它们已经被释放了。{zh}。",
        fixes,
        kept.node,
    )


def _named(case: Case, output: ast.expr, kept: _Kept) -> tuple[str, Fix | None] | None:
    """``loss = criterion(net(x), y)`` before the line that adds it up, and the pass from there."""
    statement, flow = case.statement(kept.node), Flow(case)
    if statement is None or flow.scope(kept.node) is not flow.scope(output) or isinstance(kept.node, ast.Call):
        return None
    name = free_name(case, "loss", "current", "loss_of_turn")
    edits = [
        *case.line_before(statement, f"{name} = {case.text(kept.value)}"),
        *case.replace(kept.value, f"{name}.detach()"),
        *case.replace(output, name),
    ]
    text = f"{name}.backward()"
    return text, apply(case, edits, f"`{name}.detach()` and `{text}`", f"`{name}.detach()` 和 `{text}`")


def _is_loss(case: Case, kept: _Kept, output: ast.expr) -> bool:
    """Whether the pass begins at a sum of what is kept, and the value of this turn is at hand there."""
    value, flow = case.value(kept.value), Flow(case)
    if not isinstance(value, Tensor) or value.numel() != 1 or flow.scope(kept.value) is not flow.scope(output):
        return False
    return not any(isinstance(one, ast.BinOp) for one in flow.behind(output) if line(one) > line(kept.value))


def _freed_in_its_turn(case: Case, call: ast.Call, first: ast.Call, kept: _Kept) -> Finding | None:
    """Each of the values that are kept was differentiated by itself before."""
    begun = first.func.value if isinstance(first.func, ast.Attribute) else None
    flow = Flow(case)
    if begun is None:
        return None
    given = _given_back(case, first, kept)
    if given is not None:
        return _freed_before(case, call, first, kept)
    if case.text(begun) != case.text(kept.value) or flow.scope(first) is not flow.scope(kept.node):
        return None
    number = f"{case.operand(kept.value)}.item()"
    return finding(
        case,
        f"{code(case, kept.owner)} keeps every {code(case, kept.value)} with its graph (line {line(kept.node)}), and {code(case, first)} on line {line(first)} has"
        f" already gone through each of these graphs and freed it; the pass on line {line(call)} goes through them again. To look at the values, keep numbers,"
        f" `{number}`, and leave the pass on line {line(call)} out; to differentiate all of them at once, leave out the one on line {line(first)}.",
        f"{code(case, kept.owner)} 把每个 {code(case, kept.value)} 连同计算图一起保存（第 {line(kept.node)} 行），而第 {line(first)} 行的 {code(case, first)} 已经走过其中每一张计算图并释放了它；"
        f"第 {line(call)} 行的反向传播又要走一遍。如果只是查看数值，请保存数值 `{number}`，并去掉第 {line(call)} 行的反向传播；如果要对它们一起求导，请去掉第 {line(first)} 行的那一次。",
        (),
        kept.node,
    )


def _given_back(case: Case, first: ast.Call, kept: _Kept) -> ast.expr | None:
    """What a function of the program gives back to be kept, after it has differentiated it itself."""
    begun = first.func.value if isinstance(first.func, ast.Attribute) else None
    functions = Flow(case).called(kept.value) if isinstance(kept.value, ast.Call) else []
    if begun is None or len(functions) != 1 or first not in set(ast.walk(functions[0])):
        return None
    results = returned(functions[0])
    return results[0] if len(results) == 1 and case.text(results[0]) == case.text(begun) else None


def _freed_before(case: Case, call: ast.Call, first: ast.Call, kept: _Kept) -> Finding | None:
    result = _given_back(case, first, kept)
    if result is None:
        return None
    number = f"return {case.operand(result)}.item()"
    return finding(
        case,
        f"{code(case, kept.owner)} keeps what {code(case, kept.value)} gives back (line {line(kept.node)}), {code(case, result)} with its graph, and"
        f" {code(case, first)} on line {line(first)} has already gone through each of these graphs and freed it; the pass on line {line(call)} goes through them"
        f" again. To look at the values, give numbers back, `{number}`, and leave the pass on line {line(call)} out; to differentiate all of them at once, leave"
        f" out the one on line {line(first)}.",
        f"{code(case, kept.owner)} 保存了 {code(case, kept.value)} 返回的带着计算图的 {code(case, result)}（第 {line(kept.node)} 行），而第 {line(first)} 行的 {code(case, first)}"
        f" 已经走过其中每一张计算图并释放了它；第 {line(call)} 行的反向传播又要走一遍。如果只是查看数值，"
        f"请返回数值 `{number}`，并去掉第 {line(call)} 行的反向传播；如果要对它们一起求导，请去掉第 {line(first)} 行的那一次。",
        (),
        kept.node,
    )
