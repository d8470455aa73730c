"""A graph that is gone through twice: the computation that stands outside of the loop, a part that two outputs share."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called, insertion
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.meant.trained import made_with, trained
from gradflow.engine.diagnosis.findings.nothing_differentiable import output_of
from gradflow.engine.diagnosis.findings.words import apply, code, finding, joined, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.traps.edits import line_after
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Edit, Fix, Span

Loop = ast.For | ast.While
_MOST_FUNCTIONS: Final = 5000


@finds(errors.BACKWARD_TWICE)
def _outside_of_the_loop(case: Case) -> Finding | None:
    """What is differentiated in every turn was computed once, before the loop."""
    call, output = case.find(ast.Call), output_of(case)
    loop = loop_around(case, call)
    if call is None or output is None or loop is None:
        return None
    made = _made_before(case, output, loop)
    if not made:
        return _carried(case, output, loop)
    first = made[-1]
    names, places = [f"`{case.text(one.targets[0])}`" for one in made], [str(line(one)) for one in made]
    shown, shown_zh = joined(names, "en"), joined(names, "zh")
    lines, lines_zh = joined(places, "en"), joined(places, "zh")
    return finding(
        case,
        f"{shown} {'is' if len(made) == 1 else 'are'} computed once, before the loop (line {lines}), so every turn goes back"
        f" through the same graph; the first backward pass has already freed it. Compute it anew in every turn: move the"
        f" computation into the loop.",
        f"{shown_zh} 在循环之前只计算了一次（第 {lines_zh} 行），所以每一轮反向都走同一张计算图，而第一次反向传播已经把它"
        f"释放了。请每一轮重新计算：把计算移进循环里。",
        [_moved_in(case, made, loop)],
        first,
    )


def loop_around(case: Case, node: ast.AST | None) -> Loop | None:
    """The innermost loop around a node."""
    found = case.enclosing(node, ast.For) if node is not None else None
    other = case.enclosing(node, ast.While) if node is not None else None
    return max((one for one in (found, other) if one is not None), key=lambda one: one.lineno, default=None)


def _body_with(case: Case, statement: ast.stmt) -> list[ast.stmt]:
    parent = case.parents.get(statement)
    lists = (getattr(parent, name, None) for name in ("body", "orelse", "finalbody"))
    return next((body for body in lists if isinstance(body, list) and statement in body), [])


def _made_before(case: Case, output: ast.expr, loop: Loop) -> list[ast.Assign]:
    """The assignments beside the loop, before it, of what the output was computed from and has a graph."""
    beside = _body_with(case, loop)
    flow = Flow(case)
    found: dict[ast.Assign, None] = {}
    for node in flow.behind(output):
        statement = case.statement(node)
        if not isinstance(statement, ast.Assign) or statement not in beside or statement.lineno >= loop.lineno:
            continue
        tensor = flow.tensor(statement.value)
        if len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
            held = None if isinstance(statement.value, ast.Constant) else case.values.get(statement.targets[0].id)
            tensor = tensor if tensor is not None else held if hasattr(held, "grad_fn") else None  # type: ignore[assignment]
        if tensor is not None and getattr(tensor, "grad_fn", None) is not None:
            found[statement] = None
    return sorted(found, key=lambda one: one.lineno)


def _moved_in(case: Case, made: Sequence[ast.Assign], loop: Loop) -> Fix | None:
    """The assignments at the beginning of the loop's body."""
    head, span = loop.body[0], case.program.span_of(loop.body[0])
    loop_span = case.program.span_of(loop)
    if span is None or loop_span is None or span.line == loop_span.line:
        return None
    edits: list[Edit] = []
    texts: list[str] = []
    indent = case.line(span.line)[: span.column]
    for one in made:
        place = case.program.span_of(one)
        if place is None or case.line(place.line)[: place.column].strip() or place.line != place.end_line:
            return None
        texts.append(case.text(one))
        edits.append(whole_line(case, place))
    edits += case.line_before(head, f"\n{indent}".join(texts))
    names = ", ".join(f"`{case.text(one.targets[0])}`" for one in made)
    return apply(case, edits, f"Compute {names} inside of the loop", f"把 {names.replace(', ', '、')} 的计算移进循环")


def whole_line(case: Case, place: Span) -> Edit:
    """Take a line out, with its end."""
    if place.line > 1:
        return Edit(
            Span(place.line - 1, len(case.line(place.line - 1)), place.end_line, len(case.line(place.end_line))), ""
        )
    return Edit(Span(1, 0, place.end_line + 1, 0), "")


