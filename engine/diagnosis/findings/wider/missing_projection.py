"""A residual block whose short way stays empty where the long way strides: the condition asks for the channels alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import shape_at
from gradflow.engine.diagnosis.findings.words import code, finding, line, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.namespace.nn.module import Module as Layer

_EMPTY: Final = ("Identity", "Sequential")
_STRIDE: Final = 3


@dataclass(frozen=True)
class _Short:
    """``if i != o: self.short = nn.Conv2d(i, o, 1, stride=s)``: the attribute, the condition, and the call that strides."""

    name: str
    test: ast.Compare
    projection: ast.Call

    @property
    def negative(self) -> bool:
        """Whether the projection is made where the condition does not hold."""
        return isinstance(self.test.ops[0], ast.Eq)

    @property
    def asked(self) -> set[str]:
        return {one.id for one in ast.walk(self.test) if isinstance(one, ast.Name)}


@finds(errors.SHAPE_BROADCAST)
def _no_projection(case: Case) -> Finding | None:
    """``out += self.shortcut(x)`` of a block that strides, with an empty shortcut."""
    node, block = case.find(ast.BinOp), case.values.get("self")
    owner = case.enclosing(node, ast.ClassDef) if node is not None else None
    if node is None or owner is None or not isinstance(block, Layer) or type(block).__name__ != owner.name:
        return None
    shapes = [shape_at(case, one) for one in (node.left, node.right)]
    if shapes[0] is None or shapes[1] is None or len(shapes[0]) != len(shapes[1]) or len(shapes[0]) < _STRIDE:
        return None
    if shapes[0][1] != shapes[1][1] or shapes[0][2:] == shapes[1][2:] or not _strides(block):
        return None
    for short in _shorts(case, owner):
        stride = _not_asked(short, owner) if _is_empty(getattr(block, short.name, None)) else ""
        if stride:
            return _told(case, short, stride)
    return None


def _told(case: Case, short: _Short, stride: str) -> Finding:
    text = f"{stride} {'== 1 and' if short.negative else '!= 1 or'} {case.text(short.test)}"
    holds, holds_zh = ("holds", "成立") if short.negative else ("does not hold", "不成立")
    return finding(
        case,
        f"`self.{short.name}` changes nothing in this block, while the other way strides, so the two sizes differ: {code(case, short.test)} on line {line(short.test)} asks"
        f" for the channels alone, and {holds} here. Ask for the stride as well: `{text}`.",
        f"这个块里的 `self.{short.name}` 什么也不改变，而另一条支路带有步长，会缩小尺寸，所以两边大小不同：第 {line(short.test)} 行的 {code(case, short.test)} 只看通道数，"
        f"在这里{holds_zh}。请同时判断步长：`{text}`。",
        write(case, short.test, text),
        short.test,
    )


def _strides(block: Layer) -> bool:
    """Whether a layer of a block moves on by more than one place."""
    strides = [getattr(one, "stride", 1) for one in block.modules() if type(one).__name__.startswith("Conv")]
    return any(size > 1 for each in strides for size in (each if isinstance(each, tuple) else (each,)))


def _is_empty(held: object) -> bool:
    return held is None or (isinstance(held, Layer) and type(held).__name__ in _EMPTY and not list(held.children()))


def _shorts(case: Case, owner: ast.ClassDef) -> Iterator[_Short]:
    """The attributes that get a layer under a condition alone."""
    for one in ast.walk(owner):
        if not isinstance(one, ast.If | ast.IfExp):
            continue
        match one.test:
            case ast.Compare(ops=[ast.Eq() | ast.NotEq()]) as test:
                made = _branch(one, isinstance(test.ops[0], ast.Eq))
                name = _attribute(case, one, made)
                calls = [call for part in made for call in ast.walk(part) if isinstance(call, ast.Call)]
                convolved = [call for call in calls if called(call).startswith("Conv") and len(call.args) > 1]
                if name and convolved:
                    yield _Short(name, test, convolved[0])


def _branch(node: ast.If | ast.IfExp, other: bool) -> list[ast.AST]:
    held = node.orelse if other else node.body
    return list(held) if isinstance(held, list) else [held]


def _attribute(case: Case, node: ast.If | ast.IfExp, made: list[ast.AST]) -> str:
    """The attribute of ``self`` that a branch sets, or that a conditional expression is given to."""
    found = [part for part in made if isinstance(part, ast.Assign)]
    statement = case.statement(node) if isinstance(node, ast.IfExp) else found[0] if len(found) == 1 else None
    match statement:
        case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=attr)]):
            return attr
    return ""


def _stride(call: ast.Call) -> ast.Name | None:
    """The name of the stride of a convolution."""
    given = next((one.value for one in call.keywords if one.arg == "stride"), None)
    given = given or (call.args[_STRIDE] if len(call.args) > _STRIDE else None)
    return given if isinstance(given, ast.Name) else None


def _not_asked(short: _Short, owner: ast.ClassDef) -> str:
    """The stride of the projection and of a layer of the long way, where the condition asks for the channels alone."""
    stride = _stride(short.projection)
    channels = {one.id for one in short.projection.args[:2] if isinstance(one, ast.Name)}
    if stride is None or stride.id in short.asked or short.asked != channels:
        return ""
    others = [one for one in ast.walk(owner) if isinstance(one, ast.Call) and one is not short.projection]
    return stride.id if any((held := _stride(one)) is not None and held.id == stride.id for one in others) else ""
