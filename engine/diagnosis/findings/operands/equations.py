"""Systems of equations that have no single solution: rows that depend on each other, more equations than unknowns."""

from __future__ import annotations

import ast
from typing import Final

import numpy as np

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, shape_at
from gradflow.engine.diagnosis.findings.words import code, finding, line, on_line, text_with, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.tensor import Tensor

_MOST: Final = 500
_ALIKE: Final = 1e-5
_PSEUDO: Final = {"inv": "pinv", "inverse": "pinverse"}


def _matrix(case: Case, call: ast.Call) -> ast.expr | None:
    """What is inverted or solved: the first argument, or the tensor of a method."""
    if isinstance(call.func, ast.Attribute) and isinstance(case.value(call.func.value), Tensor):
        return call.func.value
    return argument_of(call, 0, "A")


def _dependence(array: np.ndarray, row: str, row_zh: str) -> tuple[str, str] | None:
    """Which row is zero, or a multiple of another one."""
    lengths = np.linalg.norm(array, axis=1)
    scale = float(lengths.max()) or 1.0
    for at, length in enumerate(lengths):
        if length <= _ALIKE * scale:
            return f"{row} {at} is zero", f"第 {at} {row_zh}全是零"
    turned = array / lengths[:, None]
    products = np.triu(np.abs(turned @ turned.T), 1)
    i, j = (int(one) for one in np.unravel_index(int(products.argmax()), products.shape))
    if products[i, j] < 1 - _ALIKE:
        return None
    factor = float(array[j] @ array[i] / (array[i] @ array[i]))
    if abs(factor - 1) < _ALIKE:
        return f"{row}s {i} and {j} are equal", f"第 {i} {row_zh}和第 {j} {row_zh}相同"
    return f"{row} {j} is {factor:.4g} times {row} {i}", f"第 {j} {row_zh}是第 {i} {row_zh}的 {factor:.4g} 倍"


@finds(errors.SINGULAR_SOLVE, errors.SINGULAR_INVERSE)
def _singular(case: Case) -> Finding | None:
    """A matrix with rows, or of data with columns, that depend on each other."""
    call = case.find(ast.Call)
    node = _matrix(case, call) if call is not None else None
    held = Flow(case).tensor(node) if node is not None else None
    if call is None or node is None or held is None or held.dim() != 2 or not 0 < held.shape[0] <= _MOST:
        return None
    array, made = held._a.astype(float), definition(case, node)
    if array.shape[0] != array.shape[1] or not np.isfinite(array).all():
        return None
    where, where_zh = on_line(made) if line(made) != line(call) else ("", "")
    told, who = None, node
    product = next(
        (one for one in Flow(case).behind(node) if isinstance(one, ast.BinOp) and isinstance(one.op, ast.MatMult)), None
    )
    data = Flow(case).tensor(product.right) if product is not None and product is made else None
    if data is not None and data.dim() == 2 and data.shape[1] == len(array) and np.isfinite(data._a).all():
        columns = data._a.astype(float).T
        told, who = _dependence(columns, "column", "列"), product.right if product is not None else node
        if told is None and columns.shape[1] < columns.shape[0]:
            told = (
                f"it has only {columns.shape[1]} rows for {columns.shape[0]} columns",
                f"它只有 {columns.shape[1]} 行，却有 {columns.shape[0]} 列",
            )
    if told is None:
        who = node
        told = _dependence(array, "row", "行") or _dependence(array.T, "column", "列")
    rank = int(np.linalg.matrix_rank(array, tol=_ALIKE * float(np.abs(array).max())))
    if told is None:
        told = f"its rank is {rank}, and it has {len(array)} rows", f"它的秩是 {rank}，而它有 {len(array)} 行"
    source = f"of {code(case, who)}, " if who is not node else ""
    source_zh = f"在 {code(case, who)} 中，" if who is not node else ""
    zero = told[0].endswith("zero")
    out, out_zh = (
        ("Look at how it was made", "请检查它是怎样得到的")
        if zero
        else ("Take out what says the same twice", "请去掉重复的内容")
    )
    solves = called(call) == "solve"
    torch, _ = case.with_torch()
    right = argument_of(call, 1, "B") if solves else None
    other = f"{torch}.linalg.pinv({case.text(node)})"
    if right is not None:
        other = f"{torch}.linalg.lstsq({case.text(node)}, {case.text(right)}).solution"
    elif (name := called(call)) in _PSEUDO:
        other = text_with(case, call, call.func, case.text(call.func).removesuffix(name) + _PSEUDO[name])
    goal, goal_zh = (
        ("the equations have no single solution", "方程组没有唯一解")
        if solves
        else ("it has no inverse", "它没有逆矩阵")
    )
    kind, kind_zh = ("the nearest solution", "最接近的解") if solves else ("the pseudoinverse", "伪逆")
    return finding(
        case,
        f"{code(case, node)}{where} is singular: {source}{told[0]}, so {goal}. {out}, or take {kind}: `{other}`.",
        f"{code(case, node)}{where_zh} 是奇异的：{source_zh}{told[1]}，所以{goal_zh}。{out_zh}，或者取{kind_zh}：`{other}`。",
        () if solves else None,
        made,
    )


