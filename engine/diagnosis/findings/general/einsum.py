"""Equations of `einsum`: which letter stands for which size of which operand."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from itertools import permutations

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import shape_at, size_told
from gradflow.engine.diagnosis.findings.kindred.einsum_letters import Sizes, consistent, without_letter
from gradflow.engine.diagnosis.findings.words import code, finding
from gradflow.engine.diagnosis.fixers import finds


@finds(errors.EINSUM_EQUATION, errors.EINSUM_OPERANDS)
def _equation(case: Case) -> Finding | None:
    call = case.find(ast.Call)
    if (
        call is None
        or not call.args
        or not isinstance(call.args[0], ast.Constant)
        or not isinstance(call.args[0].value, str)
    ):
        return None
    text, operands = call.args[0], list(call.args[1:])
    if len(operands) == 1 and isinstance(operands[0], ast.List | ast.Tuple):
        operands = operands[0].elts
    equation = str(text.value).replace(" ", "")
    left, arrow, right = equation.partition("->")
    terms = left.split(",")
    if len(terms) != len(operands):
        return _operand_count(case, call, terms, operands)
    shapes = [shape_at(case, one) for one in operands]
    known = [shape for shape in shapes if shape is not None]
    if len(known) != len(shapes):
        return None
    for term, operand, shape in zip(terms, operands, known, strict=True):
        if "..." not in term and len(term) != len(shape):
            return _letter_count(case, text, term, operand, shape)
    if extra := [one for one in right if one.isalpha() and one not in left]:
        return finding(
            case,
            f"The result `{right}` of the equation names `{extra[0]}`, and no operand does, so its size is not known. Use letters"
            f" that stand left of the arrow: `{left}`.",
            f"等式的结果 `{right}` 里有 `{extra[0]}`，而没有操作数用到它，所以不知道它的大小。请使用箭头左边有的字母：`{left}`。",
            (),
        )
    return _clash(case, text, (left, arrow + right), operands, known)


def _operand_count(case: Case, call: ast.Call, terms: Sequence[str], operands: Sequence[ast.expr]) -> Finding:
    listed = ", ".join(f"`{one}`" for one in terms)
    shown = ", ".join(code(case, one) for one in operands)
    return finding(
        case,
        f"The equation describes {len(terms)} operand{'s' * (len(terms) != 1)} ({listed}), and {len(operands)}"
        f" {'is' if len(operands) == 1 else 'are'} given ({shown}). Give one operand for each group of letters, or take the group"
        f" that is too much out of the equation.",
        f"等式描述了 {len(terms)} 个操作数（{listed.replace(', ', '、')}），而给出的有 {len(operands)} 个（{shown.replace(', ', '、')}）。请为每组字母"
        f"各给一个操作数，或者去掉等式里多余的那一组。",
        (),
        call.args[0],
    )


def _named_by_size(case: Case, text: ast.expr, term: str, shape: Sizes) -> str | None:
    """The equation with a letter for each dimension of an operand: those of the other operands by their sizes, a new one for the rest."""
    call = case.enclosing(text, ast.Call)
    equation = getattr(text, "value", "")
    if call is None or not isinstance(equation, str) or equation.count("->") != 1 or "." in equation:
        return None
    head, _, tail = equation.replace(" ", "").partition("->")
    terms = head.split(",")
    sizes: dict[str, int] = {}
    for one, operand in zip(terms, call.args[1:], strict=False):
        known = shape_at(case, operand)
        if known is not None and len(known) == len(one):
            sizes |= dict(zip(one, known, strict=True))
    at = next(
        (k for k, one in enumerate(terms) if one == term and len(shape_at(case, call.args[k + 1]) or ()) == len(shape)),
        None,
    )
    if at is None or len(set(sizes.values())) != len(sizes):
        return None
    by_size = {size: letter for letter, size in sizes.items()}
    free = [letter for letter in "klmnpqrs" if letter not in equation]
    letters = [by_size.get(int(size)) or free.pop(0) for size in shape]
    new = [one for one in letters if one not in sizes]
    if len(set(letters)) != len(letters) or len(new) != len(shape) - len(term):
        return None
    quote = case.text(text)[0]
    joined = ",".join("".join(letters) if k == at else one for k, one in enumerate(terms))
    return f"{quote}{joined}->{tail}{''.join(new)}{quote}"


def _letter_count(case: Case, text: ast.expr, term: str, operand: ast.expr, shape: Sizes) -> Finding:
    equation = case.text(text)
    fixes = []
    action = f"write {len(shape)} letters for it"
    action_zh = f"请为它写 {len(shape)} 个字母"
    if (named := _named_by_size(case, text, term, shape)) is not None:
        fixes = [case.fix(case.replace(text, named), text)]
        action, action_zh = f"{action}: `{named}`", f"{action_zh}：`{named}`"
    elif better := without_letter(case, text, term):
        fixes = [case.fix(case.replace(text, one.text), text) for one in better]
        action, action_zh = (
            ", or ".join(one.en for one in better),
            "请" + "，或者".join(one.zh.removeprefix("请") for one in better),
        )
    elif len(term) < len(shape):
        wider = equation.replace(term, f"...{term}", 1)
        head, arrow, tail = wider.partition("->")
        wider = f"{head}{arrow}...{tail}" if arrow else wider
        fixes = [case.fix(case.replace(text, wider), text)]
        action += f", or let `...` stand for the dimensions in front: `{wider}`"
        action_zh += f"，或者用 `...` 代表前面的维度：`{wider}`"
    return finding(
        case,
        f"{code(case, operand)} has {len(shape)} dimension{'s' * (len(shape) != 1)} (shape {list(shape)}), and the equation names"
        f" {len(term)} for it: `{term}`. Each letter is one dimension; {action}.",
        f"{code(case, operand)} 有 {len(shape)} 维（形状 {list(shape)}），而等式为它写了 {len(term)} 个字母：`{term}`。每个字母表示一维；{action_zh}。",
        fixes,
        text,
    )


def _clash(
    case: Case, text: ast.expr, sides: tuple[str, str], operands: Sequence[ast.expr], shapes: Sequence[Sizes]
) -> Finding | None:
    """A letter that stands for two sizes."""
    left, right = sides
    terms = left.split(",")
    seen: dict[str, tuple[int, ast.expr, int]] = {}
    for term, operand, shape in zip(terms, operands, shapes, strict=True):
        for at, (letter, size) in enumerate(zip(term, shape, strict=False)):
            first = seen.setdefault(letter, (size, operand, at))
            if first[0] == size or 1 in (first[0], size) or letter == ".":
                continue
            better = _reordered(terms, shapes)
            told = size_told(case, operand, size)
            whose, whose_zh = (f"; {told[0]}", f"；{told[1]}") if told[0] else ("", "")
            fix = case.fix(case.replace(text, f'"{",".join(better)}{right}"'), text) if better else None
            action = (
                f'name the dimensions in their order: `"{",".join(better)}{right}"`'
                if better
                else ("make the two sizes equal, or give the dimensions different letters if they are different things")
            )
            action_zh = (
                f'请按维度的次序写字母：`"{",".join(better)}{right}"`'
                if better
                else "请让两个大小相等；如果是两种不同的维度，请用不同的字母"
            )
            return finding(
                case,
                f"In the equation the letter `{letter}` stands for dimension {first[2]} of {code(case, first[1])}, of size {first[0]},"
                f" and for dimension {at} of {code(case, operand)}, of size {size}{whose}. Equal letters need equal sizes:"
                f" {action}.",
                f"等式里的字母 `{letter}` 既表示 {code(case, first[1])} 的第 {first[2]} 维（大小 {first[0]}），又表示 {code(case, operand)} 的第 {at} 维"
                f"（大小 {size}）{whose_zh}。相同的字母要求大小相同：{action_zh}。",
                fix or (),
                text,
            )
    return None


def _reordered(terms: Sequence[str], shapes: Sequence[Sizes]) -> list[str]:
    """The terms with the letters of one operand in another order, with which all sizes fit; nothing if there is none, or several."""
    found: list[list[str]] = []
    for at, term in enumerate(terms):
        for order in permutations(term):
            changed = [*terms[:at], "".join(order), *terms[at + 1 :]]
            if "".join(order) != term and consistent(changed, shapes):
                found.append(changed)
    return found[0] if len(found) == 1 else []
