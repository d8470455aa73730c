"""Sizes that do not broadcast: the dimension that is missing, two that are swapped, or the argument behind each size."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from itertools import combinations
from typing import Final

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import decided, decision
from gradflow.engine.diagnosis.findings.operands.position_tables import too_short
from gradflow.engine.diagnosis.findings.origins.branches import without_stride
from gradflow.engine.diagnosis.findings.origins.meetings import met
from gradflow.engine.diagnosis.findings.words import code, finding
from gradflow.engine.diagnosis.fixes.shapes import laid_out

Sizes = tuple[int, ...]


def inserted(own: Sizes, other: Sizes) -> list[Sizes]:
    """The shapes, with sizes of 1 put in between or behind, in which one of fewer dimensions broadcasts to another."""
    found = []
    for count in range(1, len(other) - len(own) + 1):
        total = len(own) + count
        for places in combinations(range(total), len(own)):
            shape = [1] * total
            for at, size in zip(places, own, strict=True):
                shape[at] = size
            tail = other[len(other) - total :]
            if all(a in (b, 1) for a, b in zip(shape, tail, strict=True)):
                found.append(tuple(shape))
        if found:
            return found
    return []


def inserting(own: Sizes, shape: Sizes) -> str:
    """The method that gives a tensor such a shape."""
    if len(shape) == len(own) + 1:
        at = next((k for k, size in enumerate(shape) if shape[:k] + shape[k + 1 :] == own and size == 1), None)
        if at is not None:
            return f".unsqueeze({at})"
    if len(own) == 1 and shape[0] == own[0]:
        return laid_out(shape)
    return f"[{', '.join(_places(own, shape))}]"


def _places(own: Sizes, shape: Sizes) -> list[str]:
    """The index that puts sizes of 1 in between, without the lengths, which may be others in another call."""
    left = list(own)
    places = []
    for at, size in enumerate(shape):
        kept = bool(left) and left[0] == size and (size != 1 or len(shape) - at == len(left))
        places.append(":" if kept else "None")
        left = left[1:] if kept else left
    return places


def swapped(own: Sizes, other: Sizes) -> str:
    """The method that swaps the two dimensions with which one shape becomes the other, or moves channels, where that is the one way."""
    if len(own) != len(other):
        return ""
    moved = _channels_moved(own, other)
    if moved or (len(own) > 2 and len(set(own)) < len(own)):
        return moved
    for first, second in combinations(range(len(own)), 2):
        sizes = list(own)
        sizes[first], sizes[second] = sizes[second], sizes[first]
        if tuple(sizes) == other:
            return f".transpose({first}, {second})"
    return ""


def _channels_moved(own: Sizes, other: Sizes) -> str:
    """Of pictures with their channels last and those with them first the order that makes one of the other; height and width may be equal."""
    if len(own) == 4 and own[0] == other[0]:
        if own[3] == other[1] and own[1:3] == other[2:] and own[3] not in own[1:3]:
            return ".permute(0, 3, 1, 2)"
        if own[1] == other[3] and own[2:] == other[1:3] and own[1] not in own[2:]:
            return ".permute(0, 2, 3, 1)"
    return ""


def unfitting(
    case: Case, node: ast.expr, pair: Sequence[ast.expr], shapes: Sequence[Sizes], said: tuple[str, str]
) -> Finding:
    """What is told of two shapes that do not broadcast; ``said``: the sentences that name them."""
    en, zh = said
    for own, other in ((1, 0), (0, 1)):
        if not shapes[own] or set(shapes[own]) == {1}:
            continue
        ways = inserted(tuple(shapes[own]), tuple(shapes[other]))
        hides_keys = len(ways) > 1 and _is_padding_mask(case, pair[own])
        if hides_keys:
            ways = [way for way in ways if way[-1] == shapes[own][-1] and 1 in way[:-1]][-1:] or ways
        texts = [inserting(tuple(shapes[own]), way) for way in ways] or [
            swapped(tuple(shapes[own]), tuple(shapes[other]))
        ]
        if not texts[0] or len(texts) > 2:
            continue
        fixes = [case.fix(case.followed(pair[own], text), node) for text in texts]
        shown = " or ".join(f"`{text}`" for text in texts)
        missing = len(ways[0]) - len(shapes[own]) if ways else 0
        what, what_zh = _lacking(missing) if ways else _MOVED if "permute" in texts[0] else _TURNED
        them = "those" if missing > 1 else "that"
        for_keys, for_keys_zh = _FOR_KEYS if hides_keys else ("", "")
        return finding(
            case,
            f"{en} Sizes are compared from the right; {code(case, pair[own])} {what}. {for_keys}Give it {them}: {shown}.",
            f"{zh}形状从右往左比较；{code(case, pair[own])} {what_zh}。{for_keys_zh}请写：{shown.replace(' or ', ' 或 ')}。",
            fixes,
        )
    return _who_decided(case, node, pair, shapes, said)


def _lacking(count: int) -> tuple[str, str]:
    """What one shape has less than the other."""
    if count == 1:
        return "lacks a dimension of size 1 where the other has one more", "比另一个少一维，需要在那里补上大小为 1 的维"
    return (
        f"lacks {count} dimensions of size 1 where the other has more",
        f"比另一个少 {count} 维，需要在那里补上大小为 1 的维",
    )


_TURNED: Final = ("has two dimensions the other way round", "有两个维度与另一个次序相反")
_MOVED: Final = ("has its channels at another place", "的通道排在另一个位置")
_FOR_KEYS: Final = (
    "A mask of padding hides what is looked at, the last dimension of the scores. ",
    "填充掩码要掩盖的是被关注的位置，也就是分数的最后一维。",
)


def _is_padding_mask(case: Case, node: ast.expr) -> bool:
    """Whether an operand is called a mask."""
    return bool(re.search(r"mask|pad", case.text(node), re.IGNORECASE))


def _who_decided(
    case: Case, node: ast.expr, pair: Sequence[ast.expr], shapes: Sequence[Sizes], said: tuple[str, str]
) -> Finding:
    """The two sizes that differ, and the arguments that decided them."""
    en, zh = said
    back = next(
        (
            k
            for k in range(1, min(map(len, shapes)) + 1)
            if shapes[0][-k] != shapes[1][-k] and 1 not in (shapes[0][-k], shapes[1][-k])
        ),
        1,
    )
    sizes = [shape[-back] if len(shape) >= back else 1 for shape in shapes]
    if (found := too_short(case, pair, sizes)) is not None:
        return found
    if (found := without_stride(case, pair, back, said) or met(case, node, pair, back, said)) is not None:
        return found
    which, which_zh = decided(case, list(zip(pair, sizes, strict=True)))
    sources = [decision(case, operand, size) for operand, size in zip(pair, sizes, strict=True)]
    cause = next((found.node for found in reversed(sources) if found is not None), None)
    return finding(
        case,
        f"{en} Compared from the right, {sizes[0]} meets {sizes[1]}{which}, and sizes that meet must be equal, or one of them 1."
        f" Make both {sizes[0]} or both {sizes[1]} where they are decided, or take only a part of the larger.",
        f"{zh}从右往左比较时，{sizes[0]} 对上了 {sizes[1]}{which_zh}，而对上的大小必须相等，或者其中一个是 1。请在决定大小的地方都改成"
        f" {sizes[0]} 或都改成 {sizes[1]}，或者只取较大者的一部分。",
        (),
        cause,
    )
