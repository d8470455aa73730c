"""Two branches of a block that are added, of which one makes the picture smaller and the other does not."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import shape_at
from gradflow.engine.diagnosis.findings.layers import maker_of
from gradflow.engine.diagnosis.findings.words import code, finding, line, text_with
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.fixes.dtypes import operands
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.sandbox.positions import argument_of

_DEEPEST: Final = 12


@dataclass(frozen=True)
class _Strided:
    """A convolution of a branch: the call that made it, its stride, and how that is written, if it is."""

    made: ast.Call
    stride: int
    written: ast.expr | None


@finds(errors.SHAPE_BROADCAST)
def _strides(case: Case) -> Finding | None:
    """``y + self.skip(x)``, where the convolutions of `y` have the stride of the block and that of `skip` has not."""
    node = case.find(ast.BinOp)
    pair = [one for one in operands(case, node) if shape_at(case, one)]
    if node is None or len(pair) != 2:
        return None
    for small, large in (pair, pair[::-1]):
        own, other = shape_at(case, small) or (), shape_at(case, large) or ()
        if len(own) != len(other) or len(own) < 3 or own[:2] != other[:2] or not own[2] < other[2]:
            continue
        strided = [one for one in _convolutions(case, small) if one.stride > 1]
        plain = list(_convolutions(case, large))
        if len(strided) != 1 or len(plain) != 1 or plain[0].stride != 1 or strided[0].written is None:
            continue
        first, second = strided[0], plain[0]
        scopes = [case.enclosing(one.made, ast.FunctionDef) for one in (first, second)]
        if scopes[0] is not scopes[1] or (other[2] + first.stride - 1) // first.stride != own[2]:
            continue
        return _told(case, (small, large), (own, other), first, second)
    return None


def _told(
    case: Case,
    pair: tuple[ast.expr, ast.expr],
    shapes: tuple[tuple[int, ...], tuple[int, ...]],
    first: _Strided,
    second: _Strided,
) -> Finding:
    stride = case.text(first.written) if first.written is not None else str(first.stride)
    if second.written is not None:
        edits, text = case.replace(second.written, stride), text_with(case, second.made, second.written, stride)
    else:
        edits = case.argument(second.made, f"stride={stride}")
        text = f"{case.text(second.made)[:-1].rstrip(', ')}, stride={stride})"
    text = " ".join(text.split())
    sizes = ["×".join(map(str, shape[2:])) for shape in shapes]
    return finding(
        case,
        f"{code(case, pair[0])} has been made smaller, {sizes[0]}, by the stride {first.stride} of {code(case, first.made)} on line {line(first.made)}, and"
        f" {code(case, pair[1])} is still {sizes[1]}: its convolution on line {line(second.made)} does not take that stride. Both branches need it: `{text}`.",
        f"{code(case, pair[0])} 因第 {line(first.made)} 行的 {code(case, first.made)} 的步幅 {first.stride} 缩小为 {sizes[0]}，而 {code(case, pair[1])} 仍是 {sizes[1]}："
        f"它在第 {line(second.made)} 行的卷积没有使用这个步幅。两个分支都需要它：`{text}`。",
        case.fix(edits, second.made),
        second.made,
    )


def _convolutions(case: Case, branch: ast.expr) -> Iterator[_Strided]:
    """The convolutions that a branch goes through in its method, each once."""
    seen: set[int] = set()
    for one in _calls(case, branch, _DEEPEST):
        held = case.value(one.func)
        for layer in held.modules() if isinstance(held, Layer) else ():
            made = maker_of(case, layer) if type(layer).__name__.startswith("Conv") and id(layer) not in seen else None
            if made is None:
                continue
            seen.add(id(layer))
            stride = getattr(layer, "stride", 1)
            yield _Strided(made, stride[0] if isinstance(stride, tuple) else stride, argument_of(made, 3, "stride"))


def _calls(case: Case, node: ast.expr, depth: int) -> Iterator[ast.Call]:
    """The calls behind an expression, through the variables of its function, but not through what that is given."""
    flow = Flow(case)
    scope = flow.scope(node)
    for one in ast.walk(node):
        if isinstance(one, ast.Call):
            yield one
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load) and depth:
            given = next((each for each in flow.assigned(one, one.id) if each.lineno <= one.lineno), None)
            if (
                given is not None
                and given is not node
                and flow.scope(given) is scope
                and isinstance(scope, ast.FunctionDef)
            ):
                yield from _calls(case, given, depth - 1)
