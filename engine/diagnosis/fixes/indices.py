"""Fixes of indices: loops that run too far, numbers that are no whole ones, steps backward."""

from __future__ import annotations

import ast
from collections.abc import Sequence

import numpy as np

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, gone_through, is_simple
from gradflow.engine.diagnosis.fixers import fixes
from gradflow.engine.errors.language import mistakes
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Edit, Fix


@fixes(errors.INDEX_RANGE)
@fixes(errors.SELECT_RANGE)
@fixes(mistakes.SEQUENCE_INDEX)
@fixes(mistakes.ARRAY_INDEX)
def _within(case: Case) -> Fix | None:
    """The loop ends with the length; a number one too large is the last one."""
    node = case.find(ast.Subscript)
    found = blamed(case, node) if node else None
    if node is None or found is None:
        return None
    index, length, limit = found
    if isinstance(index, ast.Constant) and index.value == length:
        return case.fix(case.replace(index, str(length - 1)), node)
    return _shorter_loop(case, node, index, limit)


def blamed(case: Case, node: ast.Subscript) -> tuple[ast.expr, int, str] | None:
    """The index that is too large, the length it exceeds, and how the program can write that length."""
    value, text = case.value(node.value), case.text(node.value)
    if isinstance(value, np.ndarray):
        axis, parts = (
            str(case.details.get("axis")),
            node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice],
        )
        at = int(axis) if axis.isdecimal() else len(parts)
        if at >= min(value.ndim, len(parts)) or isinstance(parts[at], ast.Slice):
            return None
        return parts[at], int(value.shape[at]), f"{text}.shape[{at}]" if at else f"len({text})"
    if isinstance(value, list | tuple | str):
        return None if isinstance(node.slice, ast.Slice) else (node.slice, len(value), f"len({text})")
    shape = tuple(value.shape) if isinstance(value, Tensor) else ()
    if not isinstance(node.slice, ast.Tuple):
        return (node.slice, shape[0], f"len({text})") if shape and not isinstance(node.slice, ast.Slice) else None
    dim = case.details.get("dim")
    if (
        not isinstance(dim, int)
        or not dim < min(len(shape), len(node.slice.elts))
        or shape[dim] != case.details.get("size")
    ):
        return None
    return node.slice.elts[dim], shape[dim], f"{text}.shape[{dim}]"


def _shorter_loop(case: Case, node: ast.Subscript, index: ast.expr, limit: str) -> Fix | None:
    """``for i in range(5): v[i]``: the range goes as far as the sequence."""
    ahead = 0
    match index:
        case ast.Name(id=name):
            pass
        case ast.BinOp(left=ast.Name(id=name), op=ast.Add(), right=ast.Constant(value=int() as ahead)):
            pass
        case _:
            return None
    found = _range_of(case, node, name)
    if found is None or not is_simple(node.value):
        return None
    stop = found.args[0] if len(found.args) == 1 else found.args[1]
    if len(found.args) == 2 and case.value(found.args[0]) == 1 and ahead == 0 and _counts_from_one(case, stop, node):
        return case.fix(case.replace(found, f"range({limit})"), found)
    limit += f" - {ahead}" if ahead > 0 else ""
    return case.fix(case.replace(stop, limit), found) if case.text(stop) != limit else None


def _counts_from_one(case: Case, stop: ast.expr, node: ast.Subscript) -> bool:
    """``range(1, n + 1)``: all n of them, counted from 1."""
    held, last = case.value(node.value), case.value(stop)
    size = (
        len(held)
        if isinstance(held, list | tuple)
        else held.shape[0]
        if isinstance(held, Tensor) and held.dim()
        else None
    )
    return size is not None and (last == size + 1 or (isinstance(stop, ast.BinOp) and case.text(stop).endswith("+ 1")))


def _range_of(case: Case, node: ast.AST, name: str) -> ast.Call | None:
    """The ``range`` that a name runs through around a node."""
    current = case.parents.get(node)
    while current is not None:
        loops = [current] if isinstance(current, ast.For) else getattr(current, "generators", [])
        for loop in loops:
            match loop:
                case (
                    ast.For(target=ast.Name(id=target), iter=ast.Call(func=ast.Name(id="range"), args=[_, *_]) as call)
                    | ast.comprehension(
                        target=ast.Name(id=target), iter=ast.Call(func=ast.Name(id="range"), args=[_, *_]) as call
                    )
                ) if target == name and len(call.args) < 3:
                    return call
        current = case.parents.get(current)
    return None


