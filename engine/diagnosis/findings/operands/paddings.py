"""``F.pad`` as NumPy has it: pairs of every dimension from the first one, one number for all, other words."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, shape_at
from gradflow.engine.diagnosis.findings.words import code, finding, line, text_with, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.sandbox.positions import argument_of

_MODES: Final = {"edge": "replicate", "wrap": "circular", "mirror": "reflect"}
_KEYWORDS: Final = {
    "constant_values": "value",
    "pad_width": "pad",
    "padding": "pad",
    "fill": "value",
    "padding_mode": "mode",
}
_FLAT: Final = "one flat tuple of two numbers for each dimension, the last dimension first"
_FLAT_ZH: Final = "一个不嵌套的元组，每个维度两个数，从最后一维开始"


def _pad_call(case: Case) -> ast.Call | None:
    call = case.find(ast.Call)
    return call if call is not None and called(call) == "pad" and call.args else None


def _pairs(case: Case, given: ast.expr) -> list[tuple[str, str]] | None:
    """The texts of the pairs that are written, or the numbers of those that were given."""
    if isinstance(given, ast.Tuple | ast.List):
        pairs = []
        for one in given.elts:
            if not isinstance(one, ast.Tuple | ast.List) or len(one.elts) != 2:
                return None
            pairs.append((case.text(one.elts[0]), case.text(one.elts[1])))
        return pairs
    held = case.value(given)
    if not isinstance(held, list | tuple) or not held:
        return None
    if not all(type(one) in (tuple, list) and len(one) == 2 for one in held):
        return None
    return [(str(a), str(b)) for a, b in held] if all(type(n) is int for one in held for n in one) else None


def _flat(pairs: list[tuple[str, str]]) -> str:
    """The pairs as PyTorch has them: the last dimension first, without those of nothing at the end."""
    turned = pairs[::-1]
    while len(turned) > 1 and turned[-1] == ("0", "0"):
        turned.pop()
    return f"({', '.join(number for pair in turned for number in pair)})"


@finds(errors.ELEMENT_TYPE, errors.ARGUMENT_TYPE)
def _pairs_of_numpy(case: Case) -> Finding | None:
    """``F.pad(image, ((k, k), (k, k)))``."""
    call = _pad_call(case)
    given = argument_of(call, 1, "pad") if call is not None else None
    pairs = _pairs(case, given) if given is not None else None
    shape = shape_at(case, call.args[0]) if call is not None else None
    if call is None or given is None or pairs is None or shape is None:
        return None
    if len(pairs) == 1 and len(shape) > 1:
        pairs = pairs * len(shape)  # one pair for all, in NumPy
    if len(pairs) != len(shape):
        return _fewer_pairs(case, call, given, pairs, shape)
    text = _flat(pairs)
    at = given if isinstance(given, ast.Tuple | ast.List) else definition(case, given)
    return finding(
        case,
        f"{code(case, given)} has a pair for each dimension, the first one first, as `np.pad` takes them. `F.pad` takes {_FLAT}:"
        f" `{text_with(case, call, given, text)}`.",
        f"{code(case, given)} 给每个维度一对数，从第一维开始，这是 `np.pad` 的写法。`F.pad` 要求{_FLAT_ZH}：`{text_with(case, call, given, text)}`。",
        write(case, given, text, call),
        at,
    )


def _fewer_pairs(
    case: Case, call: ast.Call, given: ast.expr, pairs: list[tuple[str, str]], shape: tuple[int, ...]
) -> Finding | None:
    """Pairs of some of the dimensions: those of the image, in NumPy's order or already in that of PyTorch."""
    if len(pairs) > len(shape):
        return None
    texts = list(dict.fromkeys([_flat(pairs), _flat(pairs[::-1])]))
    shown = [f"`{text_with(case, call, given, text)}`" for text in texts]
    return finding(
        case,
        f"{code(case, given)} has {len(pairs)} pairs, for the {len(shape)} dimensions of {code(case, call.args[0])}, and `F.pad` takes {_FLAT}. For the last"
        f" {len(pairs)} dimensions write {' or, if the pairs begin with the last one, '.join(shown)}.",
        f"{code(case, given)} 有 {len(pairs)} 对数，而 {code(case, call.args[0])} 有 {len(shape)} 维；`F.pad` 要求{_FLAT_ZH}。要填充最后 {len(pairs)} 维，请写"
        f" {'；如果这些数对从最后一维开始，请写 '.join(shown)}。",
        [write(case, given, text, call) for text in texts],
        given,
    )


