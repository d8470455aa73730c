"""A graphics card that is asked for where the program fails, whether there is one or not: ``x.cuda()``, ``x.to('cuda')``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.causes.cards import card_texts, moves
from gradflow.engine.diagnosis.findings.words import apply, code, finding, joined, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.fixes.devices import is_available
from gradflow.engine.trace import Edit, Span

_NAME = "device"

Place = tuple[ast.expr, str]
"""A call of ``.cuda()``, or a text that names a card; and the card, as it is written in a program."""


@finds(errors.NO_CUDA, errors.NO_ACCELERATOR)
def _asked_always(case: Case) -> Finding | None:
    """``model = model.cuda()``: the call that stands there, and a device that is chosen by what there is."""
    call = case.find(ast.Call)
    places = list(_places(case))
    asked = set(ast.walk(call)) if call is not None else set()
    own = [one for one in places if one[0] in asked]
    if call is None or not own:
        return None
    torch, imports = case.with_torch()
    quote = own[0][1][-1]
    chosen = f"{torch}.cuda.is_available() else {quote}cpu{quote}"
    told = f"{code(case, _shown(case, own[0][0]))} on line {line(call)} asks for a graphics card whether there is one or not, and there is none here."
    told_zh = f"第 {line(call)} 行的 {code(case, _shown(case, own[0][0]))} 不管有没有显卡都要用显卡，而这里没有。"
    if len(places) > 1 and not imports and (once := _chosen_once(case, places, chosen)) is not None:
        edits, text = once
        lines = sorted({line(one) for one, _ in places})
        rows, rows_zh = (joined([str(one) for one in lines], language) for language in ("en", "zh"))
        where = f"line{'s' * (len(lines) > 1)} {rows}"
        return finding(
            case,
            f"{told} Choose the device once, by what there is, `{text}`, and use `{_NAME}` on {where}.",
            f"{told_zh}请按实际情况只选择一次设备：`{text}`，并在第 {rows_zh} 行使用 `{_NAME}`。",
            apply(case, edits, f"`{text}`", f"`{text}`"),
            call,
        )
    edits = [*imports, *(edit for one in places for edit in _edit(case, one, f"{one[1]} if {chosen}"))]
    edits += _waiting(case, torch)
    text = f"{own[0][1]} if {chosen}"
    asks = own[0][0]
    text = f"{case.text(asks.func)[: -len('.cuda')]}{_moving(case, asks, text)}" if isinstance(asks, ast.Call) else text
    text = " ".join(text.split())
    return finding(
        case,
        f"{told} Use a card only where there is one: `{text}`.",
        f"{told_zh}请只在有显卡时才用它：`{text}`。",
        apply(case, edits, f"`{text}`", f"`{text}`"),
        call,
    )


def _shown(case: Case, node: ast.expr) -> ast.AST:
    """What is told of a place: the call that a text is given to, or its keyword."""
    outer = case.parents.get(node)
    return outer if isinstance(outer, ast.keyword | ast.Call) and not isinstance(node, ast.Call) else node


def _places(case: Case) -> Iterator[Place]:
    """All places that ask for a card and do not ask before whether there is one."""
    quote = '"' if case.program.source.count('"') > case.program.source.count("'") else "'"
    for call in case.nodes(ast.Call):
        if moves(call) and not _is_guarded(case, call) and (card := _card(case, call, quote)) is not None:
            yield call, card
    for text in card_texts(case):
        if isinstance(text, ast.Constant) and not isinstance(case.parents.get(text), ast.IfExp):
            yield text, case.text(text)


def _card(case: Case, call: ast.Call, quote: str) -> str | None:
    """The card that ``.cuda()`` asks for, by its number if that is given; None where it is told more."""
    if any(one.arg != "non_blocking" for one in call.keywords) or len(call.args) > 1:
        return None
    if not call.args:
        return f"{quote}cuda{quote}"
    number = call.args[0]
    if not isinstance(case.value(number), int) or not isinstance(number, ast.Constant | ast.Name):
        return None
    text = case.text(number)
    return f"{quote}cuda:{text}{quote}" if isinstance(number, ast.Constant) else f"f{quote}cuda:{{{text}}}{quote}"


def _is_guarded(case: Case, node: ast.expr) -> bool:
    """Whether a place is reached only where there is a card."""
    current: ast.AST | None = node
    while current is not None:
        if isinstance(current, ast.If | ast.IfExp) and is_available(current.test):
            return True
        current = case.parents.get(current)
    return False


def _edit(case: Case, place: Place, device: str) -> list[Edit]:
    """Another device at a place."""
    node, _ = place
    if isinstance(node, ast.Call):
        return [Edit(one.span, _moving(case, node, device)) for one in case.without_tail(node)]
    return case.replace(node, device)


def _moving(case: Case, call: ast.Call, device: str) -> str:
    """``.to(device)`` for ``.cuda()``, with what that was told besides."""
    return f".to({device}{''.join(f', {case.text(one)}' for one in call.keywords)})"


def _chosen_once(case: Case, places: list[Place], chosen: str) -> tuple[list[Edit], str] | None:
    """A variable for the device in front of all statements but the imports, and its use at all places."""
    taken = {one.id for one in case.nodes(ast.Name)} | {one.arg for one in case.nodes(ast.arg)}
    first = next((one for one in case.program.tree.body if not _is_head(one)), None)
    span: Span | None = case.program.span_of(first) if first is not None else None
    alike = {card.strip("\"'") for _, card in places}
    numbered = any(card.startswith("f") for _, card in places)
    if (
        _NAME in taken
        or len(alike) != 1
        or numbered
        or first is None
        or span is None
        or getattr(first, "decorator_list", None)
    ):
        return None
    if any(isinstance(case.parents.get(one), ast.Assign) for one, _ in places if not isinstance(one, ast.Call)):
        return None
    text = f"{_NAME} = {places[0][1]} if {chosen}"
    before = case.line_before(first, text)
    before += _waiting(case, case.module_alias("torch") or "torch") if before else []
    return ([*before, *(edit for one in places for edit in _edit(case, one, _NAME))], text) if before else None


def _waiting(case: Case, torch: str) -> list[Edit]:
    """``torch.cuda.synchronize()`` only where there is a card: without one it would be the next error."""
    calls = [
        one.value
        for one in case.nodes(ast.Expr)
        if case.text(one.value) == f"{torch}.cuda.synchronize()" and not _is_guarded(case, one.value)
    ]
    return [edit for one in calls for edit in case.before(one, f"if {torch}.cuda.is_available(): ")]


def _is_head(statement: ast.stmt) -> bool:
    """Whether a statement belongs to the head of a program: an import, a docstring."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return True
    return isinstance(statement, ast.Import | ast.ImportFrom)
