"""Keywords that arrive through `**table`, a dictionary made on another line: which entry a call refuses, and how to change it for that call."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import UNKNOWN, Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, place
from gradflow.engine.diagnosis.findings.words import apply, code, finding, joined, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.fixes.calls import parameters_of
from gradflow.engine.errors.language import python
from gradflow.engine.trace import Edit

_EXCLUSIVE: Final = re.compile(r"^(batch_sampler|sampler) option is mutually exclusive with")
_OFF: Final[dict[str, dict[str, object]]] = {
    "sampler": {"shuffle": False},
    "batch_sampler": {"batch_size": 1, "shuffle": False, "sampler": None, "drop_last": False},
}
"""Of a loader with a sampler of either kind: what is not given beside that, with the values that say so."""


@dataclass(frozen=True)
class Entry:
    """A keyword of a call: its value; ``table``: the ``**table`` that brought it, None where it stands in the call."""

    name: str
    value: ast.expr
    table: ast.keyword | None = None


def entries(case: Case, call: ast.Call) -> Iterator[Entry]:
    """The keywords of a call, with those of the dictionaries that it unpacks, where these are written out."""
    for given in call.keywords:
        if given.arg is not None:
            yield Entry(given.arg, given.value)
            continue
        match definition(case, given.value):
            case ast.Dict(keys=keys, values=values):
                for key, value in zip(keys, values, strict=True):
                    if isinstance(key, ast.Constant) and isinstance(key.value, str):
                        yield Entry(key.value, value, given)
            case ast.Call(func=ast.Name(id="dict"), keywords=keywords):
                yield from (Entry(one.arg, one.value, given) for one in keywords if one.arg is not None)


def brought(case: Case, call: ast.Call) -> dict[str, Entry]:
    """Of the keywords those that a dictionary brings which is made on another line."""
    found = {one.name: one for one in entries(case, call) if one.table is not None}
    return {name: one for name, one in found.items() if line(one.value) and line(one.value) != line(call)}


def from_table(case: Case, entry: Entry) -> tuple[str, str]:
    """`` (line 3, through `**common`)``, in both languages."""
    shown = f"`**{case.text(entry.table.value)}`" if entry.table is not None else ""
    return f" (line {line(entry.value)}, through {shown})", f"（第 {line(entry.value)} 行，通过 {shown} 传入）"


def given_at(case: Case, call: ast.Call, value: ast.expr) -> tuple[str, str]:
    """Where the value of an argument was decided: in a dictionary that the call unpacks, or where its name got it."""
    entry = next((one for one in brought(case, call).values() if one.value is value), None)
    return from_table(case, entry) if entry is not None else place(case, value)


@finds(errors.MODULE_ARGUMENT, python.VALUE)
def _beside_sampler(case: Case) -> Finding | None:
    """``DataLoader(data, sampler=s, **common)``, where ``common`` turns ``shuffle`` on."""
    call = case.find(ast.Call)
    told = _EXCLUSIVE.match(str(case.details.get("message", "")))
    if call is None or told is None:
        return None
    off = _OFF[told[1]]
    held = {one.name: one for one in entries(case, call)}
    wrong = [held[name] for name, neutral in off.items() if name in held and case.value(held[name].value) != neutral]
    sampler = held.get(told[1])
    if (
        sampler is None
        or all(one.table is None for one in wrong)
        or any(case.value(one.value) is UNKNOWN for one in wrong if one.name != "sampler")
    ):
        return None
    listed = [f"`{one.name}={case.text(one.value)}`" for one in wrong]
    places = [from_table(case, one) if one.table is not None else ("", "") for one in wrong]
    en = joined([f"{text}{where[0]}" for text, where in zip(listed, places, strict=True)], "en")
    zh = joined([f"{text}{where[1]}" for text, where in zip(listed, places, strict=True)], "zh")
    edits, text = turned_off(case, call, wrong, off)
    which = "which samples make up each batch" if told[1] == "batch_sampler" else "in which order the samples come"
    which_zh = "每个批次由哪些样本组成" if told[1] == "batch_sampler" else "样本的次序"
    one, one_zh = ("it", "它") if len(wrong) == 1 else ("them", "它们")
    return finding(
        case,
        f"`{told[1]}={case.text(sampler.value)}` decides {which}, and {en} {'wants' if len(wrong) == 1 else 'want'} to decide that too."
        f" Turn {one} off for this loader: `{text}`.",
        f"`{told[1]}={case.text(sampler.value)}` 决定{which_zh}，而 {zh} 也要决定这一点。"
        f"请只对这个加载器关掉{one_zh}：`{text}`。",
        apply(case, edits, f"Leave {joined(listed, 'en')} out", f"去掉 {joined(listed, 'zh')}"),
        wrong[0].value,
    )


def turned_off(case: Case, call: ast.Call, wrong: list[Entry], off: dict[str, object]) -> tuple[list[Edit], str]:
    """The changes of a call after which it is given none of some keywords, and how it then unpacks its dictionary, if it does."""
    edits: list[Edit] = []
    text = ""
    for one in wrong:
        given = next((each for each in call.keywords if each.arg == one.name), None)
        if one.table is None and given is not None:
            edits += case.without_argument(call, given)
    for table in dict.fromkeys(one.table for one in wrong if one.table is not None):
        rest = ", ".join(f'"{one.name}": {off[one.name]!r}' for one in wrong if one.table is table)
        text = f"**{{**{case.text(table.value)}, {rest}}}"
        edits += case.replace(table.value, text.removeprefix("**"))
    return edits, text


@finds(errors.UNEXPECTED_KEYWORD, errors.INVALID_KEYWORD, errors.UNRECOGNIZED_KEYWORDS)
def _unknown_key(case: Case) -> Finding | None:
    """``nn.Linear(4, 2, **settings)``, where ``settings`` has a key that the call does not know."""
    call = case.find(ast.Call)
    name = str(case.details.get("keyword", case.details.get("keywords", ""))).split(",")[0].strip()
    entry = brought(case, call).get(name) if call is not None else None
    if call is None or entry is None or entry.table is None:
        return None
    known = [one for one in parameters_of(case, call) if one != "self"]
    where, where_zh = from_table(case, entry)
    table = case.text(entry.table.value)
    text = f'**{{key: value for key, value in {table}.items() if key != "{name}"}}'
    return finding(
        case,
        f"{code(case, call.func)} has no argument `{name}`, and it is given one: `{name}={case.text(entry.value)}`{where}."
        + (f" It takes {joined([f'`{one}`' for one in known[:6]], 'en')}." if known else "")
        + f" Leave that key out for this call: `{text}`.",
        f"{code(case, call.func)} 没有参数 `{name}`，却收到了 `{name}={case.text(entry.value)}`{where_zh}。"
        + (f"它接受 {joined([f'`{one}`' for one in known[:6]], 'zh')}。" if known else "")
        + f"请在这次调用中去掉这个键：`{text}`。",
        (),
        entry.value,
    )
