"""Arguments of Keras in layers of PyTorch, wherever they are written: in the call, or in a table that it unpacks."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import UNKNOWN, Case, called, insertion
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.layers import LAYER_OF, PAIRS
from gradflow.engine.diagnosis.findings.words import apply, finding, joined, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.trace import Edit

Writing = ast.Call | ast.Dict

_RENAMED: Final[dict[str, tuple[str, ...]]] = {
    "rate": ("p",),
    "units": ("out_features", "hidden_size"),
    "filters": ("out_channels",),
    "strides": ("stride",),
    "pool_size": ("kernel_size",),
    "use_bias": ("bias",),
    "epsilon": ("eps",),
    "dilation_rate": ("dilation",),
    "input_dim": ("in_features", "num_embeddings", "input_size"),
    "output_dim": ("embedding_dim",),
    "alpha": ("negative_slope",),
    "key_dim": ("embed_dim",),
}
_STEPS: Final = ("return_sequences", "return_state")
_SET_BY_ITSELF: Final = ("input_shape", "batch_input_shape", "name", "trainable", "data_format", "mask_zero")
_STARTING: Final = ("kernel_initializer", "bias_initializer", "recurrent_initializer", "embeddings_initializer")
_PULLING: Final = ("kernel_regularizer", "bias_regularizer", "activity_regularizer", "recurrent_regularizer")
_OWN: Final = (*_RENAMED, *_STEPS, *_SET_BY_ITSELF, *_STARTING, *_PULLING, "activation")
_INPUTS: Final = ("in_features", "in_channels", "input_size")
_ACTIVATIONS: Final = {**LAYER_OF, "softmax": "Softmax", "swish": "SiLU", "mish": "Mish"}
_CLASS: Final = re.compile(r"(\w+)\.__init__")


@dataclass(frozen=True)
class _Word:
    """An argument of Keras: its name, its value, and the call or the table that it is written in."""

    name: str
    value: ast.expr
    place: Writing


@finds(errors.UNEXPECTED_KEYWORD)
def _words_of_keras(case: Case) -> Finding | None:
    """``nn.Dropout(rate=0.5)``, ``getattr(nn, kind)(**{"activation": "relu"})``."""
    call, keyword = case.find(ast.Call), str(case.details.get("keyword"))
    kind = _kind(case, call) if call is not None and keyword in _OWN else None
    place = _written(case, call, keyword) if call is not None and kind is not None else None
    if call is None or kind is None or place is None:
        return None
    words = _foreign(kind, place)
    first = next((one for one in words if one.name == keyword), None)
    if first is None or _is_told_elsewhere(case, call, place, words):
        return None
    en, zh, edits = _mended(case, kind, place, words)
    rest = [_mended(case, other, each, _foreign(other, each))[2] for other, each in _alike(case, call, place)]
    whole = [*edits, *(edit for each in rest for edit in each)] if edits and all(rest) else []
    listed, listed_zh = (joined([f"`{one.name}`" for one in words], language) for language in ("en", "zh"))
    is_a, is_a_zh = ("is a word", "是") if len(words) == 1 else ("are words", "都是")
    where, where_zh = (
        (f" on line {line(first.value)}", f"（第 {line(first.value)} 行）") if place is not call else ("", "")
    )
    return finding(
        case,
        f"{listed}{where} {is_a} of Keras, and `nn.{kind.__name__}` of PyTorch has no such argument. {en}.",
        f"{listed_zh}{where_zh} {is_a_zh} Keras 的写法，PyTorch 的 `nn.{kind.__name__}` 没有这样的参数。{zh}。",
        apply(case, whole, f"Without {listed} of Keras", f"不用 Keras 的 {listed_zh}") or (),
        first.value,
    )


def _kind(case: Case, call: ast.Call) -> type | None:
    """The layer of PyTorch that a call makes."""
    made = case.value(call.func)
    name = made.__name__ if isinstance(made, type) else ""
    match call.func:
        case ast.Call(func=ast.Name(id="getattr"), args=[_, given, *_]):
            name = str(case.value(given))
        case ast.Attribute(attr="__init__"):
            told = _CLASS.search(str(case.details.get("function", "")))
            name = told[1] if told is not None else ""
    own = any(one.name == name for one in case.nodes(ast.ClassDef))
    found = getattr(_library(case), name, None) if name and not own else None
    return found if isinstance(found, type) and issubclass(found, Layer) else None


def _library(case: Case) -> object:
    """``torch.nn``, as the program knows it."""
    direct = case.module_alias("torch.nn") or "nn"
    if isinstance(held := case.values.get(direct), ModuleType):
        return held
    return getattr(case.values.get(case.module_alias("torch") or ""), "nn", None)


def _parameters(kind: type) -> dict[str, inspect.Parameter]:
    """The arguments of a layer: of those that hand all on to the class behind them, of that class."""
    found: dict[str, inspect.Parameter] = {}
    for one in kind.__mro__:
        given = inspect.signature(one.__init__).parameters  # type: ignore[misc]
        found |= {name: each for name, each in given.items() if name not in found and name != "self"}
        if not any(each.kind is each.VAR_KEYWORD for each in given.values()):
            break
    return found


def _entries(place: Writing) -> Iterator[_Word]:
    if isinstance(place, ast.Call):
        yield from (_Word(one.arg, one.value, place) for one in place.keywords if one.arg is not None)
        return
    for key, value in zip(place.keys, place.values, strict=True):
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            yield _Word(key.value, value, place)


def _foreign(kind: type, place: Writing) -> list[_Word]:
    """The words of Keras in a call or a table."""
    known = _parameters(kind)
    return [
        one
        for one in _entries(place)
        if (one.name in _OWN and one.name not in known)
        or ("Pool" in kind.__name__ and one.name == "padding" and getattr(one.value, "value", "") == "valid")
    ]


def _alike(case: Case, call: ast.Call, place: Writing) -> Iterator[tuple[type, Writing]]:
    """The other layers of the program with words of Keras: made by a call, or rows of the same table."""
    for one in case.nodes(ast.Call) if place is call else ():
        kind = _kind(case, one) if one is not call and isinstance(one.func, ast.Attribute) else None
        if kind is not None and one.func.attr != "__init__" and _foreign(kind, one):  # type: ignore[attr-defined]
            yield kind, one
    row = case.parents.get(place)
    table = case.parents.get(row) if isinstance(row, ast.Tuple) and place is not call else None
    for each in table.elts if isinstance(table, ast.List) else ():
        match each:
            case ast.Tuple(elts=[ast.Constant(value=str() as name), ast.Call() | ast.Dict() as held]):
                kind = getattr(_library(case), name, None)
                if held is not place and isinstance(kind, type) and _foreign(kind, held):
                    yield kind, held


def _written(case: Case, call: ast.Call, keyword: str) -> Writing | None:
    """Where a keyword of a call is written: in itself, or where the table that it unpacks was made."""
    if any(one.name == keyword for one in _entries(call)):
        return call
    tables = [held for one in call.keywords if one.arg is None and isinstance(held := case.value(one.value), dict)]
    table = next((one for one in tables if keyword in one), {})
    places: list[Writing] = [*case.nodes(ast.Dict), *case.nodes(ast.Call)] if table else []
    for place in places:
        written = {one.name: one.value for one in _entries(place)}
        whole = isinstance(place, ast.Dict) or case.text(place.func) == "dict"
        if (
            keyword in written
            and (not whole or {*table} <= {*written})
            and all(case.value(written[name]) in (UNKNOWN, table[name]) for name in table if name in written)
        ):
            return place
    return None


def _is_told_elsewhere(case: Case, call: ast.Call, place: Writing, words: list[_Word]) -> bool:
    """What other findings say better: one activation in a row of layers, a word that says what PyTorch does anyway."""
    names = {one.name for one in words}
    parent = case.parents.get(call)
    in_row = isinstance(parent, ast.Call) and "Sequential" in case.text(parent.func)
    alone = len(names) == 1 and names <= {*_RENAMED} and not any(_alike(case, call, place))
    idle = names <= {*_STEPS, "input_shape", "name"}
    return place is call and (alone or idle or (in_row and names == {"activation"}))


# -- the way back ------------------------------------------------------------------------------------------------------


def _mended(case: Case, kind: type, place: Writing, words: list[_Word]) -> tuple[str, str, list[Edit]]:
    """What to do about the words, in both languages, and the edits, where these are all that is to be done."""
    known = _parameters(kind)
    en: list[str] = []
    zh: list[str] = []
    renamed: dict[str, str] = {}
    for one in words:
        new = next((each for each in _RENAMED.get(one.name, ()) if each in known), None)
        if one.name == "activation" and kind.__name__ == "RNN":
            new = "nonlinearity"
        if new is not None:
            renamed[one.name] = new
    if renamed:
        texts = [f"`{renamed[one.name]}={case.text(one.value)}`" for one in words if one.name in renamed]
        en.append(f"write {joined(texts, 'en')}")
        zh.append(f"请写 {joined(texts, 'zh')}")
    left = [one for one in words if one.name not in renamed and one.name != "activation"]
    if left:
        names = [f"`{one.name}`" for one in left]
        en.append(f"leave {joined(names, 'en')} out{_why(left)[0]}")
        zh.append(f"请去掉 {joined(names, 'zh')}{_why(left)[1]}")
    shape = next((one.value for one in words if one.name.endswith("input_shape")), None)
    size = case.text(shape.elts[-1]) if isinstance(shape, ast.Tuple) and shape.elts else ""
    first = next((name for name in _INPUTS if name in known), "")
    given = {renamed.get(one.name, one.name) for one in _entries(place)}
    unpacked = isinstance(place, ast.Call) and (place.args or any(one.arg is None for one in place.keywords))
    wanting = bool(first) and first not in given and not unpacked and _is_whole(case, place)
    if wanting:
        en.append(f"give `{first}={size}`" if size else f"give `{first}`, the size of what comes in, as well")
        zh.append(f"请给出 `{first}={size}`" if size else f"还请给出 `{first}`，即输入的大小")
    added = f"{first}={size}" if wanting and size else ""
    edits = [] if wanting and not size else _rewritten(case, place, words, renamed, added)
    active = next((one for one in words if one.name == "activation" and one.name not in renamed), None)
    if active is not None:
        more_en, more_zh, behind = _activated(case, kind, place, active)
        en.append(more_en)
        zh.append(more_zh)
        edits = behind(edits) if edits else []
    text = "; ".join(en)
    return text[:1].upper() + text[1:], "；".join(zh), edits


def _is_whole(case: Case, place: Writing) -> bool:
    """Whether a call makes the layer itself, with all that it is given."""
    return isinstance(place, ast.Call) and isinstance(place.func, ast.Attribute) and _kind(case, place) is not None


def _why(left: list[_Word]) -> tuple[str, str]:
    names = {one.name for one in left}
    if names <= {*_STARTING}:
        return " (weights are set with `nn.init` behind it)", "（要设定初始权重，请之后用 `nn.init`）"
    if names <= {*_PULLING}:
        return " (an optimizer has `weight_decay`)", "（优化器有 `weight_decay`）"
    if names <= {*_STEPS}:
        return ": all steps and the last state are always given", "：所有步的输出和最后的状态总是都会给出"
    return "", ""


def _rewritten(case: Case, place: Writing, words: list[_Word], renamed: dict[str, str], added: str) -> list[Edit]:
    """The call or the table with the words of PyTorch."""
    if "#" in case.text(place):
        return []
    gone = {one.name for one in words if one.name not in renamed}
    if isinstance(place, ast.Dict):
        parts = []
        for key, value in zip(place.keys, place.values, strict=True):
            name = getattr(key, "value", None)
            if key is None or name not in gone:
                quoted = f'"{renamed[name]}"' if name in renamed else case.text(key) if key is not None else "**"
                parts.append(f"{quoted}: {case.text(value)}" if key is not None else f"**{case.text(value)}")
        return case.replace(place, f"{{{', '.join(parts)}}}")
    parts = [*([added] if added else []), *(case.text(one) for one in place.args)]
    for one in place.keywords:
        if one.arg is None or one.arg not in gone:
            name = renamed.get(one.arg or "", one.arg)
            parts.append(f"**{case.text(one.value)}" if name is None else f"{name}={case.text(one.value)}")
    return case.replace(place, f"{case.text(place.func)}({', '.join(parts)})")


def _activated(
    case: Case, kind: type, place: Writing, word: _Word
) -> tuple[str, str, Callable[[list[Edit]], list[Edit]]]:
    """What becomes of an activation: a layer of its own behind this one."""
    held = str(getattr(word.value, "value", "")).lower()
    out, out_zh = "leave `activation` out", "请去掉 `activation`"
    if held in ("linear", "none") or (held == "tanh" and kind.__name__ in ("LSTM", "GRU")):
        return out, out_zh, lambda edits: edits
    losses = [one for one in case.nodes(ast.Call) if called(one) in ("CrossEntropyLoss", "cross_entropy")]
    if held == "softmax" and losses:
        return (
            f"{out}: the loss on line {line(losses[0])} has the softmax in it",
            f"{out_zh}：第 {line(losses[0])} 行的损失里已经含有 softmax",
            lambda edits: edits,
        )
    name = _ACTIVATIONS.get(held) if kind.__name__ not in PAIRS else None
    layer = f"{name}({'dim=-1' if name == 'Softmax' else ''})" if name is not None else ""
    en = f"put the activation behind it as a layer of its own{f', `nn.{layer}`' if layer else ''}"
    zh = f"请把激活函数作为单独的一层放在它后面{f'：`nn.{layer}`' if layer else ''}"
    return en, zh, lambda edits: _put_behind(case, place, layer, edits) if layer else []


def _put_behind(case: Case, place: Writing, layer: str, edits: list[Edit]) -> list[Edit]:
    """The edits of a call or a table, and a layer behind it."""
    table = case.parents.get(place)
    if isinstance(place, ast.Call) and isinstance(place.func, ast.Attribute) and _is_whole(case, place):
        owner = case.text(place.func.value)
        parent = case.parents.get(place)
        if isinstance(parent, ast.List) or (isinstance(parent, ast.Call) and "Sequential" in case.text(parent.func)):
            return [Edit(edits[0].span, f"{edits[0].text}, {owner}.{layer}")]
        return [Edit(edits[0].span, f"{owner}.Sequential({edits[0].text}, {owner}.{layer})")]
    match table:
        case ast.Tuple(elts=[ast.Constant(value=str()), held]) if held is place and "(" not in layer[:-2]:
            span = case.program.span_of(table)
            empty = "{}" if isinstance(place, ast.Dict) else "dict()"
            if span is None or not isinstance(case.parents.get(table), ast.List):
                return []
            row = case.line(span.line)
            alone = not row[: span.column].strip() and case.line(span.end_line)[span.end_column :].strip() == ","
            head = f"\n{row[: span.column]}" if alone else " "
            text = f'{head}("{layer[:-2]}", {empty}),' if alone else f', ("{layer[:-2]}", {empty})'
            end = span.end_column + alone
            return [*edits, insertion(span.end_line, end, text)]
    return []
