"""A list, a table or an attribute that keeps what was computed in one turn after another, each with its graph, and a pass that goes back into them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.nothing_differentiable import output_of
from gradflow.engine.diagnosis.findings.second_pass import functions_behind
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Fix

_DEEPEST: Final = 3
_MOST: Final = 400


@dataclass(frozen=True)
class _Kept:
    """Where a value with a graph is kept from turn to turn: the statement, what keeps it, and the value."""

    node: ast.Call | ast.AugAssign
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


def _holds(case: Case, kept: _Kept, behind: set[int]) -> bool:
    """Whether what is kept there has graphs of several turns, which the pass goes back into."""
    name = _last_name(kept.owner)
    for found, held in _reachable(case):
        if found != name:
            continue
        if isinstance(kept.node, ast.AugAssign) and isinstance(held, Tensor):
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
            case ast.Assign(targets=targets) if any(_last_name(one) == name for one in targets):
                function = case.enclosing(node, ast.FunctionDef)
                loop = case.enclosing(node, ast.For)
                if loop is not None and not isinstance(kept.owner, ast.Subscript):
                    return True
                if isinstance(kept.owner, ast.Attribute) and function is not None and function.name != "__init__":
                    return True
    return False


def _of_all_turns(case: Case, call: ast.Call, output: ast.expr, kept: _Kept) -> Finding:
    """The pass of a turn begins at something that was computed from what all turns have kept."""
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
    return finding(
        case,
        f"{code(case, kept.owner)} keeps {code(case, kept.value)} of every turn with its graph (line {line(kept.node)}){used}. So the pass on line"
        f" {line(call)} goes back into the turns before, whose graphs are already freed. {en}.",
        f"{code(case, kept.owner)} 把每一轮的 {code(case, kept.value)} 连同计算图一起保存（第 {line(kept.node)} 行）{used_zh}。所以第 {line(call)} 行的反向传播会走进之前各轮的计算图，"
        f"而它们已经被释放了。{zh}。",
        fixes,
        kept.node,
    )


def _is_loss(case: Case, kept: _Kept, output: ast.expr) -> bool:
    """Whether the pass begins at a sum of what is kept, and the value of this turn is at hand there."""
    value, flow = case.value(kept.value), Flow(case)
    if not isinstance(value, Tensor) or value.numel() != 1 or flow.scope(kept.node) is not flow.scope(output):
        return False
    return not any(isinstance(one, ast.BinOp) for one in flow.behind(output) if line(one) > line(kept.node))


def _freed_in_its_turn(case: Case, call: ast.Call, first: ast.Call, kept: _Kept) -> Finding | None:
    """Each of the values that are kept was differentiated by itself before."""
    begun = first.func.value if isinstance(first.func, ast.Attribute) else None
    flow = Flow(case)
    if begun is None or case.text(begun) != case.text(kept.value) or flow.scope(first) is not flow.scope(kept.node):
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
