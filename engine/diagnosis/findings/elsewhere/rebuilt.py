"""A model that is made again for a saved state, with another argument than the one that was saved."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.words import code, finding, line, on_line, text_with
from gradflow.engine.diagnosis.flow import Flow, default_of
from gradflow.engine.trace import Edit


@dataclass(frozen=True)
class _Argument:
    """What a parameter of a constructor is given: the expression, and whether that is its default."""

    value: ast.expr
    default: bool


@dataclass(frozen=True)
class _Place:
    """Where an argument is to be written: the call, the expression that stands there already, and its keyword."""

    call: ast.Call
    value: ast.expr | None
    word: str


def rebuilt_otherwise(case: Case, owner: ast.expr, given: ast.expr, mismatch: tuple[str, str, str]) -> Finding | None:
    """``load(buffer, vocab=80)`` for what was saved of ``Tagger(vocab=80, hidden=64)``; ``mismatch``: a name and its two sizes."""
    saved = _saved_model(case, given)
    first = definition(case, saved) if saved is not None else None
    again = definition(case, owner)
    if not isinstance(first, ast.Call) or not isinstance(again, ast.Call) or first is again:
        return None
    maker = Flow(case).methods(called(first)).get("__init__")
    if maker is None or ast.unparse(first.func) != ast.unparse(again.func):
        return None
    names = [one.arg for one in (*maker.args.args[1:], *maker.args.kwonlyargs)]
    differing = [
        (name, one, other)
        for name in names
        if (one := _argument(case, maker, first, names, name)) is not None
        and (other := _argument(case, maker, again, names, name)) is not None
        and _text(case, one.value) != _text(case, other.value)
    ]
    if len(differing) != 1:
        return None
    name, one, other = differing[0]
    place = _place(case, again, names, name)
    return _told(case, owner, mismatch, first, again, name, one, other, place) if place is not None else None


def _saved_model(case: Case, given: ast.expr) -> ast.expr | None:
    """The model whose state this is: by the text, or of the only one whose state the program writes into a file."""
    behind = [found for one in Flow(case).behind(given) if (found := _owner(one)) is not None]
    if behind:
        return behind[0]
    saves = [one for one in case.nodes(ast.Call) if called(one) == "save"]
    owners = [found for save in saves for part in ast.walk(save) if (found := _owner(part)) is not None]
    return owners[0] if len(owners) == 1 else None


def _owner(node: ast.AST) -> ast.expr | None:
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr="state_dict")):
            return owner
    return None


def _given(case: Case, call: ast.Call, names: list[str]) -> Iterator[tuple[str, ast.expr]]:
    """The arguments of a call by the names of the parameters, with those that come through ``**kw``."""
    yield from zip(names, (one for one in call.args if not isinstance(one, ast.Starred)), strict=False)
    for one in call.keywords:
        if one.arg is not None:
            yield one.arg, one.value
        elif isinstance(one.value, ast.Name) and (outer := _caller(case, call)) is not None:
            yield from ((word.arg, word.value) for word in outer.keywords if word.arg in names)


def _caller(case: Case, node: ast.AST) -> ast.Call | None:
    """The only call of the function that a node stands in."""
    function = case.enclosing(node, ast.FunctionDef)
    calls = [one for one in case.nodes(ast.Call) if function is not None and function in Flow(case).called(one)]
    return calls[0] if len(calls) == 1 else None


def _argument(case: Case, maker: ast.FunctionDef, call: ast.Call, names: list[str], name: str) -> _Argument | None:
    held = dict(_given(case, call, names)).get(name)
    if held is not None:
        return _Argument(definition(case, held), False)
    defaults = default_of(maker, name)
    return _Argument(defaults[0], True) if defaults else None


def _text(case: Case, node: ast.expr) -> str:
    return ast.unparse(definition(case, node))


def _place(case: Case, again: ast.Call, names: list[str], name: str) -> _Place | None:
    """Where the argument of the second model is written, or belongs."""
    held = dict(_given(case, again, names)).get(name)
    outer = _caller(case, again)
    if held is None:
        through = [one for one in again.keywords if one.arg is None]
        return _Place(outer if through and outer is not None else again, None, name)
    function = case.enclosing(again, ast.FunctionDef)
    if isinstance(held, ast.Name) and function is not None and outer is not None:
        parameters = [one.arg for one in (*function.args.args, *function.args.kwonlyargs)]
        if held.id in parameters:
            value = dict(_given(case, outer, [one for one in parameters if one != "self"])).get(held.id)
            return _Place(outer, value, held.id)
    return _Place(again, held, name) if isinstance(held, ast.Constant) else None


def _told(
    case: Case,
    owner: ast.expr,
    mismatch: tuple[str, str, str],
    first: ast.Call,
    again: ast.Call,
    name: str,
    one: _Argument,
    other: _Argument,
    place: _Place,
) -> Finding | None:
    parameter, saved, own = mismatch
    text, before = ast.unparse(one.value), ast.unparse(other.value)
    if not isinstance(one.value, ast.Constant):
        return None
    edits: list[Edit]
    if place.value is not None:
        edits, shown = case.replace(place.value, text), text_with(case, place.call, place.value, text)
        now, now_zh = (
            f"{code(case, place.call)} on line {line(place.call)} says {before}",
            f"第 {line(place.call)} 行的 {code(case, place.call)} 写的是 {before}",
        )
    else:
        edits = case.argument(place.call, f"{place.word}={text}")
        given = case.text(place.call)[:-1].rstrip(", ")
        shown = f"{given}{'' if given.endswith('(') else ', '}{place.word}={text})"
        where, where_zh = on_line(other.value)
        now = (
            f"{code(case, place.call)} on line {line(place.call)} leaves `{place.word}` at its default, {before}{where}"
        )
        now_zh = f"第 {line(place.call)} 行的 {code(case, place.call)} 没有给出 `{place.word}`，用的是默认值 {before}{where_zh}"
    return finding(
        case,
        f"`{parameter}` is {saved} in the state, and {own} in `{case.text(owner)}` (line {line(again)}): {code(case, first)} on line {line(first)} made the"
        f" saved model with `{name}={text}`, and {now}. Give the size of the saved model: `{shown}`.",
        f"`{parameter}` 在状态里是 {saved}，在 `{case.text(owner)}`（第 {line(again)} 行）里是 {own}：第 {line(first)} 行的 {code(case, first)} 创建被保存的模型时用的是"
        f" `{name}={text}`，而{now_zh}。请给出被保存的模型的大小：`{shown}`。",
        case.fix(edits, place.call),
        place.call,
    )
