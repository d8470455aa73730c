"""Masks that still have channels, first or last, where the loss takes one class number at each place."""

from __future__ import annotations

import ast
from dataclasses import dataclass

import numpy as np

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.causes.births import born
from gradflow.engine.diagnosis.findings.general.sources import definition, shape_at
from gradflow.engine.diagnosis.findings.words import code, finding, line, on_other_line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.recording.entries import TensorEntry
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Fix

_MOST = 40


@dataclass(frozen=True)
class _Action:
    """What is to be done about the channels, in both languages."""

    en: str
    zh: str
    fix: Fix | None = None
    cause: ast.AST | None = None


@finds(errors.TARGET_SPATIAL)
def _channels(case: Case) -> Finding | None:
    call = case.find(ast.Call)
    given = argument_of(call, 1, "target") if call is not None else None
    if call is None or given is None or not call.args:
        return None
    scores, target = shape_at(case, call.args[0]), shape_at(case, given)
    if not scores or not target or len(scores) != len(target):
        return None
    wanted = [scores[0], *scores[2:]]
    action = _action(case, call, given, scores, target)
    last, last_zh = (
        (" (its channels stand last)", "（通道排在最后）") if _axis(scores, target) == len(target) - 1 else ("", "")
    )
    return finding(
        case,
        f"{code(case, given)} has the shape {list(target)}{last}, and for scores of {list(scores)} the target has no dimension of classes or channels: {wanted}."
        f" {action.en}",
        f"{code(case, given)} 的形状是 {list(target)}{last_zh}，而得分的形状是 {list(scores)} 时，目标没有类别或通道这一维：{wanted}。{action.zh}",
        [action.fix],
        action.cause or definition(case, given),
    )


def _axis(scores: tuple[int, ...], target: tuple[int, ...]) -> int | None:
    """The dimension of the channels, where the sizes of the others tell it."""
    if target[1] == 1 or (target[2:] == scores[2:] and target[0] == scores[0]):
        return 1
    return len(target) - 1 if target[:-1] == (scores[0], *scores[2:]) else None


def _action(case: Case, call: ast.Call, given: ast.expr, scores: tuple[int, ...], target: tuple[int, ...]) -> _Action:
    axis, value = _axis(scores, target), Flow(case).tensor(given)
    if axis is None or value is None:
        return _Action("Give the number of the class at each place.", "请给出每个位置的类别编号。")
    dim = 1 if axis == 1 else -1
    if target[axis] == 1:
        return _behind(case, call, given, f".squeeze({dim})", "Take the channel away", "请去掉通道这一维")
    array = np.moveaxis(np.asarray(value._a), axis, -1)
    if np.isin(array, (0, 1)).all() and (array.sum(-1) == 1).all():
        words = "Each place has one 1; its number is the class", "每个位置恰好有一个 1，它的编号就是类别"
        return _behind(case, call, given, f".argmax({dim})", *words)
    if (array == array[..., :1]).all() and array.max() < scores[1]:
        words = "All channels are the same; take one", "各通道完全相同，请取其中一个"
        return _behind(case, call, given, "[:, 0]" if axis == 1 else "[..., 0]", *words)
    return _by_palette(case, given, value, scores[1]) if axis != 1 else _colours(case, given, target[axis])


def _behind(case: Case, call: ast.Call, given: ast.expr, text: str, en: str, zh: str) -> _Action:
    whole = f"{case.operand(given)}{text}"
    return _Action(f"{en}: `{whole}`.", f"{zh}：`{whole}`。", case.fix(case.followed(given, text), call))


def _colours(case: Case, given: ast.expr, channels: int) -> _Action:
    """Several numbers at each place that are no single 1 among zeros: there is no telling which class they mean."""
    made = born(case, given) or definition(case, given)
    place, place_zh = on_other_line(made, given)
    return _Action(
        f"It has {channels} numbers at each place, as a colour has, and they are no single 1 among zeros, so no `argmax` gives a class."
        f" Make one class number of each colour where the mask is made: {code(case, made)}{place}.",
        f"它在每个位置有 {channels} 个数，就像一种颜色，而不是若干 0 中的一个 1，所以不能用 `argmax` 得到类别。请在创建掩码的地方把每种颜色换成一个类别编号："
        f"{code(case, made)}{place_zh}。",
        None,
        made,
    )


def _by_palette(case: Case, given: ast.expr, value: Tensor, classes: int) -> _Action:
    """``(rgb > 0).long()`` of colours: the number of the row of the palette that each colour is."""
    channels, made = int(value.shape[-1]), born(case, given)
    for name, held in case.values.items():
        palette = _palette(held, classes, channels)
        if palette is None or made is None or value._entry is None:
            continue
        source = next((one for one in _before(value._entry.first) if _all_of(one.array, palette)), None)
        colours = _compared(made) if source is not None and not _all_of(np.asarray(value._a), palette) else None
        if source is None or colours is None:
            continue
        rows = name if isinstance(held, Tensor) else f"{case.module_alias('torch') or 'torch'}.tensor({name})"
        text = f"({case.operand(colours)}[..., None, :] == {rows}).all(-1).long().argmax(-1)"
        return _Action(
            f"{code(case, made)} on line {line(made)} gives {channels} answers for each colour. The class is the number of the row of `{name}`"
            f" that the colour is: `{text}`.",
            f"第 {line(made)} 行的 {code(case, made)} 对每种颜色给出 {channels} 个结果。类别是这种颜色在 `{name}` 中的行号：`{text}`。",
            case.fix(case.replace(made, text), made),
            made,
        )
    return _colours(case, given, channels)


def _palette(held: object, classes: int, channels: int) -> np.ndarray | None:
    """The colours of the classes, one row each."""
    if isinstance(held, Tensor):
        array = np.asarray(held._a)
    elif isinstance(held, list) and all(isinstance(one, list | tuple) and len(one) == channels for one in held):
        array = np.asarray([[int(part) for part in one] for one in held])
    else:
        return None
    return array if array.shape == (classes, channels) and len(np.unique(array, axis=0)) == classes else None


def _before(entry: TensorEntry) -> list[TensorEntry]:
    """What a tensor was computed from, each of the first operand."""
    found = [entry]
    while len(found) < _MOST and found[-1].node is not None and found[-1].node.inputs:
        found.append(found[-1].node.inputs[0].first)
    return found


def _all_of(array: np.ndarray, palette: np.ndarray) -> bool:
    """Whether each colour of an array is one of a palette."""
    if array.ndim < 2 or array.shape[-1] != palette.shape[1] or array.shape == palette.shape:
        return False
    return bool((array[..., None, :] == palette).all(-1).any(-1).all())


def _compared(made: ast.expr) -> ast.expr | None:
    """``rgb`` of ``(rgb > 0).long()``."""
    match made:
        case ast.Compare(left=left):
            return left
        case ast.Call(func=ast.Attribute(value=ast.Compare(left=left))):
            return left
    return None