def _carried(case: Case, output: ast.expr, loop: Loop) -> Finding | None:
    """A state that every turn computes from that of the turn before: the graph of all turns hangs on it."""
    names = {
        one.id
        for statement in loop.body
        for one in ast.walk(statement)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store) and not _is_number(case.value(one))
    }
    for node in Flow(case).behind(output):
        if isinstance(node, ast.Attribute) and (kept := _kept_in_object(case, node)) is not None:
            return kept
        if not isinstance(node, ast.Name) or node.id not in names or case.enclosing(node, type(loop)) is not loop:
            continue
        if _is_carried(loop, node.id):
            return _cut_off(case, node, loop, output)
    return None


def _is_number(value: object) -> bool:
    """Whether something is known to have no graph."""
    return isinstance(value, int | float | str)


def _kept_in_object(case: Case, node: ast.Attribute) -> Finding | None:
    """``self.h = self.cell(x, self.h)``: a state that an object keeps from call to call."""
    name = case.text(node)
    if not name.startswith("self."):
        return None
    for one in case.nodes(ast.Assign):
        targets = [part for each in one.targets for part in (each.elts if isinstance(each, ast.Tuple) else [each])]
        reads = [part for part in ast.walk(one.value) if isinstance(part, ast.Attribute) and case.text(part) == name]
        if name not in [case.text(part) for part in targets] or not reads:
            continue
        several = isinstance(case.value(node), tuple) or len(targets) > 1
        text = f"tuple(one.detach() for one in {name})" if several and len(targets) == 1 else f"{name}.detach()"
        return finding(
            case,
            f"`{name}` is kept in the object, and line {line(one)} computes it from its value of the call before, so the pass of this turn"
            f" goes back through the graph of the turn before, which is already freed. Go on from its numbers alone: `{text}`.",
            f"`{name}` 保存在对象里，第 {line(one)} 行又由它上一次调用时的值算出新值，所以这一轮的反向会走进上一轮的计算图，而它已经被释放了。请只用它的数值继续："
            f"`{text}`。",
            case.fix([edit for part in reads for edit in case.replace(part, text)], one),
            one,
        )
    return None


def _is_carried(loop: Loop, name: str) -> bool:
    """Whether a name is used in the body before it is bound there."""
    for statement in loop.body:
        used = any(
            isinstance(p, ast.Name) and p.id == name and isinstance(p.ctx, ast.Load) for p in ast.walk(statement)
        )
        bound = any(
            isinstance(p, ast.Name) and p.id == name and isinstance(p.ctx, ast.Store) for p in ast.walk(statement)
        )
        if used or (isinstance(statement, ast.AugAssign) and bound):
            return True
        if bound:
            return False
    return False


def _cut_off(case: Case, node: ast.Name, loop: Loop, output: ast.expr) -> Finding:
    name = node.id
    place = next(
        (one for one in ast.walk(loop) if isinstance(one, ast.stmt) and _stores(one, name) and one is not loop), loop
    )
    total = isinstance(output, ast.Name) and output.id == name
    en = (
        f"`{name}` is carried from turn to turn (line {line(place)}), so the pass of this turn goes back through the graph of"
        f" the turn before, which is already freed."
    )
    zh = f"`{name}` 一轮一轮地传下去（第 {line(place)} 行），所以这一轮的反向会走进上一轮的计算图，而它已经被释放了。"
    if total:
        return finding(
            case,
            f"{en} Differentiate the loss of each turn by itself, or the sum once, after the loop.",
            f"{zh}请对每一轮自己的损失求导，或者在循环之后只对总和求一次导。",
            [_after_loop(case, loop)],
            place,
        )
    if isinstance(case.value(node), tuple) or case.values.get(name).__class__ is tuple:
        return _pair_cut_off(case, name, loop, (en, zh), place)
    if _begins_as_none(case, name, loop):
        text = f"{name} = {name}.detach()"
        return finding(
            case,
            f"{en} Cut it off at the end of each turn, for at the beginning of the first one it is `None`: `{text}`.",
            f"{zh}请在每一轮结束时断开（第一轮开始时它还是 `None`）：`{text}`。",
            [apply(case, line_after(case, loop.body[-1], text), f"`{text}`", f"`{text}`")],
            place,
        )
    fix = case.line_before(loop.body[0], f"{name} = {name}.detach()")
    return finding(
        case,
        f"{en} Cut it off at the beginning of each turn: `{name} = {name}.detach()`.",
        f"{zh}请在每一轮开始时断开：`{name} = {name}.detach()`。",
        [apply(case, fix, f"`{name} = {name}.detach()`", f"`{name} = {name}.detach()`")],
        place,
    )


