"""``stft`` as it was called when real and imaginary part were a last dimension of its result: the call, and what reads the parts."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import apply, code, finding, joined, line, lines_of_all
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.trace import Edit

_COMPLEX: Final = frozenset(
    {"abs", "angle", "real", "imag", "conj", "istft", "view_as_real", "is_complex", "resolve_conj"}
)
"""What is done with complex numbers, and not with pairs of real ones."""
_GIVEN: Final = "return_complex=True"


@finds(errors.FOURIER_REFUSED)
def _complex_result(case: Case) -> Finding | None:
    """``stft`` without ``return_complex``."""
    call = case.find(ast.Call)
    if call is None or "return_complex" not in str(case.details.get("message", "")):
        return None
    flag = case.argument(call, _GIVEN)
    en = (
        f"{code(case, call.func)} on line {line(call)} gives complex numbers today, where it once gave real and imaginary part in a last dimension of size 2, and"
        f" wants to be told which: `{_GIVEN}`."
    )
    zh = f"第 {line(call)} 行的 {code(case, call.func)} 现在给出复数，而以前把实部和虚部放在大小为 2 的最后一维，所以要求写明：`{_GIVEN}`。"
    uses = _uses(case, call)
    if any(_is_complex(case, one) for one in uses):
        return finding(
            case,
            f"{en} What follows computes with complex numbers.",
            f"{zh}后面的代码正是按复数计算的。",
            case.fix(flag, call),
            call,
        )
    pairs = [_as_complex(case, one) for one in uses]
    known = [one for one in pairs if one is not None]
    if not known and not any(_is_pair(case, one) for one in uses):
        return finding(
            case,
            f"{en} The parts are then `.real` and `.imag`, and the magnitude is `.abs()`.",
            f"{zh}这时两部分是 `.real` 和 `.imag`，幅值是 `.abs()`。",
            case.fix(flag, call),
            call,
        )
    if known and len(known) == len(pairs):
        return _both(case, call, known, (en, zh))
    text = f"view_as_real({case.text(call.func)}(..., {_GIVEN}))"
    torch, imports = case.with_torch()
    rows, rows_zh = lines_of_all([row for one in uses for row in _read_on(case, one)])
    return finding(
        case,
        f"{en} {rows} still read{'s' if ' and ' not in rows else ''} the two parts from the last dimension; keep that, and give it the pairs: `{torch}.{text}`.",
        f"{zh}而{rows_zh}仍按最后一维读取这两部分；要保留这种写法，请把复数变回成对的实数：`{torch}.{text}`。",
        apply(
            case,
            [*case.before(call, f"{torch}.view_as_real("), *flag, *case.after(call, ")"), *imports],
            f"`{torch}.view_as_real(...)`",
            f"`{torch}.view_as_real(...)`",
        ),
        call,
    )


def _both(case: Case, call: ast.Call, known: Sequence[tuple[ast.expr, str]], told: tuple[str, str]) -> Finding:
    """The call, and every place that reads the parts, written for complex numbers."""
    edits: list[Edit] = [*case.argument(call, _GIVEN)]
    inside = [(node, text) for node, text in known if call in set(ast.walk(node))]
    for node, text in known:
        edits += _tail(case, call, node, text) if (node, text) in inside else case.replace(node, text)
    cut = len(case.text(call)) if inside else 0
    pairs = dict.fromkeys(
        (text[cut:], f"`{case.text(node)[cut:]}`" if cut else code(case, node)) for node, text in known
    )
    shown = [f"`{text}` for {old}" for text, old in pairs]
    shown_zh = [f"{old} 改成 `{text}`" for text, old in pairs]
    rows, rows_zh = lines_of_all([line(node) for node, _ in known])
    title = [f"`{_GIVEN}`", *(f"`{text}`" for text, _ in pairs if len(text) < 32)]
    return finding(
        case,
        f"{told[0]} {rows} read{'s' if ' and ' not in rows else ''} the parts from that dimension; there, write {joined(shown, 'en')}.",
        f"{told[1]}而{rows_zh}从那一维读取这两部分；请在那里把 {'，把 '.join(shown_zh)}。",
        apply(case, edits, ", ".join(title), "，".join(title)),
        call,
    )


def _tail(case: Case, call: ast.Call, node: ast.expr, text: str) -> list[Edit]:
    """``torch.stft(...).pow(2).sum(-1)``: only what stands behind the call is written anew."""
    whole, inner = case.program.span_of(node), case.program.span_of(call)
    if whole is None or inner is None or (whole.line, whole.column) != (inner.line, inner.column):
        return []
    return [Edit(case.between(inner, whole), text[len(case.text(call)) :])]


def _uses(case: Case, call: ast.Call) -> list[ast.expr]:
    """Where the result of a call is used: by its name, or the call itself."""
    statement = case.parents.get(call)
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return [call]
    target, scope = case.text(statement.targets[0]), Flow(case).scope(call)
    return [
        one
        for one in (*case.nodes(ast.Name), *case.nodes(ast.Attribute))
        if isinstance(getattr(one, "ctx", None), ast.Load)
        and case.text(one) == target
        and line(one) > line(call)
        and ("." in target or Flow(case).scope(one) is scope)
    ]


def _is_complex(case: Case, use: ast.expr) -> bool:
    """``spec.abs()``, ``torch.abs(spec)``, ``torch.istft(spec, ...)``; of what a function returns any of them in the program."""
    outer = case.parents.get(use)
    if isinstance(outer, ast.Return):
        return any(one.attr in _COMPLEX - {"abs"} for one in case.nodes(ast.Attribute))
    if isinstance(outer, ast.Attribute):
        return outer.attr in _COMPLEX
    return isinstance(outer, ast.Call) and use in outer.args and called(outer) in _COMPLEX


def _is_pair(case: Case, use: ast.expr) -> bool:
    """Whether something reads a last dimension: of what a function returns somewhere in the program."""
    outer = case.parents.get(use)
    last = isinstance(outer, ast.Return | ast.Call) and any(_part(one) is not None for one in case.nodes(ast.Subscript))
    return (
        last
        or isinstance(outer, ast.Subscript | ast.BinOp)
        or (isinstance(outer, ast.Attribute) and outer.attr in _PAIRED)
    )


_PAIRED: Final = frozenset(
    {"pow", "square", "norm", "unbind", "permute", "transpose", "sum", "chunk", "split", "select"}
)


def _read_on(case: Case, use: ast.expr) -> list[int]:
    """The lines that read the parts: of what a function returns those that take one of two."""
    if isinstance(case.parents.get(use), ast.Return):
        return [line(one) for one in case.nodes(ast.Subscript) if _part(one) is not None]
    return [line(use)]


def _as_complex(case: Case, use: ast.expr) -> tuple[ast.expr, str] | None:
    """The expression that reads the parts of what is used, and what it is of complex numbers."""
    own, outer = case.text(use), case.parents.get(use)
    match outer:
        case ast.Subscript(value=value) if value is use and (part := _part(outer)) is not None:
            return outer, f"{own}.{part}"
        case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=2)) if left is use:
            return _summed(case, outer, f"{own}.abs().pow(2)")
        case ast.Attribute(attr="pow" | "square" | "norm" | "unbind" | "select", value=value) if value is use:
            made = case.parents.get(outer)
            return (
                _of_method(case, own, outer.attr, made) if isinstance(made, ast.Call) and made.func is outer else None
            )
        case ast.Call() if (
            called(outer) == "norm" and outer.args[:1] == [use] and _is_last(argument_of(outer, 2, "dim"))
        ):
            return outer, f"{own}.abs()"
    return None


def _of_method(case: Case, own: str, name: str, made: ast.Call) -> tuple[ast.expr, str] | None:
    first = made.args[0] if made.args else next((one.value for one in made.keywords), None)
    if (
        name == "norm"
        and _is_last(argument_of(made, 1, "dim"))
        and (not made.args or getattr(made.args[0], "value", 2) == 2)
    ):
        return made, f"{own}.abs()"
    if name == "unbind" and _is_last(argument_of(made, 0, "dim")) and isinstance(case.parents.get(made), ast.Assign):
        return made, f"{own}.real, {own}.imag"
    if name == "square" or (name == "pow" and getattr(first, "value", None) == 2):
        return _summed(case, made, f"{own}.abs().pow(2)")
    if (
        name == "select"
        and _is_last(argument_of(made, 0, "dim"))
        and (at := getattr(argument_of(made, 1, "index"), "value", None)) in (0, 1)
    ):
        return made, f"{own}.{'imag' if at else 'real'}"
    return None


def _summed(case: Case, squares: ast.expr, text: str) -> tuple[ast.expr, str] | None:
    """``squares.sum(-1)``, and where its root is taken at once the magnitude."""
    outer = case.parents.get(squares)
    made = case.parents.get(outer) if isinstance(outer, ast.Attribute) and outer.attr == "sum" else None
    if (
        not isinstance(made, ast.Call)
        or made.func is not outer
        or made.keywords[1:]
        or not _is_last(argument_of(made, 0, "dim"))
    ):
        if (
            isinstance(outer, ast.Call)
            and called(outer) == "sum"
            and outer.args[:1] == [squares]
            and _is_last(argument_of(outer, 1, "dim"))
        ):
            return outer, text
        return None
    return made, text


def _is_last(node: ast.expr | None) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and getattr(node.operand, "value", 0) == 1


def _part(node: ast.Subscript) -> str | None:
    """``spec[..., 0]``, ``spec[:, :, :, 1]``: which of the two parts is taken."""
    index = node.slice
    if not isinstance(index, ast.Tuple) or len(index.elts) < 2 or not isinstance(index.elts[-1], ast.Constant):
        return None
    whole = all(
        (isinstance(one, ast.Constant) and one.value is ...)
        or (isinstance(one, ast.Slice) and one.lower is one.upper is one.step is None)
        for one in index.elts[:-1]
    )
    return {0: "real", 1: "imag"}.get(index.elts[-1].value) if whole and type(index.elts[-1].value) is int else None
