"""A backward pass that nothing leads to: what cut the way, or which leaf has no flag."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding, Reading
from gradflow.engine.diagnosis.findings.cuts import Cut, cuts_behind, mended
from gradflow.engine.diagnosis.findings.elsewhere.gradients_again import is_itself, pass_of, without_graph
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.roots.chosen_inside import chosen_inside
from gradflow.engine.diagnosis.findings.roots.classified import classified
from gradflow.engine.diagnosis.findings.roots.overlaps import from_decisions
from gradflow.engine.diagnosis.findings.roots.predicted import chosen_here, predicted
from gradflow.engine.diagnosis.findings.roots.printed import numbers_printed
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import python
from gradflow.engine.trace import Fix, Text

_SAYS: Final[dict[str, tuple[str, str]]] = {
    "detach": (
        "`detach()` in {cut} on line {line} gives the values of {operand} without their graph, so no gradient can go back"
        " through {output}. Leave `detach()` out there.",
        "第 {line} 行 {cut} 里的 `detach()` 只取 {operand} 的数值，不带计算图，所以梯度无法从 {output} 走回去。请去掉那里的"
        " `detach()`。",
    ),
    "data": (
        "`.data` in {cut} on line {line} gives the values of {operand} without their graph, so no gradient can go back"
        " through {output}. Leave `.data` out there.",
        "第 {line} 行 {cut} 里的 `.data` 只取 {operand} 的数值，不带计算图，所以梯度无法从 {output} 走回去。请去掉那里的 `.data`。",
    ),
    "number": (
        "{cut} on line {line} makes a plain Python number of {operand}, and a number has no graph to go back through."
        " Keep the tensor there; take the number only for printing.",
        "第 {line} 行的 {cut} 把 {operand} 变成了普通的 Python 数，而数没有可以反向走的计算图。那里请保留张量，只在打印时才取出数。",
    ),
    "math": (
        "The function of `math` in {cut} on line {line} gives a plain Python number, which has no graph. Use the function"
        " of the same name in `torch`, which takes tensors and keeps the graph.",
        "第 {line} 行 {cut} 里的 `math` 函数返回普通的 Python 数，没有计算图。请用 `torch` 里的同名函数，它接受张量并保留计算图。",
    ),
    "copy": (
        "{cut} on line {line} copies the numbers into a new tensor that has no history, so the graph behind {operand} is"
        " left behind. Use the tensors themselves; several are joined by `torch.stack`.",
        "第 {line} 行的 {cut} 把数复制进一个没有历史的新张量，{operand} 背后的计算图就丢掉了。请直接使用原来的张量；多个张量用"
        " `torch.stack` 合在一起。",
    ),
    "numpy": (
        "{cut} on line {line} computes with NumPy, which records no graph, so no gradient can go back through {output}."
        " Do this step with the functions of `torch`.",
        "第 {line} 行的 {cut} 用 NumPy 计算，不会记录计算图，所以梯度无法从 {output} 走回去。这一步请改用 `torch` 的函数。",
    ),
    "choice": (
        "{cut} on line {line} gives positions, whole numbers that jump and so have no gradient; the graph of {operand}"
        " ends there. Compute the loss from the scores {operand} themselves (for classes with `cross_entropy`).",
        "第 {line} 行的 {cut} 给出的是位置，即跳变的整数，没有梯度；{operand} 的计算图到此为止。请直接用得分 {operand} 计算损失"
        "（分类问题用 `cross_entropy`）。",
    ),
    "whole": (
        "{cut} on line {line} makes whole numbers of {operand}, which cannot change by a little and so have no gradient."
        " Leave the conversion out on the way to the loss.",
        "第 {line} 行的 {cut} 把 {operand} 变成整数，整数不能微小地变化，所以没有梯度。通往损失的路上请不要做这个转换。",
    ),
    "index": (
        "{cut} on line {line} makes whole numbers of {operand}, and they choose elements by position ({use}); a choice jumps,"
        " so no gradient can reach {operand} through it. Use {operand} itself in the computation, or a weighted sum of the"
        " elements (with `softmax` weights) in place of the choice.",
        "第 {line} 行的 {cut} 把 {operand} 变成整数，再用它按位置选取元素（{use}）；选取是跳变的，梯度无法通过它到达 {operand}。请让"
        " {operand} 本身参与计算，或者用各元素的加权和（权重用 `softmax`）代替选取。",
    ),
    "truth": (
        "The comparison {cut} on line {line} gives true or false, which jump and so have no gradient; the graph of"
        " {operand} ends there. Compute the loss from {operand} itself, which changes smoothly.",
        "第 {line} 行的比较 {cut} 得到真或假，是跳变的，没有梯度；{operand} 的计算图到此为止。请直接用连续变化的 {operand} 计算损失。",
    ),
    "off": (
        "{operand} on line {line} is computed under `{switch}` (line {switch_line}), where no graph is recorded, so no"
        " gradient can go back through {output}. Compute it outside of that block.",
        "第 {line} 行的 {operand} 是在 `{switch}`（第 {switch_line} 行）下计算的，那里不记录计算图，所以梯度无法从 {output}"
        " 走回去。请放到它外面计算。",
    ),
    "decorated": (
        "{operand} on line {line} is computed in a function under `{switch}` (line {switch_line}), where no graph is recorded, so"
        " nothing that `{function}` gives has one, and no gradient can go back through {output}. Delete line {switch_line}.",
        "第 {line} 行的 {operand} 所在的函数带有 `{switch}`（第 {switch_line} 行），那里不记录计算图，所以 `{function}` 给出的结果都没有"
        "计算图，梯度无法从 {output} 走回去。请删掉第 {switch_line} 行。",
    ),
}


@finds(errors.NO_GRAD_FN, errors.RETAIN_GRAD_NO_GRAD, errors.HOOK_NO_GRAD)
def _cut(case: Case) -> Finding | None:
    """Something between what requires a gradient and the output left the graph."""
    output = output_of(case)
    if output is None:
        return None
    return told(case, output, cuts_behind(case, output) or cuts_behind(case, _put_there(case, output)))


@finds(errors.INPUT_NO_GRAD)
def _cut_input(case: Case) -> Finding | None:
    """What a gradient is asked for left the graph itself: of what it is only mixed of, a `detach()` is meant to be there."""
    output = output_of(case)
    cuts = cuts_behind(case, output) if output is not None else []
    subject = next(iter(case.context.origins()), None)
    made = case.find(ast.expr, subject.span) if subject is not None and subject.span is not None else None
    if output is None or (made is not None and not any(part is cuts[0].node for part in _chain(made) if cuts)):
        return None
    return told(case, output, cuts)


def _chain(node: ast.expr) -> Iterator[ast.expr]:
    """An expression, and what its methods are called of: ``h.detach()`` of ``h.detach().view(3)``."""
    current: ast.expr | None = node
    while current is not None:
        yield current
        match current:
            case ast.Call(func=ast.Attribute(value=owner)) | ast.Attribute(value=owner) | ast.Subscript(value=owner):
                current = owner
            case _:
                return


def _put_there(case: Case, place: ast.expr) -> ast.expr:
    """What was last put into a place of a collection: ``seen[name] = out.detach()``."""
    put = [
        one
        for one in case.nodes(ast.Assign)
        if isinstance(place, ast.Subscript)
        and line(one) < line(place)
        and any(case.text(target) == case.text(place) for target in one.targets)
    ]
    return put[-1].value if put else place


@finds(errors.NO_ATTRIBUTE, python.ATTRIBUTE)
def _number(case: Case) -> Finding | None:
    """``loss.backward()``, where the loss is no tensor any more."""
    node = case.find(ast.Attribute)
    if node is None or node.attr not in ("backward", "grad", "requires_grad", "retain_grad"):
        return None
    return told(case, node.value, cuts_behind(case, node.value))


def output_of(case: Case) -> ast.expr | None:
    """The tensor that the call at the error is about."""
    call = case.find(ast.Call)
    match call:
        case ast.Call(func=ast.Attribute(value=value, attr="backward")) if case.text(value) != "torch.autograd":
            return value
        case ast.Call(func=ast.Attribute(value=value, attr="register_hook" | "retain_grad")):
            return value
        case ast.Call(args=[first, *others]) if others and case.context.name == _name(others[0]):
            return others[0]
        case ast.Call(args=[first, *_]):
            return first
    return None


def _name(node: ast.expr) -> str | None:
    return node.id if isinstance(node, ast.Name) else None


def told(case: Case, output: ast.expr, cuts: Sequence[Cut]) -> Finding | None:
    """The words of a cut, and the fix that mends it."""
    if not cuts:
        return None
    cut = cuts[0]
    if cut.kind == "off":
        return _switched(case, output, cut)
    if cut.kind in ("whole", "choice") and (use := _index_use(case, output, cut)) is not None:
        return _chosen(case, cut, use)
    if (soft := from_decisions(case, output, cut)) is not None:
        return soft
    if (scored := predicted(case, output, cut) or chosen_inside(case, output, cut)) is not None:
        return scored
    en, zh = _SAYS[cut.kind]
    parts: dict[str, object] = {
        "cut": code(case, cut.node),
        "line": line(cut.node),
        "operand": code(case, cut.operand),
        "output": code(case, output),
    }
    edits = [edit for one in cuts for edit in mended(case, one)]
    whole = all(mended(case, one) for one in cuts)
    gone = [edit for edit in edits if not edit.text and edit.span.line < edit.span.end_line]
    words = (
        Text(f"Leave line {line(cut.node)} out", f"去掉第 {line(cut.node)} 行") if gone and len(edits) == 1 else None
    )
    edits += numbers_printed(case, cuts) if edits and cut.kind == "number" else []
    fix = case.fix(edits, case.statement(cut.node), words=words) if whole else None
    kept = scores_kept(case, cut) or classified(case, output, cut)
    if (direct := chosen_here(case, output, cut, kept is None)) is not None:
        return direct
    if cut.kind == "choice":
        parts["operand"] = code(case, _scores_behind(case, cut.operand))
    return finding(case, en.format(**parts), zh.format(**parts), fix or kept or (), cut.node)


def _scores_behind(case: Case, operand: ast.expr) -> ast.expr:
    """What a softmax was taken of, from which classes were chosen: a loss wants those scores."""
    match definition(case, operand):
        case ast.Call(func=ast.Attribute(value=owner)) as call if called(call) in ("softmax", "log_softmax"):
            given = [one for one in call.args if not isinstance(one, ast.Constant)]
            return given[0] if given else owner
    return operand


def _index_use(case: Case, output: ast.expr, cut: Cut) -> ast.Subscript | None:
    """Where the whole numbers of a cut are an index on the way to the output."""
    for node in Flow(case).behind(output):
        if isinstance(node, ast.Subscript):
            index = list(Flow(case).behind(node.slice))
            if cut.node in index and cut.node not in list(Flow(case).behind(node.value)):
                return node
    return None


def _chosen(case: Case, cut: Cut, use: ast.Subscript) -> Finding:
    en, zh = _SAYS["index"]
    parts = {
        "cut": code(case, cut.node),
        "line": line(cut.node),
        "operand": code(case, cut.operand),
        "use": code(case, use),
    }
    return finding(case, en.format(**parts), zh.format(**parts), (), cut.node)


def scores_kept(case: Case, cut: Cut) -> Fix | None:
    """``cross_entropy(scores.argmax(1).float(), y)``: the loss takes the scores."""
    if cut.kind != "choice" or not isinstance(cut.node, ast.Call):
        return None
    losses = [call for call in case.nodes(ast.Call) if "cross_entropy" in case.text(call.func) or _is_loss(case, call)]
    if not losses:
        return None
    edits = case.without_tail(cut.node)
    parent = case.parents.get(cut.node)
    outer = case.parents.get(parent) if parent is not None else None
    match parent, outer:
        case ast.Attribute(attr="float"), ast.Call(args=[]) as tail:
            edits += case.without_tail(tail)
    for loss in losses:
        match loss.args[:1]:
            case [ast.Call(func=ast.Attribute(attr="float"), args=[]) as tail]:
                edits += case.without_tail(tail)
    return case.fix(list(dict.fromkeys(edits)), case.statement(cut.node))


def _is_loss(case: Case, call: ast.Call) -> bool:
    return type(case.value(call.func)).__name__ == "CrossEntropyLoss"


def _switched(case: Case, output: ast.expr, cut: Cut) -> Finding:
    switch = cut.place
    shown = "torch.no_grad()"
    if isinstance(switch, ast.With):
        shown = next((case.text(item.context_expr) for item in switch.items), shown)
    elif isinstance(switch, ast.expr):
        shown = f"@{case.text(switch)}"
    if (rebound := _rebound(case, cut, switch)) is not None:
        return rebound
    owner = case.parents.get(switch)
    en, zh = _SAYS["decorated" if isinstance(switch, ast.expr) else "off"]
    parts: dict[str, object] = {
        "operand": code(case, cut.node),
        "line": line(cut.node),
        "switch": shown,
        "switch_line": line(switch),
        "function": getattr(owner, "name", ""),
        "output": code(case, output),
    }
    return finding(
        case, en.format(**parts), zh.format(**parts), outside(case, switch) or (), switch_place(case, switch)
    )


def switch_place(case: Case, switch: ast.AST) -> ast.AST:
    """The head of what switches recording off."""
    return switch.items[0].context_expr if isinstance(switch, ast.With) else switch


def outside(case: Case, switch: ast.AST) -> Fix | None:
    """The statements of a block without the block; a function without the decorator."""
    span = case.program.span_of(switch)
    if span is None:
        return None
    if not isinstance(switch, ast.With):
        end = len(case.line(span.line))
        before = case.line(span.line - 1) if span.line > 1 else ""
        edit = (
            case.cut(type(span)(span.line - 1, len(before), span.line, end))
            if span.line > 1
            else case.cut(type(span)(1, 0, 2, 0))
        )
        return apply(case, [edit], f"Delete `@{case.text(switch)}`", f"删掉 `@{case.text(switch)}`")
    first, last = case.program.span_of(switch.body[0]), case.program.span_of(switch.body[-1])
    if first is None or last is None or first.line == span.line or len(switch.items) > 1:
        return None
    width = first.column - span.column
    edits = [case.cut(type(span)(span.line, span.column, first.line, first.column))]
    for number in range(first.line + 1, last.end_line + 1):
        if case.line(number)[: span.column + width].strip() == "" and case.line(number).strip():
            edits.append(case.cut(type(span)(number, span.column, number, span.column + width)))
    shown = case.text(switch.items[0].context_expr)
    return apply(case, edits, f"Take it out of `with {shown}`", f"从 `with {shown}` 中移出")


def _rebound(case: Case, cut: Cut, switch: ast.AST) -> Finding | None:
    """``w = w - lr * w.grad`` under ``no_grad``: the new tensor takes the place of the leaf."""
    match case.statement(cut.node):
        case (
            ast.Assign(
                targets=[ast.Name(id=name) as target],
                value=ast.BinOp(left=ast.Name(id=same), op=ast.Sub() | ast.Add() as op, right=right),
            ) as statement
        ) if name == same and isinstance(switch, ast.With):
            sign = "-" if isinstance(op, ast.Sub) else "+"
            text = f"{name} {sign}= {case.text(right)}"
            span = case.program.span_of(statement)
            also, also_zh = "", ""
            if not _is_cleared(case, name) and span is not None:
                text += f"\n{case.line(span.line)[: span.column]}{name}.grad = None"
                also = f", and clear its gradient behind that, for gradients add up: `{name}.grad = None`"
                also_zh = f"，并在之后清掉它的梯度，因为梯度会累加：`{name}.grad = None`"
            return finding(
                case,
                f"Line {line(statement)} gives the name `{name}` to a new tensor, made under `no_grad` and so without"
                f" `requires_grad`; the leaf that was trained is gone, and in the next turn nothing requires a gradient."
                f" Change the leaf in place: `{name} {sign}= ...`{also}.",
                f"第 {line(statement)} 行把名字 `{name}` 给了一个新张量，它在 `no_grad` 下产生，没有 `requires_grad`；原来训练的"
                f"叶子张量不见了，下一轮就没有张量需要梯度。请就地修改叶子张量：`{name} {sign}= ...`{also_zh}。",
                case.fix(
                    case.replace(statement, text),
                    words=Text(f"`{name} {sign}= ...` in place", f"就地修改：`{name} {sign}= ...`"),
                ),
                target,
            )
    return None


def _is_cleared(case: Case, name: str) -> bool:
    """Whether the program clears the gradient of a variable somewhere."""
    text = case.program.source
    return any(f"{name}.grad{rest}" in text for rest in (".zero_", " = None", " = torch.zeros", ".fill_")) or (
        "zero_grad" in text
    )


# -- gradients that are differentiated again ---------------------------------------------------------------------------


@finds(errors.NO_GRAD_FN)
def _gradient_again(case: Case) -> Finding | None:
    """A gradient is differentiated, but the pass that made it built no graph; of several passes a trial tells which."""
    output = output_of(case)
    if output is None:
        return None
    found: dict[ast.Call, bool] = {}
    for node in Flow(case).behind(output):
        call = pass_of(case, node)
        if call is not None and not any(keyword.arg in ("create_graph", None) for keyword in call.keywords):
            found.setdefault(call, is_itself(case, output, call))
    told = [without_graph(case, output, call, itself) for call, itself in found.items()]
    readings = [
        Reading(one.fixes[0], one.says, one.cause) for one in told if one.fixes and one.says and one.cause is not None
    ]
    if len(told) < 2 or len(readings) != len(told):
        return told[0] if told else None
    return Finding(told[0].says, [one.fix for one in readings], readings[0].cause, readings=readings)
