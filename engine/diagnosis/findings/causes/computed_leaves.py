"""Leaves that an operation behind ``requires_grad=True`` turned into results: all those that an optimizer is given."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, apply_edits, called, start_of
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import apply, code, finding, joined, line, lines_of_all
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.trace import Edit

_LONGEST_SHOWN: Final = 72


@dataclass(frozen=True)
class Computed:
    """What is computed from a leaf: the name it has, its expression, and the call that switches the gradient on."""

    name: str
    made: ast.expr
    maker: ast.Call


def computed_from_leaf(case: Case, made: ast.expr) -> Computed | None:
    """``torch.randn(3, requires_grad=True) * 0.1``, ``torch.zeros(2).requires_grad_() + 1``, as it stands in the program."""
    if isinstance(made, ast.Name | ast.List | ast.Tuple | ast.Dict | ast.ListComp | ast.DictComp | ast.GeneratorExp):
        return None
    match case.parents.get(made):
        case ast.Assign(targets=[ast.Name() | ast.Attribute() | ast.Subscript() as target]):
            name = case.text(target)
        case (
            ast.Return()
            | ast.ListComp()
            | ast.List()
            | ast.Tuple()
            | ast.Dict()
            | ast.DictComp()
            | ast.GeneratorExp()
            | ast.Lambda()
        ):
            name = ""
        case _:
            return None
    makers = [one for one in ast.walk(made) if isinstance(one, ast.Call) and _switches_on(one)]
    if not makers and name and (before := _made_before(case, made, name)) is not None:
        return Computed(name, made, before)
    if not makers and (before := _of_one_use(case, made)) is not None:
        return Computed(name, made, before)
    return Computed(name, made, makers[0]) if len(makers) == 1 and makers[0] is not made else None


def _made_before(case: Case, made: ast.expr, name: str) -> ast.Call | None:
    """``w = torch.randn(3, requires_grad=True)`` and below it ``w = w * 0.1``: the call above, of the same block."""
    statement = case.statement(made)
    used = [one for one in ast.walk(made) if isinstance(one, ast.expr) and case.text(one) == name]
    if not used or statement is None or f"{name}.grad" in case.text(made):
        return None
    above = [
        one
        for one in case.nodes(ast.Assign)
        if case.parents.get(one) is case.parents.get(statement)
        and one.lineno < statement.lineno
        and name in [case.text(target) for target in one.targets]
    ]
    value = above[-1].value if above else None
    between = [one for one in case.nodes(ast.Name) if above and above[-1].lineno < one.lineno < statement.lineno]
    if not isinstance(value, ast.Call) or not _switches_on(value) or any(one.id == name for one in between):
        return None
    return value


def _of_one_use(case: Case, made: ast.expr) -> ast.Call | None:
    """``raw = torch.randn(3, requires_grad=True)`` and ``w = raw * 0.1``, where nothing else reads ``raw``."""
    flow = Flow(case)
    for one in ast.walk(made):
        if not isinstance(one, ast.Name):
            continue
        given, scope = list(flow.assigned(one, one.id)), flow.scope(one)
        whole = isinstance(scope, ast.Module)  # whose names are read in functions, too
        reads = [
            each
            for each in case.nodes(ast.Name)
            if each.id == one.id and isinstance(each.ctx, ast.Load) and (whole or flow.scope(each) is scope)
        ]
        if len(given) == len(reads) == 1 and isinstance(given[0], ast.Call) and _switches_on(given[0]):
            return given[0]
    return None


def _switches_on(call: ast.Call) -> bool:
    if _is_parameter(call):
        return True
    if isinstance(call.func, ast.Attribute) and call.func.attr == "requires_grad_":
        return not call.args and not call.keywords
    return any(one.arg == "requires_grad" and getattr(one.value, "value", None) is True for one in call.keywords)


def _is_parameter(call: ast.Call) -> bool:
    return called(call) == "Parameter" and len(call.args) == 1 and not call.keywords


@finds(errors.NO_PARAMETERS)
def _of_module(case: Case) -> Finding | None:
    """``self.w = nn.Parameter(torch.randn(3)) * 0.1``: no parameter any more."""
    rows = [one for each in case.nodes(ast.Assign) if (one := computed_from_leaf(case, each.value)) is not None]
    own = [one for one in rows if one.name.startswith("self.") and _is_parameter(one.maker)]
    return leaves_last(case, own)


@finds(errors.OPTIMIZE_NON_LEAF)
def _given(case: Case) -> Finding | None:
    """``U = torch.randn(3, 2, requires_grad=True) * 0.1``, and the same for ``V``."""
    call = case.find(ast.Call)
    given = [*call.args[:1], *(one.value for one in call.keywords if one.arg == "params")] if call is not None else []
    behind = [one for each in given for one in Flow(case).behind(each)]
    found = [one for each in dict.fromkeys(behind) if (one := computed_from_leaf(case, each)) is not None]
    return leaves_last(case, sorted(found, key=lambda one: start_of(one.made)))


def leaves_last(case: Case, found: Sequence[Computed]) -> Finding | None:
    """The flags set on what is computed, not on what it is computed from."""
    if not found:
        return None
    edits = [edit for one in found for edit in mended(case, one)]
    first, many = found[0], len(found) > 1
    (what, again), (what_zh, again_zh) = _subject(case, found)
    on, on_zh = lines_of_all([line(one.maker) for one in found])
    parameter = _is_parameter(first.maker)
    word = "requires_grad=True" if first.maker.keywords else ".requires_grad_()"
    text = shown(case, first)
    these = "are no leaves" if many else "is no leaf"
    on = f"{on[:1].replace('L', 'On l')}{on[1:]}"
    maker, like, like_zh = code(case, first.maker), " and the like" * many, " 等" * many
    begins = (
        f"{on} {maker}{like} {'make the leaves' if many else 'makes the leaf'}"
        if parameter
        else f"{on} `{word}` belongs to {maker}{like}"
    )
    begins_zh = (
        f"{on_zh}的 {maker}{like_zh} 创建了叶子张量" if parameter else f"{on_zh}的 `{word}` 属于 {maker}{like_zh}"
    )
    last, last_zh = (
        ("make the parameter last", "最后再创建参数")
        if parameter
        else ("switch the gradient on last", "最后再打开梯度")
    )
    return finding(
        case,
        f"{begins}, but {what} {'are' if many else 'is'} computed from {'these' if many else 'that'}, so"
        f" {again} {these}. Compute first and {last}: `{text}`.",
        f"{begins_zh}，而 {what_zh}是由{'它们' if many else '它'}算出来的，所以{again_zh}不是叶子张量。请先计算，{last_zh}：`{text}`。",
        apply(case, edits, f"`{text}`", f"`{text}`"),
        first.made,
    )


def _subject(case: Case, found: Sequence[Computed]) -> tuple[tuple[str, str], tuple[str, str]]:
    """What is computed, and the word for it in the second place, in both languages."""
    first, many = found[0], len(found) > 1
    function = case.enclosing(first.made, ast.FunctionDef)
    if not many and case.context.name and not first.name:
        name = f"`{case.context.name}`"
        return (name, name), (f"{name} ", f" {name} ")
    if not many and not first.name and function is not None and isinstance(case.parents.get(first.made), ast.Return):
        return (f"what `{function.name}` gives back", "it"), (f"`{function.name}` 返回的张量", "它")
    names = [f"`{one.name}`" if one.name else code(case, one.made) for one in found]
    told, told_zh = joined(names, "en"), joined(names, "zh")
    return (told, "they" if many else told), (f"{told_zh} ", "都" if many else f" {told_zh} ")


def _without_flag(case: Case, maker: ast.Call) -> list[Edit]:
    flag = next((keyword for keyword in maker.keywords if keyword.arg == "requires_grad"), None)
    return case.without_argument(maker, flag) if flag is not None else case.without_tail(maker)


def _as_data(case: Case, maker: ast.Call) -> list[Edit]:
    """What a parameter is made of, in the place of the parameter."""
    inner = maker.args[0]
    text = case.text(inner)
    return case.replace(maker, f"({text})" if isinstance(inner, ast.BinOp | ast.UnaryOp | ast.IfExp) else text)


def mended(case: Case, one: Computed) -> list[Edit]:
    """The edits by which what is computed is the leaf."""
    if not _is_parameter(one.maker):
        return [*_without_flag(case, one.maker), *case.followed(one.made, ".requires_grad_()")]
    return [*_as_data(case, one.maker), *case.wrapped(one.made, f"{case.text(one.maker.func)}(", ")")]


def shown(case: Case, one: Computed) -> str:
    """What then makes the leaf; of a long text its end alone."""
    edits = _as_data(case, one.maker) if _is_parameter(one.maker) else _without_flag(case, one.maker)
    text = " ".join(apply_edits(case.program.source, edits, case.program.span_of(one.made)).split())
    if _is_parameter(one.maker):
        whole, short = f"{case.text(one.maker.func)}({text})", f"{case.text(one.maker.func)}(...)"
    else:
        whole = f"({text}).requires_grad_()" if isinstance(one.made, ast.BinOp) else f"{text}.requires_grad_()"
        short = ".requires_grad_()"
    return whole if len(whole) <= _LONGEST_SHOWN else short


def leaf_changed(case: Case, made: ast.expr | None) -> Finding | None:
    """``torch.randn(3, requires_grad=True) * 0.1``, whose gradient is read; with all others whose gradient is."""
    first = computed_from_leaf(case, made) if made is not None else None
    if first is None or not (is_within(first) or _is_updated(case, first.name)):
        return None
    rows = [one for each in case.nodes(ast.Assign) if (one := computed_from_leaf(case, each.value)) is not None]
    read = [one for one in rows if f"{one.name}.grad" in case.program.source or one.made is made]
    return leaves_last(case, read)


def is_within(one: Computed) -> bool:
    """Whether the leaf is made in the same expression, and so has no name of its own."""
    return any(part is one.maker for part in ast.walk(one.made))


def _is_updated(case: Case, name: str) -> bool:
    """Whether a program trains what has a name, by a step of its own."""
    return any(
        f"{name}{how}" in case.program.source for how in (" -= ", ".data -= ", ".sub_(", ".data.sub_(", ".add_(")
    )
