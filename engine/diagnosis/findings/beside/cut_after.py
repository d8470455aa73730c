"""Columns that are cut off behind the pass that they were meant for: they are cut first, and the pass is of what joins them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.practice.parts import columns_of, cut_from, single_names
from gradflow.engine.diagnosis.findings.words import apply, code, finding, joined, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.traps.edits import without_line
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.trace import Edit

Cut = tuple[tuple[int, int], str, ast.Assign]
"""Columns, from and to, the name that they have, and the statement."""


@finds(errors.UNUSED_INPUT)
def _cut_after_pass(case: Case) -> Finding | None:
    """``u = net(X)``, ``x, t = X[:, :1], X[:, 1:]``, and the gradient of ``u`` with respect to ``t``."""
    call = case.find(ast.Call)
    wanted, output = (
        argument_of(call, k, name) if call is not None else None for k, name in ((1, "inputs"), (0, "outputs"))
    )
    if isinstance(wanted, ast.Tuple | ast.List):
        index = case.details.get("index")
        wanted = wanted.elts[index] if isinstance(index, int) and index < len(wanted.elts) else None
    made = definition(case, wanted) if isinstance(wanted, ast.Name) else None
    if output is None or not isinstance(wanted, ast.Name) or not isinstance(made, ast.Subscript):
        return None
    cuts, whole = sorted(_cuts(case, made), key=lambda one: one[0]), cut_from(case, made)
    names = [name for _, name, _ in cuts]
    if whole is None or len(whole) != 2 or wanted.id not in names or not _is_whole(cuts, whole[1]):
        return None
    uses = list(_earlier(case, output, made))
    if len(uses) != 1:
        return None
    use = uses[0]
    pieces = list(dict.fromkeys(statement for _, _, statement in cuts))
    torch, imports = case.with_torch()
    text = f"{torch}.cat([{', '.join(names)}], dim=1)"
    edits = _moved(case, use, pieces)
    shown, source = [f"`{one}`" for one in names], case.text(made.value)
    return finding(
        case,
        f"{joined(shown, 'en')} are cut from `{source}` on line {line(made)}, and line {line(use)} has computed with `{source}` itself before: they are new tensors that"
        f" {code(case, output)} does not depend on. Cut first, and compute with the pieces, joined again, on line {line(use)}: `{text}`.",
        f"{joined(shown, 'zh')} 到第 {line(made)} 行才从 `{source}` 切出，而第 {line(use)} 行在此之前已经用 `{source}` 本身算过了：它们是新的张量，{code(case, output)} 并不依赖它们。"
        f"请先切分，再在第 {line(use)} 行用重新拼接的切片计算：`{text}`。",
        apply(
            case,
            [*edits, *case.replace(use, text), *imports],
            f"Cut first, then `{text}`",
            f"先切分，再用 `{text}`",
        )
        if edits
        else (),
        made,
    )


def _cuts(case: Case, made: ast.Subscript) -> Iterator[Cut]:
    """The pieces of what a slice is cut from, each with a name, in the same function."""
    source, flow = case.text(made.value), Flow(case)
    for statement in case.nodes(ast.Assign):
        for target, value in single_names(statement):
            if not isinstance(value, ast.Subscript) or case.text(value.value) != source:
                continue
            columns = columns_of(case, value)
            if columns is not None and flow.scope(statement) is flow.scope(made):
                yield columns, target.id, statement


def _is_whole(cuts: list[Cut], width: int) -> bool:
    """Whether pieces, one behind the other, are all columns."""
    ends = [0, *(columns[1] for columns, _, _ in cuts)]
    return [columns[0] for columns, _, _ in cuts] == ends[:-1] and ends[-1] == width


def _earlier(case: Case, output: ast.expr, made: ast.Subscript) -> Iterator[ast.expr]:
    """Where a call on the way to the output is given the whole, in the lines before it is cut."""
    flow = Flow(case)
    for one in flow.behind(output):
        if isinstance(one, ast.Call) and line(one) < line(made) and flow.scope(one) is flow.scope(made):
            yield from (part for part in one.args if case.text(part) == case.text(made.value))


def _moved(case: Case, use: ast.expr, pieces: list[ast.Assign]) -> list[Edit]:
    """The edits that put the statements that cut in front of that which computes; none where other lines change the pieces."""
    before = case.statement(use)
    around = case.parents.get(before) if before is not None else None
    names = {
        one.id
        for each in pieces
        for one in ast.walk(each)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    }
    if before is None or any(case.parents.get(one) is not around for one in pieces):
        return []
    for one in case.nodes(ast.Attribute):
        if one.attr.endswith("_") and isinstance(one.value, ast.Name) and one.value.id in names:
            return []  # ``x.requires_grad_()``
    gone = [without_line(case, one) for one in pieces]
    placed = case.line_before(before, _lines(case, pieces, before))
    return [*placed, *(edit for edits in gone for edit in edits)] if placed and all(gone) else []


def _lines(case: Case, pieces: list[ast.Assign], before: ast.stmt) -> str:
    """The statements, in the indentation of the line that they come before."""
    return f"\n{' ' * before.col_offset}".join(case.text(one) for one in pieces)
