"""One number for each sample, used several times beside the samples themselves: its missing dimensions are given where it is made."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.words import apply, code, finding, joined, line
from gradflow.engine.diagnosis.fixes.shapes import fitting
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.error_kind import Shape
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Edit

Sizes = tuple[int, ...]


def used_again(case: Case, node: ast.expr, pair: Sequence[ast.expr], shapes: Sequence[Sizes]) -> Finding | None:
    """``a.sqrt() * x + (1 - a).sqrt() * noise``, with one ``a`` for each picture."""
    for own, other in ((1, 0), (0, 1)):
        text = fitting(tuple(shapes[own]), tuple(shapes[other]))
        if not text.startswith(".reshape(") or len(shapes[own]) != 1:
            continue
        uses = _uses(case, node, shapes[own])
        makers = {name: _made_here(case, nodes[0], shapes[own]) for name, nodes in uses.items()}
        if sum(map(len, uses.values())) < 2 or not any(
            one in nodes for nodes in uses.values() for one in ast.walk(pair[own])
        ):
            continue
        uses, makers = _first_made(uses, makers)
        edits: list[Edit] = []
        for name, nodes in uses.items():
            made = makers[name]
            edits += (
                case.followed(made, text)
                if made is not None
                else [e for one in nodes for e in case.followed(one, text)]
            )
        return _told(case, pair[other], uses, makers, (shapes[own], shapes[other]), text, edits)
    return None


def _told(
    case: Case,
    other: ast.expr,
    uses: dict[str, list[ast.Name]],
    makers: dict[str, ast.expr | None],
    shapes: tuple[Sizes, Sizes],
    text: str,
    edits: list[Edit],
) -> Finding:
    own, whole = Shape(shapes[0]), Shape(shapes[1])
    one = len(uses) == 1
    names = [_named(name, makers[name]) for name in uses]
    made = next((each for each in makers.values() if each is not None), None)
    whole_text = f"{case.operand(made)}{text}" if made is not None and one else text
    where = ("where it is made", "where they are made")[not one] if made is not None else "wherever they are used here"
    where = where.replace("they are used", "it is used") if one else where
    where_zh = "在创建时" if made is not None else "在这里每次使用时"
    be = "is" if one else "are each"
    return finding(
        case,
        f"{joined([each[0] for each in names], 'en')} {be} {own:en}, one number for each of the {own[0]} samples of {code(case, other)}, which is {whole:en}."
        f" Sizes are compared from the right, so {own[0]} meets {whole[-1]}. Give {'it' if one else 'them'} the missing dimensions {where}: `{whole_text}`.",
        f"{joined([each[1] for each in names], 'zh')} {'' if one else '都'}是{own:zh}，为 {code(case, other)}（{f'{whole:zh}'.strip()}）的 {own[0]} 个样本各给一个数。"
        f"形状从右往左比较，所以 {own[0]} 对上了 {whole[-1]}。请{where_zh}补上缺少的维度：`{whole_text}`。",
        apply(case, edits, f"`{text}`", f"`{text}`") or (),
        made if made is not None else next(iter(uses.values()))[0],
    )


def _first_made(
    uses: dict[str, list[ast.Name]], makers: dict[str, ast.expr | None]
) -> tuple[dict[str, list[ast.Name]], dict[str, ast.expr | None]]:
    """Without those that are computed from others of them, which are of the right shape then."""
    given = {name for name, made in makers.items() if made is not None}
    kept = {
        name: nodes
        for name, nodes in uses.items()
        if (made := makers[name]) is None
        or not any(isinstance(one, ast.Name) and one.id in given - {name} for one in ast.walk(made))
    }
    return kept, {name: makers[name] for name in kept}


def _named(name: str, made: ast.expr | None) -> tuple[str, str]:
    if made is None:
        return f"`{name}`", f"`{name}`"
    return f"`{name}` (line {line(made)})", f"`{name}`（第 {line(made)} 行）"


def _uses(case: Case, node: ast.expr, own: Sizes) -> dict[str, list[ast.Name]]:
    """The variables of this shape in the statement, by name, as far as nothing has reshaped them there."""
    statement, found = case.statement(node), dict[str, list[ast.Name]]()
    for one in ast.walk(statement) if statement is not None else ():
        value = case.value(one) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load) else None
        if not isinstance(one, ast.Name) or not isinstance(value, Tensor) or tuple(value.shape) != tuple(own):
            continue
        if value.dtype.is_floating_point and not isinstance(case.parents.get(one), ast.Subscript):
            found.setdefault(one.id, []).append(one)
    return found


def _made_here(case: Case, use: ast.Name, own: Sizes) -> ast.expr | None:
    """The one expression that gives the variable in the same function."""
    flow = Flow(case)
    scope = flow.scope(use)
    stores = [
        one
        for one in case.nodes(ast.Name)
        if one.id == use.id and isinstance(one.ctx, ast.Store) and flow.scope(one) is scope
    ]
    statement = case.parents.get(stores[0]) if len(stores) == 1 else None
    if (
        not isinstance(statement, ast.Assign)
        or statement.targets[0] is not stores[0]
        or statement is case.statement(use)
    ):
        return None
    made = definition(case, statement.value)
    return statement.value if isinstance(made, ast.expr) else None
