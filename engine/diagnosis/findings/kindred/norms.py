"""A normalisation for inputs of another number of dimensions: ``nn.BatchNorm2d`` behind a linear layer."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.layers import maker_of
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.namespace.nn.module import Module as Layer

_KIND: Final = {2: "1d", 3: "1d", 4: "2d", 5: "3d"}
_HELD: Final = {
    2: ("rows of features", "一行行特征"),
    3: ("sequences of channels", "带通道的序列"),
    4: ("images", "图像"),
    5: ("volumes", "三维体数据"),
}
_FOR: Final = {
    "1d": ("`(batch, features)` or `(batch, channels, length)`", "`(batch, features)` 或 `(batch, channels, length)`"),
    "2d": ("images, `(batch, channels, height, width)`", "图像，即 `(batch, channels, height, width)`"),
    "3d": (
        "volumes, `(batch, channels, depth, height, width)`",
        "三维体数据，即 `(batch, channels, depth, height, width)`",
    ),
}


@finds(errors.MODULE_ARGUMENT)
def _dimensions_of_norm(case: Case) -> Finding | None:
    """The class of the family that takes what reaches the layer, if its channels stand where they are looked for."""
    layer, shape = case.details.get("layer"), case.details.get("given")
    if not isinstance(layer, Layer) or not isinstance(shape, list):
        return None
    name = type(layer).__name__
    made, kind, features = _made(case, layer), name[-2:], layer.__dict__.get("num_features")
    wanted = _KIND.get(len(shape))
    if not name.startswith(("BatchNorm", "InstanceNorm")) or kind not in _FOR or wanted is None or made is None:
        return None
    if shape[1] == features and wanted != kind and not (len(shape) == 2 and name.startswith("Instance")):
        return _other_class(case, (name, f"{name[:-2]}{wanted}"), shape, made)
    if shape[-1] == features:
        return _rows(case, name, shape, made)
    return _lacking(case, shape, made, features)


def _made(case: Case, layer: Layer) -> ast.Call | None:
    """The call that made a layer, also one of a class that has another name there."""
    entries = (one._entry for one in layer.parameters(recurse=False))
    places = (case.at(ast.Call, entry.first.place) for entry in entries if entry is not None)
    return maker_of(case, layer) or next((one for one in places if one is not None), None)


def _reaching(case: Case, layer: object, shape: Sequence[int]) -> tuple[str, str]:
    """What the layer is given, with its shape."""
    call = case.find(ast.Call)
    told = f"{list(shape)}"
    if call is not None and call.args and case.value(call.func) is layer:
        return f"{code(case, call.args[0])} has the shape {told}", f"{code(case, call.args[0])} 的形状是 {told}"
    return f"what reaches it has the shape {told}", f"到达它的张量形状是 {told}"


def _other_class(case: Case, names: tuple[str, str], shape: Sequence[int], made: ast.Call) -> Finding:
    old, new = names
    given, given_zh = _reaching(case, case.details.get("layer"), shape)
    held, held_zh = _HELD[len(shape)]
    wanted, wanted_zh = _FOR[old[-2:]]
    edits = case.rename_end(made.func, old, new)
    named, text = code(case, made), f": write `{case.text(made).replace(old, new, 1)}`"
    if not edits:
        named, text = f"{named} (a `{old}`)", f", to be given where `{case.text(made.func)}` gets its value"
    zh = (
        text.replace(": write ", "：在那里写 ")
        .replace(", to be given where", "，请在给出")
        .replace(" gets its value", " 的地方换成它")
    )
    return finding(
        case,
        f"{named} on line {line(made)} is for {wanted}, and {given}: {held}. For these there is `{new}`{text}.",
        f"第 {line(made)} 行的 {named.replace(' (a ', '（').replace('`)', '`）')} 用于{_spaced(wanted_zh)}，而{_spaced(given_zh)}：{held_zh}。这种输入请用 `{new}`{zh}。",
        case.fix(edits, made) or (),
        made,
    )


def _spaced(text: str) -> str:
    """A space in front of what begins with code."""
    return f" {text}" if text.startswith("`") else text


def _rows(case: Case, name: str, shape: Sequence[int], made: ast.Call) -> Finding:
    """The features stand last, where only ``LayerNorm`` looks for them."""
    given, given_zh = _reaching(case, case.details.get("layer"), shape)
    alone = len(made.args) == 1 and not made.keywords
    text = f"{case.text(made.func).replace(name, 'LayerNorm')}({case.text(made.args[0]) if made.args else shape[-1]})"
    return finding(
        case,
        f"{code(case, made)} on line {line(made)} looks for {shape[-1]} channels in dimension 1, and {given}: its {shape[-1]} features stand last. What"
        f" normalises the last dimension is `LayerNorm`: `{text}`.",
        f"第 {line(made)} 行的 {code(case, made)} 在第 1 维寻找 {shape[-1]} 个通道，而{_spaced(given_zh)}：它的 {shape[-1]} 个特征排在最后。归一化最后一维的是"
        f" `LayerNorm`：`{text}`。",
        (case.fix(case.rename_end(made.func, name, "LayerNorm"), made) if alone else None) or (),
        made,
    )


def _lacking(case: Case, shape: Sequence[int], made: ast.Call, features: object) -> Finding | None:
    """An image without its batch, or without the one channel that it has."""
    call, layer = case.find(ast.Call), case.details.get("layer")
    own = call is not None and bool(call.args) and case.value(call.func) is layer
    full = {"1d": 3, "2d": 4, "3d": 5}[called(made)[-2:]] if called(made)[-2:] in _FOR else 0
    if call is None or not own or len(shape) != full - 1 or not isinstance(features, int):
        return None
    at = 0 if shape[0] == features else 1 if features == 1 else None
    if at is None:
        return None
    what, what_zh = ("batch", "批量维") if at == 0 else ("one channel", "唯一的通道维")
    text = f"{case.operand(call.args[0])}.unsqueeze({at})"
    return finding(
        case,
        f"{code(case, made)} on line {line(made)} is for {_FOR[called(made)[-2:]][0]}, and {code(case, call.args[0])} has the shape {list(shape)}: the {what}"
        f" is missing. Add it: `{text}`.",
        f"第 {line(made)} 行的 {code(case, made)} 用于{_spaced(_FOR[called(made)[-2:]][1])}，而 {code(case, call.args[0])} 的形状是 {list(shape)}：缺少{what_zh}。请补上：`{text}`。",
        case.fix(case.followed(call.args[0], f".unsqueeze({at})"), call),
        call.args[0],
    )
