r"""Gradient formulas: text, parsed once, from which everything about an operation's backward derives.

A formula such as ``g @ mat2.mT`` may use ``g`` (the upstream gradient), the operation's parameters, ``out`` (its
result), numbers, arithmetic, ``.mT``, ``.T`` of a matrix, ``.shape``, ``.strides``, ``.ndim`` and ``.dtype``, and calls of registered operations. From
the text follow the saved variables (parameters and ``out`` where they are used for more than their shape or dtype),
the code of the vector-Jacobian product, and the rule in LaTeX, in symbols or with numbers.

Complex numbers: a formula writes ``conj(x)`` where the complex rule has the conjugate. It is left out of the code and
of the LaTeX where the upstream gradient is real.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

UPSTREAM: Final = "g"
CONJUGATE: Final = "conj"
RESULT: Final = "out"
METADATA: Final = ("shape", "strides", "ndim", "dtype")
ATTRIBUTES: Final = (*METADATA, "mT", "T")


class FormulaError(Exception):
    """A gradient formula that names what does not exist. Raised on import."""


@dataclass(frozen=True)
class Formula:
    """One parsed formula. ``values``: names whose elements it reads; ``metadata``: ``(name, attribute)`` pairs."""

    text: str
    tree: ast.expr
    values: frozenset[str]
    metadata: frozenset[tuple[str, str]]
    calls: frozenset[str]

    @property
    def real(self) -> ast.expr:
        """The tree without conjugates."""
        return _Real().visit(ast.parse(self.text, mode="eval")).body  # type: ignore[no-any-return]

    def code(self, of_complex: bool) -> str:
        """The text with metadata such as ``input.shape`` as plain names, ``input__shape``."""
        tree = ast.parse(self.text, mode="eval").body if of_complex else self.real
        return ast.unparse(_Flatten().visit(tree))

    @cached_property
    def slots(self) -> frozenset[str]:
        """Names that have to be kept from the forward pass for this formula, upstream gradients apart."""
        own = {name for name in self.values if name != UPSTREAM and not name.startswith(f"{UPSTREAM}_")}
        return frozenset(own | {f"{name}__{attribute}" for name, attribute in self.metadata})


@dataclass(frozen=True)
class Helper:
    """A function that formulas may call and that is no operation of its own: one form for arrays, one for Tensors."""

    name: str
    arrays: Callable[..., Any]
    tensors: Callable[..., Any]
    latex: str


def names_in(text: str) -> frozenset[str]:
    """All names and attributes in a formula, found fast; one that cannot be read has a name that nothing has."""
    try:
        return frozenset(compile(text, "<formula>", "eval").co_names)
    except SyntaxError:
        return frozenset({""})


def parse(text: str, names: frozenset[str], where: str) -> Formula:
    """Parse a formula whose free names are among ``names``. Raises FormulaError for any other name or construct."""
    try:
        tree = ast.parse(text, mode="eval").body
    except SyntaxError as error:
        raise FormulaError(f"{where}: {error.msg} in {text!r}") from None
    reader = _Reader(names, where)
    reader.visit(tree)
    return Formula(text, tree, frozenset(reader.values), frozenset(reader.metadata), frozenset(reader.calls))


class _Reader(ast.NodeVisitor):
    """Collects what a formula uses and refuses what it may not."""

    ALLOWED = (
        ast.BinOp, ast.UnaryOp, ast.Constant, ast.Tuple, ast.List, ast.operator, ast.unaryop, ast.Compare, ast.cmpop,
        ast.Load, ast.keyword, ast.Subscript,
    )  # fmt: skip

    def __init__(self, names: frozenset[str], where: str) -> None:
        self.names, self.where = names, where
        self.values: set[str] = set()
        self.metadata: set[tuple[str, str]] = set()
        self.calls: set[str] = set()

    def visit_Name(self, node: ast.Name) -> None:
        if node.id not in self.names:
            raise FormulaError(f"{self.where}: unknown name {node.id!r}")
        self.values.add(node.id)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if node.attr not in ATTRIBUTES:
            raise FormulaError(f"{self.where}: unknown attribute {node.attr!r}")
        if node.attr in METADATA and isinstance(node.value, ast.Name) and node.value.id in self.names:
            if node.value.id != UPSTREAM:
                self.metadata.add((node.value.id, node.attr))
        else:
            self.visit(node.value)

    def visit_Call(self, node: ast.Call) -> None:
        if not isinstance(node.func, ast.Name):
            raise FormulaError(f"{self.where}: only operations can be called")
        self.calls.add(node.func.id)
        for part in (*node.args, *node.keywords):
            self.visit(part)

    def generic_visit(self, node: ast.AST) -> None:
        if not isinstance(node, self.ALLOWED):
            raise FormulaError(f"{self.where}: {type(node).__name__} is not part of a formula")
        super().generic_visit(node)


class _Real(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        return node.args[0] if isinstance(node.func, ast.Name) and node.func.id == CONJUGATE else node


class _Flatten(ast.NodeTransformer):
    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if node.attr in METADATA and isinstance(node.value, ast.Name) and node.value.id != UPSTREAM:
            return ast.Name(f"{node.value.id}__{node.attr}", ast.Load())
        node.value = self.visit(node.value)
        return node


# -- the rule as nested lists ------------------------------------------------------------------------------------------

_SIGNS: Final[dict[type[ast.AST], str]] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.MatMult: "@",
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
}  # fmt: skip


def as_lists(node: ast.AST) -> list[object]:
    """The expression as nested lists: ``["*", ["name", "g"], ["number", 2]]``. Complex numbers are as Python writes them."""
    match node:
        case ast.Name(id=name):
            return ["name", name]
        case ast.Constant(value=value):
            return ["number", str(value) if isinstance(value, complex) else value]
        case ast.BinOp(left=left, op=op, right=right):
            return [_SIGNS[type(op)], as_lists(left), as_lists(right)]
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return [_SIGNS[type(op)], as_lists(left), as_lists(right)]
        case ast.UnaryOp(operand=operand):
            return ["neg", as_lists(operand)]
        case ast.Attribute(value=value, attr=attribute):
            return ["mT" if attribute == "T" else attribute, as_lists(value)]
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return ["call", name, *map(as_lists, arguments)]
        case ast.Subscript(value=value, slice=ast.Constant(value=int(number))):
            return ["part", as_lists(value), number]
    return ["other", ast.unparse(node)]


# -- the rule in LaTeX -------------------------------------------------------------------------------------------------

Piece = str | tuple[str, bool]
"""LaTeX, or an operand: its name in the formula and whether it is transposed."""

_SUM, _PRODUCT, _POWER, _ATOM = range(4)


def pieces(node: ast.AST, templates: Mapping[str, str], numbers: Collection[str] = ()) -> list[Piece]:
    """The rule as a line of LaTeX pieces with the operands left open.

    ``templates`` gives the LaTeX of each operation that a formula may call, with ``⟨0⟩``, ``⟨1⟩`` for its arguments
    and ``⟦1:...⟧`` around what is there only with the second argument. ``numbers`` are names that stand for no array.
    """
    return _Line(templates, numbers).walk(node)[0]


class _Line:
    def __init__(self, templates: Mapping[str, str], numbers: Collection[str]) -> None:
        self.templates, self.numbers = templates, numbers

    def walk(self, node: ast.AST) -> tuple[list[Piece], int]:
        match node:
            case ast.Name(id=name):
                return [(name, False)], _ATOM
            case ast.Constant(value=value):
                return [_number(value)], _ATOM
            case ast.Attribute(value=ast.Name(id=name), attr="mT" | "T"):
                return [(name, True)], _ATOM
            case ast.Attribute(value=value, attr="mT" | "T"):
                return [*self.inside(value, _ATOM), r"^{\top}"], _ATOM
            case ast.Attribute(value=value, attr=attribute):
                return [rf"\operatorname{{{attribute}}}(", *self.walk(value)[0], ")"], _ATOM
            case ast.UnaryOp(operand=operand):
                return ["-", *self.inside(operand, _PRODUCT)], _SUM
            case ast.BinOp():
                return self.binary(node)
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                sign = {"<=": r" \le ", ">=": r" \ge ", "==": "=", "!=": r" \ne "}.get(
                    _SIGNS[type(op)], _SIGNS[type(op)]
                )
                return ["[", *self.walk(left)[0], sign, *self.walk(right)[0], "]"], _ATOM
            case ast.Call(func=ast.Name(id=name), args=arguments):
                return self.call(name, arguments), _ATOM
            case ast.Subscript(value=ast.Call() as whole):  # one of several gradients that are computed together
                return self.walk(whole)
        return [rf"\text{{{_escape(ast.unparse(node))}}}"], _ATOM

    def inside(self, node: ast.AST, level: int) -> list[Piece]:
        """``node`` as an operand of an operator that binds at ``level``, in brackets where it needs them."""
        line, own = self.walk(node)
        return line if own >= level else [r"\left(", *line, r"\right)"]

    def binary(self, node: ast.BinOp) -> tuple[list[Piece], int]:
        left, right = node.left, node.right
        match node.op:
            case ast.Add() | ast.Sub():
                sign = "+" if isinstance(node.op, ast.Add) else "-"
                return [*self.inside(left, _SUM), sign, *self.inside(right, _PRODUCT)], _SUM
            case ast.Mult():
                plain = self.is_number(left) or self.is_number(right)
                return [
                    *self.inside(left, _PRODUCT),
                    r"\," if plain else r" \odot ",
                    *self.inside(right, _POWER),
                ], _PRODUCT
            case ast.Div() if isinstance(right, ast.Constant) and isinstance(right.value, int):
                return [rf"\tfrac{{1}}{{{right.value}}}\,", *self.inside(left, _PRODUCT)], _PRODUCT
            case ast.Div():
                return [*self.inside(left, _PRODUCT), r" \oslash ", *self.inside(right, _POWER)], _PRODUCT
            case ast.Pow():
                return [*self.inside(left, _ATOM), "^{", *self.walk(right)[0], "}"], _POWER
        return [*self.inside(left, _PRODUCT), r"\,", *self.inside(right, _POWER)], _PRODUCT

    def is_number(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Constant) or (isinstance(node, ast.Name) and node.id in self.numbers)

    def call(self, name: str, arguments: list[ast.expr]) -> list[Piece]:
        given = [not (isinstance(each, ast.Constant) and each.value is None) for each in arguments]
        template = self.templates.get(name) or default_template(name, given)
        return fill(
            template,
            lambda k: self.walk(arguments[k])[0] if k < len(arguments) else [],
            lambda k: k < len(arguments) and given[k],
        )


_OPTIONAL: Final = re.compile("⟦(\\d+):([^⟧¦]*)¦?([^⟧]*)⟧")


def fill(
    template: str, operand: Callable[[int], list[Piece]], given: Callable[[int], bool] = lambda k: True
) -> list[Piece]:
    """Replace ``⟨0⟩``, ``⟨1⟩`` and their like in a LaTeX template by pieces. Of ``⟦1:one¦other⟧`` stands the
    first part where argument 1 is given, else the second, which may be missing."""
    line: list[Piece] = []
    rest = _OPTIONAL.sub(lambda part: part[2] if given(int(part[1])) else part[3], template)
    while rest:
        before, mark, after = rest.partition("⟨")
        if before:
            line.append(before)
        if not mark:
            break
        key, _, rest = after.partition("⟩")
        line.extend(operand(int(key)))
    return line


def default_template(name: str, given: Sequence[bool]) -> str:
    """``\\operatorname{name}(⟨0⟩, ⟨1⟩)``, with the arguments that are given."""
    inner = ", ".join(f"⟨{i}⟩" for i, there in enumerate(given) if there)
    return rf"\operatorname{{{_escape(name)}}}\left({inner}\right)"


def symbol(name: str) -> str:
    """A program's name as a mathematical symbol."""
    return name if len(name) == 1 else rf"\mathit{{{_escape(name)}}}"


def _escape(text: str) -> str:
    return "".join("\\" + c if c in "_#$%&{}" else c for c in text)


def _number(value: object) -> str:
    if value is None:
        return "0"  # the gradient that there is none
    if isinstance(value, str | bool):
        return rf"\text{{{_escape(str(value))}}}"
    text = tex_number(value) if isinstance(value, int | float) else str(value)
    return rf"\left({text}\right)" if text.startswith("-") else text


def tex_number(given: float) -> str:
    """A number as short as it can be read: ``15``, ``0.03``, ``1.5 \\cdot 10^{-5}``."""
    if not math.isfinite(given):
        return r"\mathrm{nan}" if given != given else r"\infty" if given > 0 else r"-\infty"
    if given == int(given) and abs(given) < 1e6:
        return "-0" if given == 0 and str(given).startswith("-") else str(int(given))
    mantissa, _, exponent = f"{given:.4g}".partition("e")
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if exponent else mantissa