def _begins_as_none(case: Case, name: str, loop: Loop) -> bool:
    """Whether the first turn of a loop may find `None` under a name."""
    flow = Flow(case)
    scope = flow.scope(loop)
    before = [
        one.value
        for one in ast.walk(scope)
        if isinstance(one, ast.Assign | ast.AnnAssign) and one.value is not None and one.lineno < loop.lineno
        if flow.scope(one) is scope and _stores(one, name)
    ]
    function = scope if isinstance(scope, ast.FunctionDef) else None
    defaults, parameters = (function.args.defaults, function.args.args) if function is not None else ([], [])
    own = defaults if not before and any(one.arg == name for one in parameters) else []
    held = [*before, *own]
    return any(isinstance(one, ast.Constant) and one.value is None for each in held for one in _parts(each))


def _parts(node: ast.expr) -> list[ast.expr]:
    return node.elts if isinstance(node, ast.Tuple) else [node]


def _pair_cut_off(case: Case, name: str, loop: Loop, told: tuple[str, str], place: ast.AST) -> Finding:
    """The state of an LSTM is two tensors."""
    text = f"{name} = tuple(one.detach() for one in {name})"
    return finding(
        case,
        f"{told[0]} Cut both parts of it off at the end of each turn: `{text}`.",
        f"{told[1]}请在每一轮结束时断开其中的两部分：`{text}`。",
        [apply(case, line_after(case, loop.body[-1], text), f"`{text}`", f"`{text}`")],
        place,
    )


def _stores(statement: ast.stmt, name: str) -> bool:
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    return any(isinstance(p, ast.Name) and p.id == name for t in targets if t is not None for p in ast.walk(t))


def _after_loop(case: Case, loop: Loop) -> Fix | None:
    """The call of the pass behind the loop, where it stands alone on its line."""
    call = case.find(ast.Call)
    statement = case.statement(call) if call is not None else None
    span = case.program.span_of(statement) if statement is not None else None
    end, head = case.program.span_of(loop.body[-1]), case.program.span_of(loop)
    if statement is None or span is None or end is None or head is None or statement not in loop.body:
        return None
    if len(loop.body) < 2 or span.line != span.end_line or head.line == span.line:
        return None
    indent = case.line(head.line)[: head.column]
    text = case.text(statement)
    gone = whole_line(case, span)
    if end.line == span.line:
        return apply(case, [Edit(gone.span, f"\n{indent}{text}")], f"`{text}` after the loop", f"循环之后再 `{text}`")
    edits = [gone, insertion(end.end_line, len(case.line(end.end_line)), f"\n{indent}{text}")]
    return apply(case, edits, f"`{text}` after the loop", f"循环之后再 `{text}`")


# -- two passes, one after the other -----------------------------------------------------------------------------------


@finds(errors.BACKWARD_TWICE)
def _shared(case: Case) -> Finding | None:
    """Two outputs that share a part of the graph, or the same output twice."""
    second, output = case.find(ast.Call), output_of(case)
    first = case.find(ast.Call, case.context.related) if case.context.related else None
    if second is None or output is None or first is None or first is second:
        return None
    other = first.func.value if isinstance(first.func, ast.Attribute) and first.func.attr == "backward" else None
    other = other or (first.args[0] if first.args else None)
    keep = case.fix(case.argument(first, "retain_graph=True"), first)
    if any(keyword.arg == "retain_graph" for keyword in first.keywords) or other is None:
        return None
    if case.text(other) == case.text(output):
        return finding(
            case,
            f"{code(case, first)} on line {line(first)} has already gone back through this graph and freed the values that it"
            f" had saved. Leave one of the two passes out, or, if the gradients shall add up, keep the graph in the first:"
            f" `retain_graph=True`.",
            f"第 {line(first)} 行的 {code(case, first)} 已经走过这张计算图，并释放了它保存的值。请去掉其中一次反向传播；如果确实要让梯度"
            f"累加，就在第一次里保留计算图：`retain_graph=True`。",
            [_without(case, second), keep],
            first,
        )
    if (lasting := _of_gradient(case, first, output)) is not None:
        return lasting
    part = _common(case, other, output)
    en, zh = (
        f"{code(case, other)} (line {line(first)}) and {code(case, output)}",
        f"{code(case, other)}（第 {line(first)} 行）和 {code(case, output)} 的反向传播",
    )
    if part is not None:
        en = f"{code(case, other)} and {code(case, output)} were both computed from {code(case, part)} (line {line(part)})"
        zh = f"{code(case, other)} 和 {code(case, output)} 都由 {code(case, part)} 算出（第 {line(part)} 行）"
    detached = _generator_spared(case, part, other, first)
    if detached is not None:
        return finding(
            case,
            f"{en}, so {code(case, first)} on line {line(first)} went back through it and freed it. The pass of line"
            f" {line(first)} is for another optimizer and needs no gradient there: write `{case.operand(detached)}.detach()` on line {line(detached)}.",
            f"{zh}，所以第 {line(first)} 行的 {code(case, first)} 走过了这一部分并把它释放了。第 {line(first)} 行的反向传播是为另一个优化器"
            f"计算的，不需要那里的梯度：请在第 {line(detached)} 行写 `{case.operand(detached)}.detach()`。",
            case.fix(case.followed(detached, ".detach()"), case.statement(detached)),
            detached,
        )
    return finding(
        case,
        f"{en}{' and' if part is not None else ''} go back through the same part of the graph, which {code(case, first)} on line"
        f" {line(first)} has freed. Keep it in that first pass with `retain_graph=True`, or differentiate the sum of both"
        f" once.",
        f"{zh}{'，' if part is not None else ''}要走计算图的同一部分，而它已被第 {line(first)} 行的 {code(case, first)} 释放。请在第一次反向传播里用"
        f" `retain_graph=True` 保留它，或者对两者之和只求一次导。",
        keep,
        first,
    )


