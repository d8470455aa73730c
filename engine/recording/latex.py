"""The backward rules of a run in LaTeX: with the names of the program's tensors, and with their numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

import numpy as np

import gradflow.engine.ops  # noqa: F401  # declares the operations, whose LaTeX is read here
from gradflow.engine.formula import Piece, as_lists, default_template, fill, pieces, symbol
from gradflow.engine.recording.values import number
from gradflow.engine.registry import REGISTRY, Op
from gradflow.engine.trace import Corner, OperandToken, TexToken, Token, Value

MATRIX_ELEMENTS = 36
"""Larger arrays stay symbols in the formula with numbers."""


@dataclass(frozen=True)
class Operand:
    """What stands for a name of a formula in one run. ``tensor`` is the id of its card."""

    tex: str
    array: np.ndarray | None
    gradient: bool = False
    tensor: str | None = None


@cache
def _templates() -> Mapping[str, str]:
    return REGISTRY.templates()


@cache
def rule(op: Op, parameter: str, of_complex: bool = False) -> tuple[tuple[Piece, ...], list[object]]:
    """The gradient of an operation for one parameter: its line of pieces, and the expression as nested lists."""
    formula = op.gradients[parameter]
    tree = formula.tree if of_complex else formula.real
    return tuple(pieces(tree, _templates())), as_lists(tree)


WHOLE = "whole"
"""The operand that stands for the gradient of a whole tensor of which a part was written."""


def outside(line: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """The gradient of a tensor of which the region W was written: its gradient, with the rule's result on W."""
    return ((WHOLE, False), r"\,\big|_{W \leftarrow ", *line, "}")


def barred(tex: str) -> str:
    """The gradient of a symbol: a bar over its letter, not over a subscript."""
    if tex.endswith("'"):
        plain = tex.rstrip("'")
        return barred(plain) + tex[len(plain) :]
    indexed = re.fullmatch(r"\w_\{(\d+|\\text\{[a-z ]+\})\}", tex)
    letter, _, subscript = tex.partition("_{") if indexed else (tex, "", "")
    bar = rf"\bar{{{letter}}}" if len(letter) == 1 else rf"\overline{{{letter}}}"
    return f"{bar}_{{{subscript}" if subscript else bar


@cache
def forward(op: Op) -> tuple[Piece, ...]:
    """The operation itself as a line of pieces, its parameters as operands."""
    template = op.latex or default_template(op.name, len(op.tensors))
    names = [p.name for p in op.params]
    return tuple(fill(template, lambda key: [(names[int(key)], False)]))


def symbols(line: tuple[Piece, ...], operands: Mapping[str, Operand]) -> str:
    """A line of pieces with the operands as symbols."""
    return tidy("".join(p if isinstance(p, str) else _symbol(p, operands) for p in line))


def _symbol(piece: tuple[str, bool], operands: Mapping[str, Operand]) -> str:
    name, transposed = piece
    tex = operands[name].tex if name in operands else symbol(name)
    return rf"{tex}^{{\top}}" if transposed else tex


def numeric(line: tuple[Piece, ...], operands: Mapping[str, Operand]) -> str:
    """A line of pieces with the operands' numbers."""
    parts = []
    for piece in line:
        if isinstance(piece, str):
            parts.append(piece)
            continue
        operand = operands.get(piece[0])
        if operand is None or operand.array is None or operand.array.size > MATRIX_ELEMENTS:
            parts.append(_symbol(piece, operands))
        else:
            parts.append(matrix(_transposed(operand.array, piece[1])))
    return tidy("".join(parts))


