"""Masks of ones and zeros where truth values are needed: what their ones mean, as the numbers tell."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

import numpy as np

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.kindred.marks import Marks, Meaning, marks
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, on_line, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow

_TRIANGLES: Final = frozenset({"triu", "tril", "triu_", "tril_"})
_AS_IT_IS: Final = frozenset({"float", "to", "type_as", "int", "long", "contiguous", "cpu", "clone"})
"""Methods that give the same numbers, and the tensor itself where it is of that kind already."""
_LOW: Final = -1e3
"""What is filled in from here on downwards has no weight after a `softmax`."""


@finds(errors.MASK_REFUSED)
def _numbers_for_mask(case: Case) -> Finding | None:
    """``scores.masked_fill(mask, -inf)`` of a mask of ones and zeros."""
    call = case.find(ast.Call)
    if call is None or not called(call).startswith("masked_fill"):
        return None
    given, value = _arguments(case, call)
    if given is None or "only supports boolean" not in str(case.details.get("message", "")):
        return None
    meaning = _meaning(case, given) if value is not None and _covers(case, value) else None
    if meaning is not None:
        return _told(case, call, given, meaning)
    if value is not None and _covers(case, value) and (marked := marks(case, given)) is not None:
        return _by_marks(case, call, given, marked)
    made, inner = definition(case, given), case.operand(given)
    where = f" (line {line(made)})" if line(made) != line(call) else ""
    where_zh = f"（第 {line(made)} 行）" if where else ""
    zero, one = f"{inner} == 0", f"{inner} == 1"
    return finding(
        case,
        f"{code(case, given)}{where} holds numbers, and a mask holds truth values: where it is `True` the value is written. If its"
        " ones are what is kept, as a mask of `tril` has"
        f" it, fill where it is 0: `{zero}`; if its ones are what is to be covered: `{one}`.",
        f"{code(case, given)}{where_zh} 装的是数，而掩码要用真假值：为 `True` 的地方会被填上。如果 1 表示保留（例如 `tril`"
        f" 得到的掩码），请填在为 0 的地方：`{zero}`；如果 1 表示遮住：`{one}`。",
        [
            apply(case, case.replace(given, zero), f"Ones are kept: `{zero}`", f"1 表示保留：`{zero}`"),
            apply(case, case.replace(given, one), f"Ones are covered: `{one}`", f"1 表示遮住：`{one}`"),
        ],
        made,
    )


def _told(case: Case, call: ast.Call, given: ast.expr, meaning: Meaning) -> Finding:
    """The words for a mask whose ones are known to lie on one side of the diagonal."""
    covered = meaning == "covered"
    triangle = next(_triangles(case, given), None)
    as_made = triangle is not None and called(triangle).startswith("triu" if covered else "tril")
    made = triangle if triangle is not None and as_made else definition(case, given)  # not that of `1 - tril(...)`
    inner = case.operand(given)
    text = f"{inner}.bool()" if covered else f"{inner} == 0"
    place = f"The numbers of {code(case, made)} on line {line(made)}"
    place_zh = f"第 {line(made)} 行的 {code(case, made)} 得到的是数"
    what = (
        "ones above the diagonal, at what is to be covered" if covered else "ones up to the diagonal, at what is kept"
    )
    what_zh = "对角线上方的 1 是要遮住的" if covered else "对角线及其下方的 1 是要保留的"
    do = f"Make truth values of them: `{text}`" if covered else f"Fill where they are 0: `{text}`"
    do_zh = f"请把它变成真假值：`{text}`" if covered else f"请填在为 0 的地方：`{text}`"
    return finding(
        case,
        f"{place} are {what}, and a mask holds truth values: where it is `True` the value is written. {do}.",
        f"{place_zh}，{what_zh}，而掩码要用真假值：为 `True` 的地方会被填上。{do_zh}。",
        write(case, given, text, call),
        made,
    )


def _by_marks(case: Case, call: ast.Call, given: ast.expr, marked: Marks) -> Finding:
    """The words for a mask of padding."""
    inner, covered = case.operand(given), marked.meaning == "covered"
    text = f"{inner} == 1" if covered else f"{inner} == 0"
    made = marked.made
    where, where_zh = on_line(made) if line(made) != line(call) else ("", "")
    what, what_zh = ("what is to be covered", "要遮住的位置") if covered else ("what is kept", "要保留的位置")
    return finding(
        case,
        f"{code(case, given)}{where} holds numbers, and a mask holds truth values: where it is `True` the value is written. {marked.en}, so its ones mark"
        f" {what}. Write `{text}`.",
        f"{code(case, given)}{where_zh} 装的是数，而掩码要用真假值：为 `True` 的地方会被填上。{marked.zh}，所以其中的 1 标出的是{what_zh}。请写成 `{text}`。",
        write(case, given, text, call),
        made,
    )


def _arguments(case: Case, call: ast.Call) -> tuple[ast.expr | None, ast.expr | None]:
    """The mask and the value of ``x.masked_fill(mask, value)`` and ``torch.masked_fill(x, mask, value)``."""
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    of_torch = isinstance(owner, ast.Name) and owner.id == case.module_alias("torch")
    names = ("input", "mask", "value") if of_torch or owner is None else ("mask", "value")
    given: dict[str | None, ast.expr] = dict(zip(names, call.args, strict=False))
    given |= {one.arg: one.value for one in call.keywords}
    return given.get("mask"), given.get("value")


def _covers(case: Case, value: ast.expr) -> bool:
    """Whether what is filled in takes the weight away: 0, or a number far below all scores."""
    known = case.value(value)
    if type(known) in (int, float):
        return known == 0 or float(known) <= _LOW  # type: ignore[arg-type]  # one of the two
    text = case.text(value)
    return ("-" in text and "inf" in text.lower()) or text.endswith((".min", "NINF"))


def _meaning(case: Case, mask: ast.expr) -> Meaning | None:
    """What the ones of a mask mean: only above the diagonal they cover what comes later, up to it they are what is seen."""
    tensor = Flow(case).tensor(mask)
    if tensor is None and isinstance(mask, ast.Call) and isinstance(mask.func, ast.Attribute):
        tensor = Flow(case).tensor(mask.func.value) if called(mask) in _AS_IT_IS else None
    array = tensor._a if tensor is not None else None
    if array is None or array.ndim < 2 or array.size == 0:
        return None
    rows, columns = array.shape[-2:]
    sheets = array.reshape(-1, rows, columns)
    sheet = sheets[0].astype(float)
    if (sheets != sheets[0]).any() or len(np.unique(sheet)) != 2:
        return None
    ones = np.ones_like(sheet)
    seen = columns - rows  # as many steps are seen before the first row, in what is kept of earlier calls
    if any(np.array_equal(sheet, np.triu(ones, 1 + shift)) for shift in {0, max(seen, 0)}):
        return "covered"
    if any(np.array_equal(sheet, np.tril(ones, shift)) for shift in {0, max(seen, 0)}):
        return "kept"
    return None


def _triangles(case: Case, mask: ast.expr) -> Iterator[ast.Call]:
    """The calls of ``triu`` and ``tril`` that a mask was made by, also one that is kept in a buffer."""
    flow, waiting = Flow(case), [mask]
    for current in waiting:
        for node in flow.behind(current):
            if isinstance(node, ast.Call) and called(node) in _TRIANGLES:
                yield node
            elif isinstance(node, ast.Attribute):
                waiting += [one for one in _buffers(case, node.attr) if one not in waiting]


def _buffers(case: Case, name: str) -> Iterator[ast.expr]:
    """What is registered as a buffer under a name."""
    for call in case.nodes(ast.Call):
        if called(call) == "register_buffer" and len(call.args) > 1 and case.value(call.args[0]) == name:
            yield call.args[1]