@finds(errors.SQUARE_MATRIX)
def _more_equations(case: Case) -> Finding | None:
    """``torch.linalg.solve`` of more equations than unknowns."""
    call = case.find(ast.Call)
    matrix, right = (argument_of(call, 0, "A"), argument_of(call, 1, "B")) if call is not None else (None, None)
    shape = shape_at(case, matrix) if matrix is not None else None
    if call is None or called(call) != "solve" or matrix is None or right is None or shape is None or len(shape) != 2:
        return None
    other = shape_at(case, right)
    text = f"{case.module_alias('torch') or 'torch'}.linalg.lstsq({case.text(matrix)}, {case.text(right)}).solution"
    fits = other is not None and other[0] == shape[0] and shape[0] > shape[1]
    many, many_zh = ("more", "多于") if shape[0] > shape[1] else ("fewer", "少于")
    made = definition(case, matrix)
    return finding(
        case,
        f"{code(case, matrix)} (line {line(made)}) has {shape[0]} rows and {shape[1]} columns, {many} equations than unknowns, and `solve` takes as many of both."
        f" The nearest solution, by least squares, is `{text}`.",
        f"{code(case, matrix)}（第 {line(made)} 行）有 {shape[0]} 行 {shape[1]} 列，方程{many_zh}未知数，而 `solve` 要求两者一样多。最小二乘意义下最接近的解是 `{text}`。",
        write(case, call, text) if fits and isinstance(call.func, ast.Attribute) else (),
        made,
    )


@finds(errors.SOLVE_SHAPE)
def _right_side(case: Case) -> Finding | None:
    """A right side with another number of rows, or one that lies across."""
    call = case.find(ast.Call)
    matrix, right = (argument_of(call, 0, "A"), argument_of(call, 1, "B")) if call is not None else (None, None)
    if call is None or called(call) != "solve" or matrix is None or right is None:
        return None
    shape, other = shape_at(case, matrix), shape_at(case, right)
    if shape is None or other is None or len(shape) != 2 or len(other) not in (1, 2):
        return None
    across = len(other) == 2 and other[1] == shape[0]
    text = f"{case.operand(right)}.T"
    made, end = definition(case, right), f"Transpose it: `{text}`" if across else f"Give it {shape[0]} rows"
    end_zh = f"请转置：`{text}`" if across else f"请让它有 {shape[0]} 行"
    rows = other[0]
    return finding(
        case,
        f"{code(case, matrix)} has the shape {list(shape)}, {shape[0]} equations, and the right side {code(case, right)} (line {line(made)}) has {rows}"
        f" row{'s' if rows != 1 else ''} ({list(other)}): one is needed for each equation. {end}.",
        f"{code(case, matrix)} 的形状是 {list(shape)}，即 {shape[0]} 个方程，而右端 {code(case, right)}（第 {line(made)} 行）有 {rows} 行（{list(other)}）：每个方程需要一行。{end_zh}。",
        case.fix(case.followed(right, ".T"), call) if across else (),
        made,
    )
