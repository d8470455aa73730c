"""Data sets: more samples than there are, windows over the end, texts for classes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.words import code, finding, line, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, loops_of, returned
from gradflow.engine.diagnosis.known import known_attribute
from gradflow.engine.errors.language import mistakes, python
from gradflow.engine.tensor import Tensor

_MOST: Final = 3


@dataclass(frozen=True)
class _Samples:
    """A data set of the program: its class, what ``__len__`` returns, and ``__getitem__`` with its parameter."""

    owner: ast.ClassDef
    length: ast.expr | None
    item: ast.FunctionDef
    index: str


def _samples(case: Case, name: str) -> _Samples | None:
    methods = Flow(case).methods(name)
    owner = next((one for one in case.nodes(ast.ClassDef) if one.name == name), None)
    item = methods.get("__getitem__")
    if owner is None or item is None or len(item.args.args) != 2:
        return None
    counted = returned(methods["__len__"]) if "__len__" in methods else []
    return _Samples(owner, counted[0] if len(counted) == 1 else None, item, item.args.args[1].arg)


def _is_shifted(node: ast.expr, name: str) -> bool:
    """``i``, ``i + w``, ``w + i``: a place that moves along with the sample."""
    match node:
        case ast.Name(id=own):
            return own == name
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return sum(_names(one, name) for one in (left, right)) == 1 and (
                _is_shifted(left, name) or _is_shifted(right, name)
            )
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return not _names(right, name) and _is_shifted(left, name)
    return False


def _number(case: Case, node: ast.expr) -> int | None:
    """The whole number that a sum of lengths, attributes and numbers gives."""
    match node:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
            first, second = _number(case, left), _number(case, right)
            if first is None or second is None:
                return None
            return first + second if isinstance(op, ast.Add) else first - second
        case ast.Call(func=ast.Name(id="len"), args=[held]):
            value = case.value(held)
            if isinstance(value, Tensor):
                return int(value.shape[0]) if value.dim() else None
            return len(value) if isinstance(value, list | tuple) else None
    value = case.value(node)
    return value if type(value) is int else None


def _names(node: ast.AST, name: str) -> bool:
    return any(isinstance(one, ast.Name) and one.id == name for one in ast.walk(node))


@finds(errors.INDEX_RANGE, errors.SELECT_RANGE, mistakes.SEQUENCE_INDEX, python.INDEX)
def _more_than_there_are(case: Case) -> Finding | None:
    """``__len__`` that counts more samples than ``__getitem__`` can give."""
    node = case.find(ast.Subscript)
    method = case.enclosing(node, ast.FunctionDef) if node is not None else None
    owner = case.enclosing(node, ast.ClassDef) if node is not None else None
    if node is None or owner is None or method is None or method.name != "__getitem__":
        return None
    data = _samples(case, owner.name)
    if data is None or data.length is None or data.item is not method:
        return None
    places = node.slice.elts[:1] if isinstance(node.slice, ast.Tuple) else [node.slice]
    at = case.values.get(data.index)
    source = case.value(node.value)
    size = len(source) if isinstance(source, list | tuple) else None
    if isinstance(source, Tensor) and source.dim():
        size = int(source.shape[0])
    if not places or not isinstance(at, int) or size is None or not _is_shifted(places[0], data.index):
        return None
    place = at if isinstance(places[0], ast.Name) else case.value(places[0])
    if not isinstance(place, int) or place < size or at < 0:
        return None
    there_are = at - (place - size)
    counted = _number(case, data.length)
    text = _counted_right(case, data.length, counted, there_are, places[0], node.value)
    write_it = f": `return {text}`" if text else ""
    en_last = f"the last one is `{data.index}` = {there_are - 1}" if there_are > 0 else "there is none"
    zh_last = f"最后一个是 `{data.index}` = {there_are - 1}" if there_are > 0 else "一个也没有"
    return finding(
        case,
        f"`__len__` on line {line(data.length)} promises more samples than there are: for `{data.index}` = {at}, {code(case, node)} is place {place}"
        f" of {size}; {en_last}. Return {there_are} there{write_it}.",
        f"第 {line(data.length)} 行的 `__len__` 给出的样本数比实际的多：`{data.index}` = {at} 时，{code(case, node)} 要取第 {place} 个位置，而一共只有 {size} 个；"
        f"{zh_last}。请在那里返回 {there_are}{write_it.replace(': ', '：')}。",
        write(case, data.length, text, data.length) if text else (),
        data.length,
    )


def _counted_right(
    case: Case, length: ast.expr, counted: object, there_are: int, place: ast.expr, source: ast.expr
) -> str:
    """The number of samples in the program's own words; nothing where that is not certain."""
    if isinstance(place, ast.Name):
        return f"len({case.text(source)})"
    if not isinstance(counted, int) or counted <= there_are:
        return ""
    match length:
        case ast.BinOp(left=left, op=ast.Add(), right=ast.Constant(value=int(more))) if more == counted - there_are:
            return case.text(left)
    if any(isinstance(one, ast.IfExp | ast.Compare | ast.BoolOp | ast.Lambda) for one in ast.walk(length)):
        return ""
    match place:
        case ast.BinOp(left=ast.Name(), op=ast.Add(), right=further) if (
            isinstance(width := case.value(further), int) and width == counted - there_are
        ):
            return f"{case.text(length)} - {case.text(further)}"
    return f"{case.text(length)} - {counted - there_are}"


