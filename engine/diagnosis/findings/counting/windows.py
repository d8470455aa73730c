"""Data sets of windows that count a window too many: the last ones go over the end of what they are cut out of."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import UNKNOWN, Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import code, finding, line, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, returned
from gradflow.engine.diagnosis.known import computed, known_attribute
from gradflow.engine.tensor import Tensor

_MOST: Final = 100_000
_DEEP: Final = 6


@dataclass(frozen=True)
class _Windows:
    """A data set: its object, what ``__len__`` returns, and the names that ``__getitem__`` gives values."""

    held: object
    length: ast.expr
    item: ast.FunctionDef
    names: Mapping[str, ast.expr]

    def number(self, node: ast.expr, place: int | None = None, depth: int = 0) -> object:
        """What an expression of numbers gives, for a sample in ``__getitem__``."""
        own, index = (one.arg for one in self.item.args.args)
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name) if name == index:
                return UNKNOWN if place is None else place
            case ast.Name(id=name) if name in self.names and depth < _DEEP:
                return self.number(self.names[name], place, depth + 1)
            case ast.Attribute(value=ast.Name(id=name), attr=attr) if name == own:
                return known_attribute(self.held, attr, UNKNOWN)
            case ast.BinOp(left=left, op=op, right=right):
                return computed(op, self.number(left, place, depth), self.number(right, place, depth))
            case ast.Call(func=ast.Name(id="len"), args=[series]):
                return _size(self.number(series, place, depth))
            case ast.Call(func=ast.Attribute(value=series, attr="size"), args=[ast.Constant(value=0)]):
                return _size(self.number(series, place, depth))
            case ast.Subscript(value=ast.Attribute(value=series, attr="shape"), slice=ast.Constant(value=0)):
                return _size(self.number(series, place, depth))
        return UNKNOWN


def _size(series: object) -> object:
    if isinstance(series, Tensor) and series.dim():
        return int(series.shape[0])
    return len(series) if type(series) in (list, tuple, str, np.ndarray) else UNKNOWN  # type: ignore[arg-type]  # all of these have one


@finds(errors.STACK_SIZE)
def _window_too_many(case: Case) -> Finding | None:
    """``len(self.notes) - self.window + 1`` of windows whose targets are one further on."""
    for data in _data_sets(case):
        count = data.number(data.length)
        cuts = [one for one in ast.walk(data.item) if isinstance(one, ast.Subscript) and _cuts_series(one)]
        if type(count) is not int or not 0 < count <= _MOST:
            continue
        whole = [(good, one) for one in cuts if (good := _whole(data, one, count)) is not None]
        if len(whole) < len(cuts) or not whole:
            continue
        good, node = min(whole, key=lambda pair: pair[0])
        if 0 < good < count and not _is_told_elsewhere(case, data, cuts):
            return _told(case, data, node, (count, good))
    return None


def _cuts_series(node: ast.Subscript) -> bool:
    """Whether it is a slice of what the data set holds, not of a piece of that."""
    return isinstance(node.slice, ast.Slice) and isinstance(node.value, ast.Attribute)


def _data_sets(case: Case) -> Iterator[_Windows]:
    """The data sets of the program that a loader is given, with their objects."""
    seen: list[object] = []
    for value in case.values.values():
        held = known_attribute(value, "dataset", None) if type(value).__name__ == "DataLoader" else value
        for _ in range(_DEEP):
            if held is not None and not Flow(case).methods(type(held).__name__):
                held = known_attribute(held, "dataset", None)
        if held is not None and not isinstance(held, type) and not any(held is one for one in seen):
            seen.append(held)
            yield from _described(case, held)


def _described(case: Case, held: object) -> Iterator[_Windows]:
    methods = Flow(case).methods(type(held).__name__)
    item = methods.get("__getitem__")
    counted = returned(methods["__len__"]) if "__len__" in methods else []
    if item is None or len(counted) != 1 or len(item.args.args) != 2:
        return
    names = {
        target.id: one.value
        for one in ast.walk(item)
        if isinstance(one, ast.Assign)
        for target in one.targets
        if isinstance(target, ast.Name)
    }
    yield _Windows(held, counted[0], item, names)


def _whole(data: _Windows, node: ast.Subscript, count: int) -> int | None:
    """How many of the samples have a whole window: those before the first that goes over the end."""
    cut = node.slice
    size = _size(data.number(node.value))
    if not isinstance(cut, ast.Slice) or cut.lower is None or cut.upper is None or cut.step or type(size) is not int:
        return None
    widths = set()
    for place in range(count):
        first, end = data.number(cut.lower, place), data.number(cut.upper, place)
        if type(first) is not int or type(end) is not int or first < 0:
            return None
        widths.add(end - first)
        if end > size or len(widths) > 1:
            return place if len(widths) == 1 else None
    return count


def _is_told_elsewhere(case: Case, data: _Windows, cuts: list[ast.Subscript]) -> bool:
    """One window for every place of a series, which another finding tells."""
    return len(cuts) == 1 and case.text(data.length) == f"len({case.text(cuts[0].value)})"


def _told(case: Case, data: _Windows, node: ast.Subscript, counts: tuple[int, int]) -> Finding:
    count, good = counts
    text = next((one for one, number in _written(case, data, node, counts) if number == good), "")
    series = case.text(node.value)
    size = _size(data.number(node.value))
    upper = node.slice.upper if isinstance(node.slice, ast.Slice) else None
    end = data.number(upper, good) if upper is not None else 0
    index = data.item.args.args[1].arg
    write_it, write_it_zh = (f": `return {text}`", f"：`return {text}`") if text else ("", "")
    return finding(
        case,
        f"`__len__` on line {line(data.length)} counts {count} samples, and there are {good} whole ones: for `{index}` = {good},"
        f" {code(case, node)} (line {line(node)}) goes to {end}, and `{series}` has {size}, so that sample is shorter, and a batch needs equal"
        f" ones. Return {good} there{write_it}.",
        f"第 {line(data.length)} 行的 `__len__` 给出 {count} 个样本，而完整的只有 {good} 个：`{index}` = {good} 时，{code(case, node)}（第 {line(node)} 行）要取到"
        f" {end}，而 `{series}` 只有 {size} 个，于是这个样本较短，而一个批次里的样本要一样长。请在那里返回 {good}{write_it_zh}。",
        write(case, data.length, text, data.length) if text else (),
        data.length,
    )


def _written(case: Case, data: _Windows, node: ast.Subscript, counts: tuple[int, int]) -> Iterator[tuple[str, object]]:
    """How the number of whole windows can be written, with what that gives, the most natural way first."""
    length, over = data.length, counts[0] - counts[1]
    if any(isinstance(one, ast.IfExp | ast.Compare | ast.BoolOp | ast.Lambda) for one in ast.walk(length)):
        return
    match length:
        case ast.BinOp(left=left, op=ast.Add(), right=ast.Constant(value=int(more))):
            yield case.text(left), counts[0] - more
    upper = node.slice.upper if isinstance(node.slice, ast.Slice) else None
    terms = _terms(case, data, upper) if upper is not None else None
    if terms is not None:
        stride, names, constant = terms
        series = f"len({case.text(node.value)})"
        number = data.number(ast.parse(" - ".join([series, *names]), mode="eval").body)
        if isinstance(number, int):
            if stride == "1":
                more = 1 - constant
                tail = f" + {more}" if more > 0 else f" - {-more}" if more < 0 else ""
                yield f"{' - '.join([series, *names])}{tail}", number + more
            else:
                tail = f" - {constant}" if constant > 0 else f" + {-constant}" if constant < 0 else ""
                step = data.number(ast.parse(stride, mode="eval").body)
                inner = " - ".join([series, *names]) + tail
                if isinstance(step, int) and step > 0:
                    yield f"({inner}) // {stride} + 1", (number - constant) // step + 1
    yield f"{case.text(length)} - {over}", counts[1]


def _terms(case: Case, data: _Windows, node: ast.expr) -> tuple[str, list[str], int] | None:
    """Of the end of a window, ``i * stride + width + 1``: the stride, the names that are added, and the number."""
    names: list[str] = []
    waiting: list[ast.expr] = [node]
    index, stride, constant = data.item.args.args[1].arg, "", 0
    for _ in range(12):
        if not waiting:
            return (stride, names, constant) if stride else None
        match waiting.pop(0):
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                waiting = [left, right, *waiting]
            case ast.Name(id=name) if name == index:
                stride = "1"
            case ast.BinOp(left=ast.Name(id=name), op=ast.Mult(), right=ast.Attribute() | ast.Constant() as other) if (
                name == index
            ):
                stride = case.text(other)
            case ast.BinOp(left=ast.Attribute() | ast.Constant() as other, op=ast.Mult(), right=ast.Name(id=name)) if (
                name == index
            ):
                stride = case.text(other)
            case ast.Name(id=name) if name in data.names:
                waiting = [data.names[name], *waiting]
            case ast.Constant(value=int(more)):
                constant += more
            case ast.Attribute() as one:
                names.append(case.text(one))
            case _:
                return None
    return None
