"""Several columns of positions cut from a table of floats: all of them are converted where they come from."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called, insertion, start_of
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import kind_source
from gradflow.engine.diagnosis.findings.origins.arrays import array_source
from gradflow.engine.diagnosis.findings.words import code, finding, joined, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Edit

_DEPTH = 6


@dataclass(frozen=True)
class _Source:
    """Where a tensor of positions gets its name: the statement and the name, or an expression that has none."""

    place: ast.stmt | ast.expr
    name: str = ""


@finds(errors.EMBEDDING_DTYPE, errors.INDEX_DTYPE, errors.INDEX_KIND)
def _several_columns(case: Case) -> Finding | None:
    """``users, items, ratings = table.unbind(1)`` of floats, for two embeddings."""
    failed = case.find(ast.Call) or case.find(ast.Subscript)
    uses = sorted(_uses(case, failed), key=start_of) if failed is not None else []
    if len(uses) < 2 or any(called(one) in ("Tensor", "FloatTensor") for one in _makers(case, uses)):
        return None
    sources = [found for one in uses if (found := _source(case, one)) is not None]
    places = list(dict.fromkeys(sources))
    statements = list(dict.fromkeys(one.place for one in places))
    if len(sources) != len(uses):
        return None
    edits, texts = list[Edit](), list[str]()
    for statement in statements:
        names = [one.name for one in places if one.place is statement]
        added, text = _converted(case, statement, names)
        if not added:
            return None
        edits += added
        texts.append(text)
    return _told(case, uses, places, edits, texts)


def _makers(case: Case, uses: list[ast.expr]) -> Iterator[ast.Call]:
    """What made these floats."""
    for use in uses:
        first = next((one for one in Flow(case).behind(use) if isinstance(one, ast.Name)), use)
        made = array_source(case, first) or kind_source(case, use)
        if isinstance(made, ast.Call):
            yield made


def _told(case: Case, uses: list[ast.expr], places: list[_Source], edits: list[Edit], texts: list[str]) -> Finding:
    names = [f"`{one.name}`" if one.name else code(case, one.place) for one in places]
    rows = [str(one) for one in dict.fromkeys(line(one.place) for one in places)]
    held = Flow(case).tensor(uses[0])
    kind = f"`{held.dtype}`" if held is not None else "`torch.float32`"
    takers = [code(case, one) for one in dict.fromkeys(_taker(case, one) for one in uses)]
    takers = list(dict.fromkeys(takers))
    one = len(names) == 1
    verb, need = "is" if one else "are", "needs" if len(takers) == 1 else "need"
    shown = "; ".join(f"`{one}`" for one in texts)
    them = "it where it comes" if one else "all of them where they come"
    here = "在它产生的地方" if one else "在它们产生的地方一并"
    plural = "s" * (len(rows) > 1)
    return finding(
        case,
        f"{joined(names, 'en')} (line{plural} {joined(rows, 'en')}) {verb} {kind}, and {joined(takers, 'en')} {need} positions there, whole numbers. Convert {them}"
        f" from: {shown}.",
        f"{joined(names, 'zh')}（第 {joined(rows, 'zh')} 行）是 {kind}，而 {joined(takers, 'zh')} 在那里需要位置，即整数。请{here}转换："
        f"{shown.replace('; ', '；')}。",
        case.fix(edits, places[0].place),
        places[0].place,
    )


def _taker(case: Case, use: ast.expr) -> ast.expr:
    """What a use is given to: the layer, or the table that is looked up."""
    outer = case.parents.get(use)
    if isinstance(outer, ast.Call):
        return outer.func
    return outer.value if isinstance(outer, ast.Subscript) else use


def _uses(case: Case, failed: ast.expr) -> Iterator[ast.expr]:
    """The floats that are given for positions in the function of the error."""
    flow = Flow(case)
    scope = flow.scope(failed)
    for node in case.program.nodes:
        given: ast.expr | None = None
        if isinstance(node, ast.Call) and node.args:
            layer = type(case.value(node.func)).__name__ in ("Embedding", "EmbeddingBag")
            given = node.args[0] if layer or called(node) == "embedding" else None
        elif (
            isinstance(node, ast.Subscript)
            and isinstance(node.ctx, ast.Load)
            and isinstance(case.value(node.value), Tensor)
        ):
            given = node.slice
        if given is None or flow.scope(node) is not scope:
            continue
        held = flow.tensor(given)
        if held is None and isinstance(given, ast.Subscript):
            held = flow.tensor(given.value)  # a column that no run has come to yet
        if held is not None and held.dtype.is_floating_point:
            yield given


def _source(case: Case, node: ast.expr) -> _Source | None:
    """The statement that gives a tensor its first name, through the calls that hand it on."""
    flow = Flow(case)
    for _ in range(_DEPTH):
        if not isinstance(node, ast.Name):
            return _Source(node) if isinstance(node, ast.Subscript | ast.Call) else None
        scope, name = flow.scope(node), node.id
        bound = [one for one in case.program.nodes if _binds(one, name) and flow.scope(one) is scope]
        before = [one for one in bound if line(one) <= line(node)]
        if before:
            last = max(before, key=line)
            return _Source(last, name) if isinstance(last, ast.stmt) else None
        given = next(flow.assigned(node, name), None) if isinstance(scope, ast.FunctionDef) and not bound else None
        if given is None:
            return None
        node = given
    return None


def _binds(node: ast.AST, name: str) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.For) else []
    return any(isinstance(one, ast.Name) and one.id == name for target in targets for one in ast.walk(target))


def _converted(case: Case, place: ast.stmt | ast.expr, names: list[str]) -> tuple[list[Edit], str]:
    """The names of one statement as whole numbers: in its value, behind it, or at the beginning of its loop."""
    if isinstance(place, ast.expr):
        return case.followed(place, ".long()"), f"{case.operand(place)}.long()"
    if isinstance(place, ast.Assign) and isinstance(place.targets[0], ast.Name):
        value = place.value
        if isinstance(value, ast.Call) and called(value) == "float":
            return [], ""  # that is what to leave out
        return case.followed(value, ".long()"), f"{names[0]} = {case.operand(value)}.long()"
    text = f"{', '.join(names)} = {', '.join(f'{one}.long()' for one in names)}"
    if isinstance(place, ast.For):
        return case.line_before(place.body[0], text), text
    span = case.program.span_of(place)
    if span is None:
        return [], text
    end = case.line(span.end_line)
    if end[span.end_column :].strip() and not end[span.end_column :].lstrip().startswith("#"):
        return [], text
    head = case.line(span.line)[: span.column]
    return [insertion(span.end_line, len(end), f"\n{head}{text}")], text
