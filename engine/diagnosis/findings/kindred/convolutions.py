"""A convolution for inputs of another number of dimensions: ``nn.Conv1d`` for images, ``nn.Conv2d`` for signals."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.layers import maker_of, running
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.namespace.nn.module import Module as Layer

_HELD: Final = {
    1: ("signals, `(batch, channels, length)`", "信号，即 `(batch, channels, length)`"),
    2: ("images, `(batch, channels, height, width)`", "图像，即 `(batch, channels, height, width)`"),
    3: (
        "volumes, `(batch, channels, depth, height, width)`",
        "三维体数据，即 `(batch, channels, depth, height, width)`",
    ),
}


@finds(errors.CONV_INPUT, errors.CONV_CHANNELS)
def _dimensions_of_convolution(case: Case) -> Finding | None:
    """The channels stand where the layer looks for them, and behind them are more dimensions than it goes through, or fewer."""
    outer, call = running(case)
    held = Flow(case).tensor(call.args[0]) if call is not None and call.args else None
    if outer is None or call is None or held is None:
        return None
    shape = list(map(int, held.shape))
    layer = next((one for one in outer.modules() if _kind(one)), None)
    if layer is None or len(shape) - 2 not in _HELD or len(shape) - 2 == _kind(layer) or not _begins(outer, layer):
        return None
    if layer.__dict__.get("in_channels") != shape[1] or (_kind(layer) > len(shape) - 2 and shape[0] == shape[1]):
        return None
    return _other(case, call, layer, shape)


def _kind(layer: object) -> int:
    name = type(layer).__name__
    return int(name[-2]) if name.startswith("Conv") and name[-2:] in ("1d", "2d", "3d") else 0


def _begins(outer: Layer, layer: Layer) -> bool:
    """Whether what is given to a layer, or a row of layers, goes into this one first."""
    return outer is layer or (type(outer).__name__ == "Sequential" and next(iter(outer.children()), None) is layer)


def _other(case: Case, call: ast.Call, layer: Layer, shape: list[int]) -> Finding | None:
    made, kind = maker_of(case, layer), len(shape) - 2
    old = type(layer).__name__
    new = f"{old[:-2]}{kind}d"
    if made is None:
        return None
    own, held = _HELD[_kind(layer)], _HELD[kind]
    text = case.text(made).replace(old, new, 1)
    more = _beside(case, made, old[-2:])
    edits = [edit for one in (made, *more) for edit in case.rename_end(one.func, old[-2:], f"{kind}d")]
    names = dict.fromkeys(f"`{called(one)[:-2]}{kind}d`" for one in more)
    also, also_zh = (f", and {', '.join(names)} beside it", f"，旁边的也换成 {'、'.join(names)}") if names else ("", "")
    return finding(
        case,
        f"{code(case, made)} on line {line(made)} is for {own[0]}, and {code(case, call.args[0])} has the shape {shape}: {held[0]}. For these there is"
        f" `{new}`: write `{text}`{also}.",
        f"第 {line(made)} 行的 {code(case, made)} 用于{own[1]}，而 {code(case, call.args[0])} 的形状是 {shape}：{held[1]}。这种输入请用 `{new}`：在那里写 `{text}`{also_zh}。",
        case.fix(edits, made) or (),
        made,
    )


def _beside(case: Case, made: ast.Call, kind: str) -> list[ast.Call]:
    """The other layers for the same dimensions that are made beside one: in its class, or in its row of layers."""
    around = case.enclosing(made, ast.ClassDef) or case.statement(made)
    calls = [one for one in ast.walk(around) if isinstance(one, ast.Call)] if around is not None else []
    return [one for one in calls if one is not made and called(one).endswith(kind) and called(one)[:1].isupper()]