def tokens(
    line: tuple[Piece, ...], operands: Mapping[str, Operand], value: Callable[[np.ndarray], Value]
) -> list[Token]:
    """A line of pieces with the operands as arrays, for a reader that draws them itself."""
    result: list[Token] = []
    text = ""
    for piece in line:
        operand = None if isinstance(piece, str) else operands.get(piece[0])
        if isinstance(piece, str) or operand is None or operand.array is None:
            text += piece if isinstance(piece, str) else _symbol(piece, operands)
            continue
        if text:
            result.append(TexToken(tidy(text)))
            text = ""
        role: Literal["value", "gradient"] = "gradient" if operand.gradient else "value"
        told = value(operand.array)
        result.append(
            OperandToken(
                piece[0],
                _symbol(piece, operands),
                role,
                _turned_value(told) if piece[1] else told,
                operand.tensor,
                piece[1],
            )
        )
    return [*result, TexToken(tidy(text))] if text else result


def _turned_value(told: Value) -> Value:
    """A value with its last two dimensions swapped."""
    if len(told.shape) < 2:
        return told
    shape = [*told.shape[:-2], told.shape[-1], told.shape[-2]]
    if told.data is not None:
        data = np.empty(len(told.data), object)
        data[:] = told.data
        return Value(shape, told.dtype, data.reshape(told.shape).swapaxes(-1, -2).reshape(-1).tolist())
    corner = told.summary.corner if told.summary is not None else Corner([], [])
    inner = np.empty(len(corner.data), object)
    inner[:] = corner.data
    turned = Corner(corner.shape[::-1], inner.reshape(corner.shape).T.reshape(-1).tolist())
    return Value(shape, told.dtype, None, replace(told.summary, corner=turned) if told.summary is not None else None)


def _transposed(array: np.ndarray, transposed: bool) -> np.ndarray:
    return array.mT if transposed and array.ndim > 1 else array


def tidy(tex: str) -> str:
    """Exponents such as ``2-1`` worked out, and an exponent of one left away."""
    tex = re.sub(r"\^\{(\d+(?:\.\d+)?)-1\}", lambda m: "^{" + short(float(m[1]) - 1) + "}", tex)
    tex = re.sub(r"(\\o(?:dot|slash)) ?\\,", r"\1 ", tex)
    return re.sub(r"\^\{1\}", "", tex)


def matrix(array: np.ndarray) -> str:
    """An array as a LaTeX matrix: a number plain, a vector as a row, higher dimensions as a matrix of matrices."""
    if array.ndim == 0:
        text = tex_number(array.item())
        return rf"\left({text}\right)" if text.startswith("-") else text
    rows = array.reshape(1, -1) if array.ndim == 1 else array
    cells = (
        r" \\ ".join(matrix(each) for each in rows)
        if rows.ndim > 2
        else r" \\ ".join(" & ".join(tex_number(v) for v in row) for row in rows.tolist())
    )
    return rf"\begin{{bmatrix}} {cells} \end{{bmatrix}}"


def tex_number(given: object) -> str:
    """An element with up to four significant digits after the point."""
    plain = number(given)
    if isinstance(plain, bool):
        return str(int(plain))
    if isinstance(plain, str):
        return {"NaN": r"\mathrm{nan}", "Infinity": r"\infty", "-Infinity": r"-\infty"}.get(plain, plain)
    return short(plain)


def short(given: float) -> str:
    """A number as short as it can be read: ``15``, ``0.03``, ``1.5 \\cdot 10^{-5}``."""
    if given == int(given) and abs(given) < 1e6:
        return "-0" if given == 0 and str(given).startswith("-") else str(int(given))
    text = f"{given:.4g}"
    mantissa, _, exponent = text.partition("e")
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if exponent else text


def rule_text(op: Op, parameter: str) -> str:
    """The gradient rule with the operation's own parameter names, for the reference."""
    operands = {p.name: Operand(symbol(p.name), None) for p in op.params}
    operands |= {"g": Operand(r"\bar{y}", None), "out": Operand("y", None)}
    return f"{barred(symbol(parameter))} = " + symbols(rule(op, parameter)[0], operands)


def forward_text(op: Op) -> str:
    """The operation itself with its own parameter names, for the reference."""
    return "y = " + symbols(forward(op), {p.name: Operand(symbol(p.name), None) for p in op.params})
