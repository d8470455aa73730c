"""The rules of operations as LaTeX: for the reference with the names of the declaration, for a run as tokens."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache

import gradflow.engine.ops  # noqa: F401  # declares the operations, whose LaTeX is read here
from gradflow.engine.formula import RESULT, UPSTREAM, Piece, default_template, fill, pieces, symbol, tex_number
from gradflow.engine.registry import REGISTRY, Op
from gradflow.engine.trace import OperandToken, TexToken, Token


@cache
def templates() -> Mapping[str, str]:
    """The LaTeX of every operation and helper."""
    return REGISTRY.templates()


def backward(tree: ast.expr, numbers: Collection[str] = ()) -> list[Piece]:
    """A gradient formula as a line of pieces. ``numbers`` are names that stand for no array."""
    return pieces(tree, templates(), numbers)


def forward(op: Op, given: Callable[[int], bool] = lambda k: True) -> list[Piece]:
    """The operation itself as a line of pieces, its parameters as operands. ``given`` tells which arguments there are."""
    names = [p.name for p in op.params]
    tensors = [p.kind != "setting" and given(k) for k, p in enumerate(op.params)]
    template = op.latex or default_template(op.name, tensors)
    return fill(template, lambda k: [(names[k], False)] if k < len(names) else [], given)


def tokens(line: Sequence[Piece], operand: Callable[[str, bool], Sequence[Token]]) -> list[Token]:
    """A line of pieces as tokens, neighbouring LaTeX joined. ``operand`` gives those of a name, transposed or not."""
    result: list[Token] = []
    for piece in line:
        for token in [TexToken(piece)] if isinstance(piece, str) else operand(*piece):
            last = result[-1] if result else None
            if isinstance(token, TexToken) and isinstance(last, TexToken):
                result[-1] = TexToken(last.tex + token.tex)
            else:
                result.append(token)
    return [TexToken(tidy(t.tex)) if isinstance(t, TexToken) else t for t in result]


def written(whole: OperandToken, rule: Sequence[Token]) -> list[Token]:
    """A whole array of which the region W was written: the array, with the rule's result on W."""
    return [whole, TexToken(r"\,\big|_{W \leftarrow "), *rule, TexToken("}")]


def barred(tex: str) -> str:
    """The gradient of a symbol: a bar over its letter, not over a subscript."""
    if tex.endswith("'"):
        plain = tex.rstrip("'")
        return barred(plain) + tex[len(plain) :]
    indexed = re.fullmatch(r"\w_\{(\d+|\\text\{[a-z ]+\})\}", tex)
    letter, _, subscript = tex.partition("_{") if indexed else (tex, "", "")
    bar = rf"\bar{{{letter}}}" if len(letter) == 1 else rf"\overline{{{letter}}}"
    return f"{bar}_{{{subscript}" if subscript else bar


def tidy(tex: str) -> str:
    """Exponents such as ``2-1`` worked out; an exponent of one, a factor of one and nothing added left away."""
    tex = tex.replace(r"^{\left(-1\right)-1}", "^{-2}").replace(r"\odot 1\,", r"\odot ")
    tex = re.sub(r"[+-]0(?=[})])", "", tex)
    tex = re.sub(r"\^\{(\d+(?:\.\d+)?)-1\}", lambda m: "^{" + tex_number(float(m[1]) - 1) + "}", tex)
    tex = re.sub(r"(\\o(?:dot|slash)) ?\\,", r"\1 ", tex)
    return re.sub(r"\^\{1\}", "", tex)


def _symbols(line: Sequence[Piece], names: Mapping[str, str]) -> str:
    return tidy("".join(piece if isinstance(piece, str) else _symbol(*piece, names) for piece in line))


def _symbol(name: str, transposed: bool, names: Mapping[str, str]) -> str:
    tex = names.get(name) or symbol(name)
    return rf"{tex}^{{\top}}" if transposed else tex


def rule_text(op: Op, parameter: str) -> str:
    """The gradient rule with the operation's own parameter names, for the reference."""
    line = backward(op.gradients[parameter].real)
    return f"{barred(symbol(parameter))} = " + _symbols(line, {UPSTREAM: r"\bar{y}", RESULT: "y"})


def forward_text(op: Op) -> str:
    """The operation itself with its own parameter names, for the reference."""
    return "y = " + _symbols(forward(op), {})
