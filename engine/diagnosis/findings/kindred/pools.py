"""A pool for inputs of another number of dimensions: ``nn.MaxPool1d`` for images, ``nn.MaxPool2d`` for signals."""

from __future__ import annotations

import ast
import re
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.layers import maker_of, running
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow

_POOL: Final = re.compile(r"(?:Adaptive)?(?:Max|Avg)Pool([123])d")
_FUNCTION: Final = re.compile(r"(?:adaptive_)?(?:max|avg)_pool([123])d")
_CONVOLUTION: Final = re.compile(r"Conv([123])d")
_HELD: Final = {1: ("signals", "信号"), 2: ("images", "图像"), 3: ("volumes", "三维体数据")}
_DIMENSIONS: Final = re.compile(r"(\d+)-dimensional")
_TURNING: Final = frozenset({"unsqueeze", "view", "reshape", "permute", "transpose", "unflatten", "Unflatten"})


@finds(errors.POOL_INPUT_1D, errors.POOL_REFUSED, errors.POOL_AVERAGE_1D, errors.POOL_INPUT)
def _dimensions_of_pool(case: Case) -> Finding | None:
    """``nn.MaxPool1d(2)`` behind ``nn.Conv2d``."""
    call = case.find(ast.Call)
    wanted = _wanted(case)
    if call is None or wanted is None:
        return None
    written = _FUNCTION.fullmatch(called(call))
    if written is not None and int(written[1]) != wanted:
        return _told(case, [call], int(written[1]), wanted)
    outer, _ = running(case)
    found = {
        made
        for layer in (outer.modules() if outer is not None else ())
        if (kind := _POOL.fullmatch(type(layer).__name__)) and int(kind[1]) != wanted
        if (made := maker_of(case, layer)) is not None
    }
    makers = sorted(found, key=lambda one: (one.lineno, one.col_offset))
    kinds = {_kind(one) for one in makers}
    return _told(case, makers, kinds.pop(), wanted) if len(kinds) == 1 and 0 not in kinds else None


@finds(errors.MM_SHAPE)
def _pool_across_channels(case: Case) -> Finding | None:
    """``nn.MaxPool2d(2)`` behind ``nn.Conv1d``, which pools the channels as if they were rows of an image."""
    made = [one for one in case.nodes(ast.Call) if _kind(one) == 2]
    if not made or _convolutions(case) != {1}:
        return None
    if any(called(one) in _TURNING for one in case.nodes(ast.Call)):
        return None
    return _told(case, made, 2, 1)


def _kind(made: ast.Call) -> int:
    found = _POOL.fullmatch(called(made))
    return int(found[1]) if found is not None else 0


def _convolutions(case: Case) -> set[int]:
    """The dimensions that the convolutions of the program go through."""
    found = (_CONVOLUTION.fullmatch(called(one)) for one in case.nodes(ast.Call))
    return {int(one[1]) for one in found if one is not None}


def _wanted(case: Case) -> int | None:
    """The dimensions of what was to be pooled, where a convolution of the program is for the same."""
    shape, text = case.details.get("shape"), str(case.details.get("message", ""))
    told = _DIMENSIONS.search(text)
    dims = case.details.get("ndim")
    call = case.find(ast.Call)
    held = Flow(case).tensor(call.args[0]) if call is not None and call.args else None
    outer, _ = running(case)
    if isinstance(shape, list | tuple):
        dims = len(shape)
    elif told is not None:
        dims = int(told[1])
    elif not isinstance(dims, int) and held is not None and type(outer).__name__ != "Sequential":
        dims = held.dim()
    kinds = _convolutions(case)
    if not isinstance(dims, int):
        return kinds.pop() if len(kinds) == 1 else None
    return dims - 2 if dims - 2 in kinds else None


def _told(case: Case, made: list[ast.Call], old: int, wanted: int) -> Finding | None:
    first, own, held = made[0], _HELD[old], _HELD[wanted]
    name = called(first)
    new = name.replace(f"{old}d", f"{wanted}d")
    text = case.text(first).replace(name, new, 1)
    plain = not any(isinstance(one, ast.Tuple | ast.List) for each in made for one in ast.walk(each))
    edits = [edit for one in made for edit in case.rename_end(one.func, f"{old}d", f"{wanted}d")]
    where, where_zh = (
        (f" on line {line(first)}", f"第 {line(first)} 行的 ") if line(first) != case.span.line else ("", "")
    )
    across, across_zh = "", ""
    if wanted < old:
        across, across_zh = (
            f" and goes through {old} dimensions, so that it pools the channels, too",
            f"，会在 {old} 个维度上移动，把通道也一起池化",
        )
    return finding(
        case,
        f"{code(case, first)}{where} is for {own[0]}{across}, and what reaches it comes from a convolution for {held[0]}. For these there is `{new}`: write"
        f" `{text}`.",
        f"{where_zh}{code(case, first)} 用于{own[1]}{across_zh}，而到达它的是用于{held[1]}的卷积的结果。这种输入请用 `{new}`：写成 `{text}`。",
        (case.fix(edits, first) if plain else None) or (),
        first,
    )