@finds(errors.STACK_SIZE)
def _windows_over_the_end(case: Case) -> Finding | None:
    """``self.series[i:i + self.width]`` for every ``i`` of the series: the last windows are shorter."""
    one, other = case.details.get("a"), case.details.get("b")
    if not isinstance(one, list | tuple) or not isinstance(other, list | tuple) or not one or one[1:] != other[1:]:
        return None
    for data in _data_sets(case):
        if data.length is None:
            continue
        for node in ast.walk(data.item):
            match node:
                case ast.Subscript(
                    value=series,
                    slice=ast.Slice(
                        lower=ast.Name(id=first), upper=ast.BinOp(left=ast.Name(id=second), op=ast.Add(), right=width)
                    ),
                ) if first == second == data.index and not _names(width, data.index):
                    return _cut_short(case, data, node, series, width)
    return None


def _data_sets(case: Case) -> Iterator[_Samples]:
    """The data sets of the program that have a loader."""
    for loader in case.nodes(ast.Call):
        if called(loader) != "DataLoader" or not loader.args:
            continue
        data = _samples(case, _class_of(case, loader.args[0]))
        if data is not None:
            yield data


def _class_of(case: Case, node: ast.expr) -> str:
    """The name of the class of an object."""
    made = definition(case, node)
    if isinstance(made, ast.Call) and isinstance(made.func, ast.Name):
        return made.func.id
    return type(case.value(node)).__name__


def _cut_short(case: Case, data: _Samples, node: ast.expr, series: ast.expr, width: ast.expr) -> Finding | None:
    whole = case.text(data.length) if data.length is not None else ""
    if data.length is None or whole != f"len({case.text(series)})":
        return None
    text = f"{whole} - {case.text(width)} + 1"
    return finding(
        case,
        f"`__len__` on line {line(data.length)} counts a sample for every place of `{case.text(series)}`, and {code(case, node)} (line {line(node)}) ends"
        f" where that ends: the last samples are shorter than the others, and a batch needs equal ones. Count the whole windows alone: `return {text}`.",
        f"第 {line(data.length)} 行的 `__len__` 把 `{case.text(series)}` 的每个位置都算作一个样本，而 {code(case, node)}（第 {line(node)} 行）到末尾就截断了：最后"
        f"几个样本比其他的短，而一个批次里的样本要一样长。请只计算完整的窗口：`return {text}`。",
        write(case, data.length, text, data.length),
        data.length,
    )


# -- texts for classes -------------------------------------------------------------------------------------------------


@finds(errors.ARGUMENT_TYPE, errors.NO_ATTRIBUTE, python.ATTRIBUTE)
def _texts_for_classes(case: Case) -> Finding | None:
    """Labels of a data set that are texts, which a loader leaves in a tuple."""
    failed = case.find(ast.expr)
    for node in ast.walk(failed) if failed is not None else ():
        if not isinstance(node, ast.Name):
            continue
        held = case.value(node)
        if not isinstance(held, tuple | list) or not held or not all(isinstance(one, str) for one in held):
            continue
        loops = [one for one in loops_of(case) if isinstance(one.target, ast.Tuple)]
        for loop in loops:
            names = [getattr(one, "id", "") for one in getattr(loop.target, "elts", ())]
            loader = case.value(loop.iter)
            made = definition(case, loop.iter)
            if node.id not in names:
                continue
            if isinstance(made, ast.Call) and called(made) == "DataLoader" and made.args:
                data = _samples(case, _class_of(case, made.args[0]))
            else:
                data = _samples(case, type(known_attribute(loader, "dataset", None)).__name__)
            results = returned(data.item) if data is not None else []
            at = names.index(node.id)
            if len(results) != 1 or not isinstance(results[0], ast.Tuple) or len(results[0].elts) != len(names):
                return None
            return _numbered(case, node, held, results[0].elts[at])
    return None


def _numbered(case: Case, node: ast.expr, held: tuple[str, ...] | list[str], label: ast.expr) -> Finding:
    shown = ", ".join(f"`{one!r}`" for one in dict.fromkeys(held[:_MOST]))
    classes = case.text(label.value) if isinstance(label, ast.Subscript) else ""
    text = f"sorted(set({classes})).index({case.text(label)})" if classes else ""
    so = f": `{text}`" if text else ""
    return finding(
        case,
        f"{code(case, label)} on line {line(label)} is a text, and the loader cannot lay texts into a tensor: {code(case, node)} is a tuple of them,"
        f" {shown}. A loss takes classes as numbers: give each its number where the sample is made{so}.",
        f"第 {line(label)} 行的 {code(case, label)} 是字符串，加载器无法把字符串组成张量：{code(case, node)} 是一个由它们组成的元组，即"
        f" {shown.replace(', ', '、')}。损失需要用编号表示的类别：请在生成样本的地方给出编号{so.replace(': ', '：')}。",
        write(case, label, text, label) if text else (),
        label,
    )
