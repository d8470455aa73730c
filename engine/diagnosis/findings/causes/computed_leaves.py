"""Leaves that an operation behind ``requires_grad=True`` turned into results: all those that an optimizer is given."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, start_of
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
    if isinstance(made, ast.List | ast.Tuple | ast.Dict | ast.ListComp | ast.DictComp | ast.GeneratorExp):
        return None
    match case.parents.get(made):
        case ast.Assign(targets=[ast.Name() | ast.Attribute() | ast.Subscript() as target]):
            name = case.text(target)
        case ast.Return() | ast.ListComp() | ast.List() | ast.Tuple() | ast.Dict():
            name = ""
        case _:
            return None
    makers = [one for one in ast.walk(made) if isinstance(one, ast.Call) and _switches_on(one)]
    return Computed(name, made, makers[0]) if len(makers) == 1 and makers[0] is not made else None


def _switches_on(call: ast.Call) -> bool:
    if isinstance(call.func, ast.Attribute) and call.func.attr == "requires_grad_":
        return not call.args and not call.keywords
    return any(one.arg == "requires_grad" and getattr(one.value, "value", None) is True for one in call.keywords)


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
    edits: list[Edit] = []
    for one in found:
        flag = next((keyword for keyword in one.maker.keywords if keyword.arg == "requires_grad"), None)
        edits += case.without_argument(one.maker, flag) if flag is not None else case.without_tail(one.maker)
        edits += case.followed(one.made, ".requires_grad_()")
    names = [f"`{one.name}`" if one.name else code(case, one.made) for one in found]
    if len(found) == 1 and case.context.name and not found[0].name:
        names = [f"`{case.context.name}`"]
    first, many = found[0], len(found) > 1
    on, on_zh = lines_of_all([line(one.made) for one in found])
    word = "requires_grad=True" if first.maker.keywords else ".requires_grad_()"
    plain = case.text(first.made)
    ends = f"({plain})" if isinstance(first.made, ast.BinOp) else plain
    flag_text = ", requires_grad=True" if ", requires_grad=True" in ends else "requires_grad=True"
    text = f"{ends.replace(flag_text if word[0] == 'r' else word, '', 1)}.requires_grad_()"
    text = text if len(text) <= _LONGEST_SHOWN else ".requires_grad_()"
    these = "are no leaves" if many else "is no leaf"
    return finding(
        case,
        f"{on[:1].replace('L', 'On l')}{on[1:]} `{word}` belongs to {code(case, first.maker)}{' and the like' if many else ''}, but {joined(names, 'en')} {'are' if many else 'is'}"
        f" computed from {'these' if many else 'that'}, so {'they' if many else joined(names, 'en')} {these}. Compute first and switch the gradient on last: `{text}`.",
        f"{on_zh}的 `{word}` 属于 {code(case, first.maker)}{' 等' if many else ''}，而 {joined(names, 'zh')} 是由{'它们' if many else '它'}算出来的，所以"
        f"{'都' if many else f' {names[0]} '}不是叶子张量。请先计算，最后再打开梯度：`{text}`。",
        apply(case, edits, f"`{text}`", f"`{text}`"),
        first.made,
    )


def leaf_changed(case: Case, made: ast.expr | None) -> Finding | None:
    """``torch.randn(3, requires_grad=True) * 0.1``, whose gradient is read; with all others whose gradient is."""
    first = computed_from_leaf(case, made) if made is not None else None
    if first is None:
        return None
    rows = [one for each in case.nodes(ast.Assign) if (one := computed_from_leaf(case, each.value)) is not None]
    read = [one for one in rows if f"{one.name}.grad" in case.program.source or one.made is made]
    return leaves_last(case, read)
