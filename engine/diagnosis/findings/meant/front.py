"""A token that was put in front of a sequence: what stands for the sequence alone has one position less."""

from __future__ import annotations

import ast
import re
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import PADDING_MASKS, shape_at
from gradflow.engine.diagnosis.findings.meant.added_rows import Added, lengthened
from gradflow.engine.diagnosis.findings.words import code, finding, line, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.fixes.dtypes import operands
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.sandbox.positions import argument_of

_JOINING: Final = ("cat", "concat", "concatenate", "hstack")
_LAYING_OUT: Final = ("reshape", "view", "flatten")


def added(case: Case, node: ast.expr, sizes: tuple[int, int]) -> Added | None:
    """What made the sequence behind a value longer, from one size to another."""
    flow = Flow(case)
    for one in flow.behind(node):
        parts = one.args[0] if isinstance(one, ast.Call) and called(one) in _JOINING and one.args else None
        if not isinstance(one, ast.Call) or not isinstance(parts, ast.List | ast.Tuple):
            continue
        whole = shape_at(case, one)
        given = argument_of(one, 1, "dim")
        dim = case.value(given) if given is not None else int(called(one) == "hstack")
        if whole is None or not isinstance(dim, int) or not -len(whole) <= dim < len(whole) or whole[dim] != sizes[1]:
            continue
        shapes = [shape_at(case, part) for part in parts.elts]
        lengths = [
            shape[dim] if shape and len(shape) == len(whole) and shape[dim] < sizes[1] else None for shape in shapes
        ]
        found = [at for at, length in enumerate(lengths) if length == sizes[0]] or [
            at for at, length in enumerate(lengths) if length is None
        ]
        if len(found) != 1 or any(length is None for at, length in enumerate(lengths) if at != found[0]):
            continue
        front, behind = (sum(length or 0 for length in rest) for rest in (lengths[: found[0]], lengths[found[0] + 1 :]))
        if front + behind == sizes[1] - sizes[0]:
            return Added(one, front, behind)
    return None


def _longer(long: tuple[int, ...], short: tuple[int, ...]) -> int | None:
    """The one dimension in which the beginning of a shape is longer than another one."""
    places = [at for at, (one, other) in enumerate(zip(long, short, strict=False)) if one != other != 1]
    return places[0] if len(places) == 1 and len(short) <= len(long) and long[places[0]] > short[places[0]] else None


def _told(case: Case, long: ast.expr, sizes: tuple[int, int], made: Added, dim: int, other: ast.expr) -> Finding:
    text = f"{case.operand(long)}{made.cut(dim)}"
    told, told_zh = made.told
    return finding(
        case,
        f"{code(case, made.call)} on line {line(made.call)} {told} of the {sizes[0]} positions of the sequence, so {code(case, long)} has {sizes[1]}, and"
        f" {code(case, other)} has an entry for each of the {sizes[0]} alone. Leave what was added out here: `{text}`.",
        f"第 {line(made.call)} 行的 {code(case, made.call)} 给序列的 {sizes[0]} 个位置{told_zh}，所以 {code(case, long)} 有 {sizes[1]} 个位置，而 {code(case, other)}"
        f" 只对应那 {sizes[0]} 个。请在这里去掉加上的部分：`{text}`。",
        write(case, long, text, case.parents.get(long)),
        made.call,
    )


@finds(errors.MASK_SHAPE)
def _mask_of_sequence(case: Case) -> Finding | None:
    """``logits[to_mask]`` where the model has put a vector in front of each sequence."""
    node = case.find(ast.Subscript)
    shape = shape_at(case, node.value) if node is not None else None
    mask = shape_at(case, node.slice) if node is not None else None
    dim = _longer(shape, mask) if shape and mask else None
    if node is None or shape is None or mask is None or dim is None:
        return None
    sizes = mask[dim], shape[dim]
    made = added(case, node.value, sizes)
    return _told(case, node.value, sizes, made, dim, node.slice) if made is not None else None


@finds(errors.SHAPE_BROADCAST)
def _meets_sequence(case: Case) -> Finding | None:
    """``per_token * keep`` and ``mse_loss(out, target)``, one of them with a position more."""
    node = case.find(ast.BinOp) or case.find(ast.Call)
    pair = [one for one in operands(case, node) if shape_at(case, one)]
    if len(pair) != 2 and isinstance(node, ast.Call):
        pair = [one for one in node.args[:2] if shape_at(case, one)]
    if len(pair) != 2:
        return None
    for long, short in (pair, pair[::-1]):
        own, other = shape_at(case, long) or (), shape_at(case, short) or ()
        missing = len(own) - len(other)
        dim = _longer(own, (1,) * missing + other) if missing >= 0 else None
        if dim is None:
            continue
        sizes = other[dim - missing], own[dim]
        if (made := added(case, long, sizes)) is None:
            continue
        if (table := lengthened(case, short, dim - missing, made, sizes)) is not None or missing:
            return table
        return _told(case, long, sizes, made, dim, short)
    return None


@finds(errors.TARGET_BATCH)
def _scores_of_sequence(case: Case) -> Finding | None:
    """``cross_entropy(out.reshape(-1, 20), tokens.reshape(-1))`` where `out` has a position more in each row."""
    call = case.find(ast.Call)
    pair = [_laid_out(case, one) for one in call.args[:2]] if call is not None else []
    if call is None or len(pair) != 2 or pair[0] is None or pair[1] is None:
        return None
    own, other = shape_at(case, pair[0]) or (), shape_at(case, pair[1]) or ()
    dim = _longer(own, other) if len(own) == len(other) + 1 else None
    if dim is None:
        return None
    sizes = other[dim], own[dim]
    made = added(case, pair[0], sizes)
    return _told(case, pair[0], sizes, made, dim, pair[1]) if made is not None else None


@finds(errors.MODULE_ASSERTION)
def _padding_of_sequence(case: Case) -> Finding | None:
    """``encoder(h, src_key_padding_mask=pad)`` where `h` has a position more than what the mask was made of."""
    call = case.find(ast.Call)
    told = re.search(
        r"key_padd(?:ed|ing)_mask\.shape\[1\] to be (\d+), but got (\d+)", str(case.details.get("message", ""))
    )
    given = next((one.value for one in call.keywords if one.arg in PADDING_MASKS), None) if call is not None else None
    if call is None or told is None or given is None or not call.args:
        return None
    sizes = int(told[2]), int(told[1])
    made = added(case, call.args[0], sizes)
    if made is None:
        return None
    torch, imports = case.with_torch()
    text = f"{torch}.nn.functional.pad({case.text(given)}, ({made.front}, {made.behind}))"
    says, says_zh = made.told
    return finding(
        case,
        f"{code(case, made.call)} on line {line(made.call)} {says} of the {sizes[0]} positions of the sequence, so there are {sizes[1]}, and the mask"
        f" {code(case, given)} has an entry for each of the {sizes[0]} alone. Give it entries for what was added, `False`, which hides nothing: `{text}`.",
        f"第 {line(made.call)} 行的 {code(case, made.call)} 给序列的 {sizes[0]} 个位置{says_zh}，所以一共有 {sizes[1]} 个，而掩码 {code(case, given)} 只对应那"
        f" {sizes[0]} 个。请为加上的部分也补上 `False`，即不遮住：`{text}`。",
        case.fix([*case.replace(given, text), *imports], call),
        made.call,
    )


def _laid_out(case: Case, node: ast.expr) -> ast.expr | None:
    """What was made flat for a loss."""
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr=attr)) if attr in _LAYING_OUT:
            return value
    return None
