"""An equation of `einsum` that names a dimension which an operand has not: which letter goes, and which two are one."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.findings.general.sources import shape_at

Sizes = tuple[int, ...]
_MOST: Final = 2


@dataclass(frozen=True)
class Shorter:
    """An equation with a letter less, in its quotes, and what is done for it."""

    text: str
    en: str
    zh: str


def without_letter(case: Case, text: ast.expr, term: str) -> list[Shorter]:
    """The equations with one letter less, after which all sizes fit and as little as can be is summed by itself."""
    call, equation = case.enclosing(text, ast.Call), getattr(text, "value", "")
    if call is None or equation.count("->") != 1 or "." in equation:
        return []
    head, _, tail = equation.replace(" ", "").partition("->")
    terms, shapes = head.split(","), [shape_at(case, one) for one in call.args[1:]]
    known = [one for one in shapes if one is not None]
    if len(known) != len(terms):
        return []
    found: dict[str, tuple[tuple[int, bool], Shorter]] = {}
    for letter, changed in _changed(terms, term):
        left = "".join(one for one in tail if one in "".join(changed))
        if consistent(changed, known) and not _doubled(changed):
            joined, shared = _shared(changed, known, left)
            whole = f"{','.join(joined)}->{left}"
            rank = (len(_alone(joined, left)), left != tail)
            found[whole] = (rank, _told(case.text(text)[0], whole, letter, shared))
    least = min((rank for rank, _ in found.values()), default=(0, False))
    best = [one for rank, one in found.values() if rank == least]
    return best if len(best) <= _MOST else []


def _changed(terms: Sequence[str], term: str) -> Iterator[tuple[str, list[str]]]:
    """A letter less for one operand, or for all that have it."""
    for letter in dict.fromkeys(term):
        if terms.count(term) == 1:
            yield letter, [one.replace(letter, "") if one == term else one for one in terms]
        yield letter, [one.replace(letter, "") for one in terms]


def _doubled(terms: Sequence[str]) -> bool:
    return any(len(set(one)) != len(one) or not one for one in terms)


def _alone(terms: Sequence[str], tail: str) -> list[tuple[int, int]]:
    """The places of the letters that stand in one operand only, and not in the result: what is summed by itself."""
    whole = "".join(terms) + tail
    return [(k, at) for k, one in enumerate(terms) for at, letter in enumerate(one) if whole.count(letter) == 1]


def _shared(terms: Sequence[str], shapes: Sequence[Sizes], tail: str) -> tuple[list[str], tuple[str, str, int] | None]:
    """The terms with one letter for two dimensions of the same size that would each be summed by itself."""
    alone = _alone(terms, tail)
    if len(alone) != 2 or alone[0][0] == alone[1][0]:
        return list(terms), None
    (k, at), (other, place) = alone
    if shapes[k][at] != shapes[other][place]:
        return list(terms), None
    kept, lost = terms[k][at], terms[other][place]
    return [one.replace(lost, kept) for one in terms], (kept, lost, shapes[k][at])


def _told(quote: str, whole: str, letter: str, shared: tuple[str, str, int] | None) -> Shorter:
    text = f"{quote}{whole}{quote}"
    if shared is None:
        return Shorter(text, f"leave `{letter}` out: `{text}`", f"请去掉 `{letter}`：`{text}`")
    kept, lost, size = shared
    return Shorter(
        text,
        f"leave `{letter}` out, and name the two dimensions of size {size} that are multiplied and summed by one letter, `{kept}` for `{lost}`: `{text}`",
        f"请去掉 `{letter}`，并给相乘求和的两个大小为 {size} 的维度用同一个字母，把 `{lost}` 换成 `{kept}`：`{text}`",
    )


def consistent(terms: Sequence[str], shapes: Sequence[Sizes]) -> bool:
    """Whether each letter stands for one size, and each operand has as many as it has dimensions."""
    sizes: dict[str, int] = {}
    if any(len(term) != len(shape) for term, shape in zip(terms, shapes, strict=True)):
        return False
    pairs = [pair for term, shape in zip(terms, shapes, strict=True) for pair in zip(term, shape, strict=True)]
    return all(sizes.setdefault(letter, size) == size for letter, size in pairs)