def _of_gradient(case: Case, first: ast.Call, output: ast.expr) -> Finding | None:
    """``torch.autograd.grad(...)`` whose result the output is computed from: it has to have a graph of its own."""
    if called(first) != "grad" or first not in Flow(case).behind(output):
        return None
    return finding(
        case,
        f"{code(case, output)} is computed from the gradient that {code(case, first)} gives on line {line(first)}. Without `create_graph=True` that"
        f" pass frees the graph and its result has none, so nothing behind it can learn. Write `create_graph=True` into that call.",
        f"{code(case, output)} 是由第 {line(first)} 行 {code(case, first)} 给出的梯度算出来的。没有 `create_graph=True` 时，那次反向会释放计算图，结果也没有自己的计算图，"
        f"后面的部分什么也学不到。请在那次调用里写上 `create_graph=True`。",
        case.fix(case.argument(first, "create_graph=True"), first),
        first,
    )


def _without(case: Case, call: ast.Call) -> Fix | None:
    statement = case.statement(call)
    span = case.program.span_of(statement) if statement is not None else None
    if span is None or not isinstance(statement, ast.Expr) or case.line(span.line).strip() != case.text(statement):
        return None
    return apply(case, [whole_line(case, span)], "Leave the second pass out", "去掉第二次反向传播")


def _common(case: Case, one: ast.expr, other: ast.expr) -> ast.expr | None:
    """The nearest expression with a graph that both were computed from."""
    flow = Flow(case)
    behind = set(flow.behind(one))
    both = functions_behind(flow.tensor(one)) & functions_behind(flow.tensor(other))
    alike = [node for node in flow.behind(other) if node in behind and not isinstance(node, ast.Name)]
    made = [(node, flow.tensor(node)) for node in alike]
    graphs = [(node, tensor.grad_fn) for node, tensor in made if tensor is not None and tensor.grad_fn is not None]
    shared = [node for node, function in graphs if id(function) in both]
    return next(iter(shared or (() if both else [node for node, _ in graphs])), None)


def functions_behind(tensor: Tensor | None) -> set[int]:
    """The identities of the functions of a tensor's graph."""
    waiting = [tensor.grad_fn] if tensor is not None and tensor.grad_fn is not None else []
    seen = {id(one) for one in waiting}
    for current in waiting:
        for function, _ in getattr(current, "next_functions", ()):
            if function is not None and id(function) not in seen and len(seen) < _MOST_FUNCTIONS:
                seen.add(id(function))
                waiting.append(function)
    return seen


def _generator_spared(case: Case, part: ast.expr | None, first_output: ast.expr, first: ast.Call) -> ast.expr | None:
    """Of two optimizers the first needs no gradient through what the other trains: where its loss uses that."""
    makers = {one.lineno for one in case.nodes(ast.Call) if getattr(one.func, "attr", "") == "step"}
    statement = case.statement(part) if part is not None else None
    if len(makers) < 2 or not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
        return None
    steps = [one for one in case.nodes(ast.Call) if called(one) == "step" and first.lineno < one.lineno]
    if steps and made_with(case, statement.value, trained(case, steps[0])):
        return None  # what it made is what the first pass is to train
    name = statement.targets[0].id
    flow = Flow(case)
    uses = [
        node
        for node in flow.behind(first_output)
        if isinstance(node, ast.Name)
        and node.id == name
        and node.lineno > statement.lineno
        and node.lineno <= first.lineno
    ]
    return uses[0] if len(uses) == 1 else None