@finds(errors.ARGUMENT_TYPE)
def _one_number(case: Case) -> Finding | None:
    """``F.pad(image, 1)``: the same on all sides."""
    call = _pad_call(case)
    given = argument_of(call, 1, "pad") if call is not None else None
    shape = shape_at(case, call.args[0]) if call is not None else None
    if call is None or given is None or shape is None or type(case.value(given)) is not int:
        return None
    text = case.text(given)
    part = text if isinstance(given, ast.Name | ast.Constant | ast.Attribute) else f"({text})"
    most = min(len(shape), 2) if len(shape) != 3 else 2
    counts = [most, 1] if len(shape) == 3 else [most]
    texts = [f"({', '.join([part] * (2 * count))})" for count in counts]
    shown = [f"`{text_with(case, call, given, one)}`" for one in texts]
    what = "height and width" if most == 2 else "the one dimension"
    what_zh = "高和宽" if most == 2 else "唯一的一维"
    more = f"; of the last dimension alone: {shown[1]}" if len(shown) > 1 else ""
    more_zh = f"；只填充最后一维：{shown[1]}" if len(shown) > 1 else ""
    return finding(
        case,
        f"{code(case, given)} is one number, and `F.pad` is told for each side how much to add: {_FLAT}. For {what} of {code(case, call.args[0])} write"
        f" {shown[0]}{more}.",
        f"{code(case, given)} 是一个数，而 `F.pad` 要知道每一边各填充多少：{_FLAT_ZH}。要填充 {code(case, call.args[0])} 的{what_zh}，请写 {shown[0]}{more_zh}。",
        [write(case, given, one, call) for one in texts],
        given,
    )


@finds(errors.PAD_MODE)
def _mode_of_numpy(case: Case) -> Finding | None:
    """``mode="edge"``."""
    call = _pad_call(case)
    given = argument_of(call, 2, "mode") if call is not None else None
    word = case.value(given) if given is not None else None
    if call is None or given is None or not isinstance(word, str):
        return None
    new = _MODES.get(
        word.lower(), word.lower() if word.lower() in ("constant", "reflect", "replicate", "circular") else None
    )
    if new is None and word.lower() == "symmetric":
        return finding(
            case,
            f"{code(case, given)} on line {line(given)} repeats the outermost values at the border, as NumPy has it, and PyTorch has no such padding."
            f" `'reflect'` turns the image over without them, `'replicate'` repeats the last value.",
            f"第 {line(given)} 行的 {code(case, given)} 是 NumPy 的写法，会在边界上重复最外侧的值，PyTorch 没有这种填充。`'reflect'` 翻转时不重复边界的值，`'replicate'` 重复最后一个值。",
            (),
            given,
        )
    if new is None:
        return None
    return finding(
        case,
        f"{code(case, given)} on line {line(given)} is the word of NumPy for what PyTorch calls `'{new}'`. Write `'{new}'`.",
        f"第 {line(given)} 行的 {code(case, given)} 是 NumPy 的叫法，PyTorch 中对应的是 `'{new}'`。请写 `'{new}'`。",
        write(case, given, f"'{new}'", call),
        given,
    )


@finds(errors.UNEXPECTED_KEYWORD)
def _keyword_of_numpy(case: Case) -> Finding | None:
    """``constant_values=0.5``, ``pad_width=((1, 1), (1, 1))``."""
    call = _pad_call(case)
    given = next((one for one in call.keywords if one.arg in _KEYWORDS), None) if call is not None else None
    if call is None or given is None or given.arg is None:
        return None
    new = _KEYWORDS[given.arg]
    text = case.text(given.value)
    pairs = _pairs(case, given.value) if new == "pad" else None
    shape = shape_at(case, call.args[0])
    turned = pairs is not None and shape is not None and len(pairs) == len(shape)
    if pairs is not None and turned:
        text = _flat(pairs)
    why, why_zh = f", {_FLAT}", f"，它是{_FLAT_ZH}"
    return finding(
        case,
        f"`{given.arg}` is the word of `np.pad` for what `F.pad` calls `{new}`{why if new == 'pad' else ''}. Write `{new}={text}`.",
        f"`{given.arg}` 是 `np.pad` 的叫法，在 `F.pad` 中是 `{new}`{why_zh if new == 'pad' else ''}。请写 `{new}={text}`。",
        write(case, given, f"{new}={text}", call) if pairs is None or turned else (),
        given,
    )