@fixes(errors.INDEX_TYPE)
@fixes(mistakes.INDICES)
def _whole_index(case: Case) -> Fix | None:
    """``v[n / 2]`` -> ``v[n // 2]``, ``v[1.0]`` -> ``v[1]``."""
    node = case.find(ast.Subscript)
    return case.fix(whole(case, node.slice), node) if node else None


def whole(case: Case, node: ast.expr) -> list[Edit]:
    """Changes by which an expression gives a whole number."""
    value = case.value(node)
    match node:
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            return divided(case, node, left, right)
        case ast.Constant(value=float() as number) if number.is_integer():
            return [*case.replace(node, str(int(number)))]
        case ast.Name() | ast.Call() if isinstance(value, float):
            return [*case.wrapped(node, "int(", ")")]
    return []


def divided(case: Case, node: ast.expr, left: ast.expr, right: ast.expr) -> list[Edit]:
    """The division of whole numbers."""
    texts = [
        case.text(one)
        if isinstance(one, ast.Name | ast.Constant | ast.Call | ast.Attribute | ast.Subscript | ast.BinOp)
        else f"({case.text(one)})"
        for one in (left, right)
    ]
    if isinstance(right, ast.BinOp):
        texts[1] = f"({case.text(right)})"
    if isinstance(left, ast.BinOp) and not isinstance(left.op, ast.Mult | ast.Div | ast.FloorDiv | ast.Pow):
        texts[0] = f"({case.text(left)})"
    return [*case.replace(node, f"{texts[0]} // {texts[1]}")]


@fixes(errors.SLICE_STEP)
def _flipped(case: Case) -> Fix | None:
    """``v[::-1]`` -> ``v.flip(0)``; in a later dimension the same."""
    node = case.find(ast.Subscript)
    parts: Sequence[ast.expr] = (
        node.slice.elts if node and isinstance(node.slice, ast.Tuple) else [node.slice] if node else []
    )
    backward = [k for k, part in enumerate(parts) if isinstance(part, ast.Slice) and part.step is not None]
    plain = all(isinstance(part, ast.Slice) and part.lower is None and part.upper is None for part in parts)
    if node is None or len(backward) != 1 or not plain or not isinstance(node.ctx, ast.Load):
        return None
    step = parts[backward[0]]
    if not isinstance(step, ast.Slice) or step.step is None or ast.unparse(step.step) != "-1":
        return None
    return case.fix(case.replace(node, f"{case.operand(node.value)}.flip({backward[0]})"), node)


@fixes(errors.MASK_SHAPE)
@fixes(errors.INDEX_COUNT)
def _without_last(case: Case) -> Fix | None:
    """No more indices than there are dimensions."""
    node = case.find(ast.Subscript)
    value = case.value(node.value) if node else None
    if node is None or not isinstance(node.slice, ast.Tuple) or not isinstance(value, Tensor) or value.dim() < 1:
        return None
    surplus = node.slice.elts[value.dim() :]
    kept = node.slice.elts[value.dim() - 1]
    if not surplus or not all(case.value(one) == 0 or ast.unparse(one) == ":" for one in surplus):
        return None
    first, last = case.program.span_of(kept), case.program.span_of(surplus[-1])
    if first is None or last is None:
        return None
    cut = case.between(first, last)
    return case.fix([case.cut(cut)], node)


@fixes(errors.ITERATE_SCALAR)
@fixes(errors.LEN_SCALAR)
def _one_element(case: Case) -> Fix | None:
    """A single number as a vector of one element."""
    node = gone_through(case)
    match node:
        case ast.Call(func=ast.Name(id="len"), args=[value]) if is_simple(value):
            return case.fix(case.replace(node, f"{case.operand(value)}.numel()"), node)
        case ast.expr() if isinstance(case.value(node), Tensor):
            return case.fix(case.followed(node, ".reshape(1)"), node)
    return None
