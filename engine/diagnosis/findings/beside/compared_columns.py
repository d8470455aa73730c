"""Class numbers that were made a column, and that are compared with the predictions, too: the row is wanted where they are made."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.causes.births import column_made
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, on_line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.trace import Edit, Span

_KEEPING: Final = frozenset({"to", "cpu", "cuda", "float", "long", "int", "double", "detach", "numpy", "clone", "type"})
_COMPARING: Final = frozenset({"eq", "ne", "equal", "not_equal"})
_COLUMNS: Final = ("keepdim", "unsqueeze", "None]", "topk", "view", "reshape")
_MAKERS: Final = frozenset({"tensor", "as_tensor", "from_numpy", "LongTensor", "FloatTensor", "Tensor"})


@finds(errors.TARGET_MULTI)
def _compared_too(case: Case) -> Finding | None:
    """``y = torch.tensor(rows[:, -1]).reshape(-1, 1)``, the loss of it, and ``(scores.argmax(1) == y)`` behind that."""
    call = case.find(ast.Call)
    target = argument_of(call, 1, "target") if call is not None else None
    value = Flow(case).tensor(target) if isinstance(target, ast.Name | ast.Attribute) else None
    if call is None or target is None or value is None or value.dim() != 2 or value.shape[1] != 1:
        return None
    made = column_made(case, target)
    if made is None or line(made) == line(target):
        return None
    made = definition(case, made) if isinstance(made, ast.Name) else made
    others = _made_alike(case, made)
    again = _use_beside(case, call, target, [*others])
    if again is None:
        return None
    behind = ".long()" if value.dtype.is_floating_point else ""
    edits, tail = _undone(case, made, behind)
    edits += [edit for other in others.values() for edit in _undone(case, other, behind)[0]]
    action = f"Leave `{tail}` out there" if tail else "Make a row of them there: `.squeeze(1)`"
    action_zh = f"请去掉那里的 `{tail}`" if tail else "请在那里把它变成一行：`.squeeze(1)`"
    rows = value.shape[0]
    return finding(
        case,
        f"{code(case, target)} is a column of shape [{rows}, 1], made by {code(case, made)} on line {line(made)}; the loss takes one class number for each"
        f" sample, shape [{rows}], and so does {code(case, again)}{on_line(again)[0]}. {action}.",
        f"{code(case, target)} 是形状为 [{rows}, 1] 的一列，由第 {line(made)} 行的 {code(case, made)} 得到；损失要求每个样本一个类别编号，形状为 [{rows}]，"
        f"{code(case, again)}{on_line(again)[1]}也是如此。{action_zh}。",
        [apply(case, edits, f"Without `{tail}`", f"去掉 `{tail}`") if tail and not behind else case.fix(edits, made)],
        made,
    )


def _made_alike(case: Case, made: ast.expr) -> dict[str, ast.expr]:
    """The columns that are made in the same way under names that begin alike: ``y_test`` beside ``y_train``."""
    own = case.statement(made)
    named = own.targets[0] if isinstance(own, ast.Assign) and own.value is made else None
    tail = _column_tail(case, made)
    if not isinstance(named, ast.Name) or tail is None:
        return {}
    found = {}
    for statement in case.nodes(ast.Assign):
        match statement.targets:
            case [ast.Name(id=name)] if name != named.id and name.split("_")[0] == named.id.split("_")[0]:
                other = _column_tail(case, statement.value)
                if other is not None and case.program.text_at(other) == case.program.text_at(tail):
                    found[name] = statement.value
    return found


def _use_beside(case: Case, loss: ast.Call, target: ast.expr, others: list[str]) -> ast.expr | None:
    """What compares a target with the predictions or takes the same loss of it, and would go wrong with a column."""
    texts, found = {case.text(target), *others}, None
    nodes: list[ast.Name | ast.Attribute] = [*case.nodes(ast.Name), *case.nodes(ast.Attribute)]
    for node in nodes:
        if node is target or case.text(node) not in texts or not isinstance(node.ctx, ast.Load):
            continue
        use = _use(case, node)
        if isinstance(use, ast.Compare) or (isinstance(use, ast.Call) and called(use) in _COMPARING):
            if any(one in case.text(use) for one in _COLUMNS):
                return None
            found = found or use
        elif isinstance(use, ast.Call) and use is not loss and case.text(use.func) == case.text(loss.func):
            found = found or use
    return found


def _use(case: Case, node: ast.expr) -> ast.AST | None:
    """What a tensor is an operand of, behind what only moves or converts it."""
    parent = case.parents.get(node)
    while isinstance(parent, ast.Attribute) and parent.value is node:
        outer = case.parents.get(parent)
        if isinstance(outer, ast.Call) and outer.func is parent:
            if parent.attr in _COMPARING:
                return outer
            if parent.attr not in _KEEPING:
                return None
            node, parent = outer, case.parents.get(outer)
        else:
            return None
    return parent


def _undone(case: Case, made: ast.expr, behind: str) -> tuple[list[Edit], str]:
    """The edits that leave out what made a column, with the text of that; or that make a row of it."""
    tail = _column_tail(case, made)
    if tail is None:
        return case.followed(made, f".squeeze(1){behind}"), ""
    if _tail(case, made) is not None:
        return [Edit(tail, behind)], case.program.text_at(tail)
    return [Edit(tail, ""), *(case.after(made, behind) if behind else [])], case.program.text_at(tail)


def _column_tail(case: Case, made: ast.expr) -> Span | None:
    """Where a column is made at the end of an expression, or of the array that a tensor is made of."""
    match made:
        case ast.Call(args=[inner, *_]) if called(made) in _MAKERS and (tail := _tail(case, inner)) is not None:
            return tail
    return _tail(case, made)


def _tail(case: Case, node: ast.expr) -> Span | None:
    """Where ``.reshape(-1, 1)`` stands at the end of an expression, or its like."""
    match node:
        case ast.Call(func=ast.Attribute(value=base, attr="reshape" | "view"), args=[*_, last]):
            sizes = last.elts if isinstance(last, ast.Tuple) else node.args
            fits = len(sizes) == 2 and case.text(sizes[1]) == "1"
        case ast.Call(func=ast.Attribute(value=base, attr="unsqueeze")):
            dim = argument_of(node, 0, "dim")
            fits = dim is not None and case.text(dim) in ("1", "-1")
        case ast.Subscript(value=base, slice=ast.Tuple(elts=[ast.Slice(lower=None, upper=None), last])):
            fits = case.text(last) == "None" or case.text(last).endswith("newaxis")
        case _:
            return None
    inner, whole = case.program.span_of(base), case.program.span_of(node)
    return case.between(inner, whole) if fits and inner is not None and whole is not None else None
