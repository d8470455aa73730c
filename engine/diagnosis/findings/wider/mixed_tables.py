"""A table with texts and numbers in its rows, as an array of Python objects: its columns of numbers are not numbers to a tensor."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.trace import Fix

_MAKERS: Final = ("array", "asarray")


@finds(errors.ARRAY_ELEMENTS)
def _mixed_table(case: Case) -> Finding | None:
    """``np.array(rows, dtype=object)`` of ``[["Ann", 3, 1.5], ...]``, and ``torch.from_numpy(table[:, 1:])``."""
    call = case.find(ast.Call)
    if call is None or called(call) not in _MAKERS or not call.args or not isinstance(call.func, ast.Attribute):
        return None
    rows = case.value(call.args[0])
    columns = _columns_of(rows) if isinstance(rows, list | tuple) else None
    if columns is None or not any(columns) or all(columns):
        return None
    numpy = case.text(call.func.value)
    cast = f".astype({numpy}.float32)"
    taken = _taken(case, call)
    wanted = [one for one in taken if _only(True, one, columns) and not _is_cast(case, one)]
    settled = [one for one in taken if _only(False, one, columns) or _is_number_cast(case, one)]
    shown = wanted[0] if wanted else None
    given = code(case, call.args[0])
    example = f"`{case.text(shown)}{cast}`" if shown is not None else f"`{cast}`"
    where, where_zh = (f" on line {line(shown)}", f"在第 {line(shown)} 行") if shown is not None else ("", "在取出时")
    return finding(
        case,
        f"The rows of {given} hold texts and numbers, so {code(case, call)} keeps Python objects, which Gradflow has no arrays of; and PyTorch makes no tensor of such"
        f" an array, not of its columns of numbers either. Keep the table as texts, `dtype=str`, and make numbers of the columns where they are taken{where}: {example}.",
        f"{given} 的各行既有字符串又有数，所以 {code(case, call)} 保存的是 Python 对象，Gradflow 没有这种数组；PyTorch 也不能把这种数组变成张量，即使只取其中数的那几列。"
        f"请用 `dtype=str` 把表存成字符串，并{where_zh}把要用的列变成数：{example}。",
        [_as_texts(case, call, wanted, cast)]
        if len(wanted) + len(settled) == len(taken) and _known(case, call)
        else [],
        call,
    )


def _columns_of(rows: Sequence[object]) -> list[bool] | None:
    """Of each column, whether it holds numbers; None where the rows are no table of numbers and texts."""
    lines = [row for row in rows if isinstance(row, list | tuple)]
    if not lines or len(lines) != len(rows) or len({len(row) for row in lines}) != 1:
        return None
    if any(not isinstance(one, int | float | str) or isinstance(one, bool) for row in lines for one in row):
        return None
    return [all(not isinstance(row[at], str) for row in lines) for at in range(len(lines[0]))]


def _names(case: Case, call: ast.Call) -> Iterator[ast.Name]:
    """The uses of the array by its name."""
    for one in case.nodes(ast.Name):
        if isinstance(one.ctx, ast.Load) and definition(case, one) is call:
            yield one


def _taken(case: Case, call: ast.Call) -> list[ast.Subscript]:
    """The pieces that are cut from the array."""
    outer = [case.parents.get(one) for one in _names(case, call)]
    return [one for one in outer if isinstance(one, ast.Subscript)]


def _known(case: Case, call: ast.Call) -> bool:
    """Whether all uses of the array are known: pieces of it, and functions of the program that are given it."""
    flow = Flow(case)
    for one in _names(case, call):
        outer = case.parents.get(one)
        if isinstance(outer, ast.Call) and one in outer.args and flow.called(outer):
            continue
        if isinstance(outer, ast.Subscript) and outer.value is one and isinstance(outer.ctx, ast.Load):
            continue
        if isinstance(outer, ast.Attribute) and outer.attr == "shape":
            continue
        return False
    return True


def _is_cast(case: Case, node: ast.expr) -> bool:
    outer = case.parents.get(node)
    return isinstance(outer, ast.Attribute) and outer.attr == "astype"


def _is_number_cast(case: Case, node: ast.expr) -> bool:
    """``table[:, 4].astype(np.float32)``, which reads numbers from texts, too."""
    outer = case.parents.get(node)
    call = case.parents.get(outer) if outer is not None and _is_cast(case, node) else None
    return isinstance(call, ast.Call) and any(word in case.text(one) for one in call.args for word in ("float", "int"))


def _only(numbers: bool, node: ast.Subscript, columns: list[bool]) -> bool:
    """Whether a piece is one of columns of numbers alone, ``table[:, 1:4]``, or of texts alone."""
    match node.slice:
        case ast.Tuple(elts=[ast.Slice(), ast.Slice(step=None) as part]):
            low, high = _bound(part.lower, 0), _bound(part.upper, len(columns))
            held = columns[low:high] if low is not None and high is not None else []
        case ast.Tuple(elts=[ast.Slice(), ast.List(elts=parts)]):
            places = [_bound(one, None) for one in parts]
            held = [columns[one] for one in places if one is not None and -len(columns) <= one < len(columns)]
            held = held if len(held) == len(parts) else []
        case ast.Tuple(elts=[ast.Slice(), at]) if (place := _bound(at, None)) is not None:
            held = [columns[place]] if -len(columns) <= place < len(columns) else []
        case _:
            return False
    return bool(held) and set(held) == {numbers}


def _bound(node: ast.expr | None, default: int | None) -> int | None:
    match node:
        case None:
            return default
        case ast.Constant(value=int(number)):
            return number
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(number))):
            return -number
    return None


def _as_texts(case: Case, call: ast.Call, wanted: Sequence[ast.Subscript], cast: str) -> Fix | None:
    """``dtype=str`` in the call, and the cast behind every piece."""
    dtype = next((one.value for one in call.keywords if one.arg == "dtype"), None)
    if dtype is None and len(call.args) > 1:
        dtype = call.args[1]
    if dtype is None:
        return None
    edits = [*case.replace(dtype, "str"), *(edit for one in wanted for edit in case.followed(one, cast))]
    shown = f"`dtype=str`, `{cast}`"
    return apply(case, edits, shown, shown.replace(", ", "、"))
