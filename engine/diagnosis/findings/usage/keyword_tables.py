"""Keywords that arrive through `**table`, a dictionary made on another line: which entry a call refuses, and how to change it for that call."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import UNKNOWN, Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, place
from gradflow.engine.diagnosis.findings.words import apply, code, finding, joined, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.fixes.calls import parameters_of
from gradflow.engine.diagnosis.fixes.names import closest
from gradflow.engine.errors.language import python
from gradflow.engine.namespace.optim.optimizer import Optimizer
from gradflow.engine.trace import Edit, Text

_EXCLUSIVE: Final = re.compile(r"^(batch_sampler|sampler) option is mutually exclusive with")
_OFF: Final[dict[str, dict[str, object]]] = {
    "sampler": {"shuffle": False},
    "batch_sampler": {"batch_size": 1, "shuffle": False, "sampler": None, "drop_last": False},
}
"""Of a loader with a sampler of either kind: what is not given beside that, with the values that say so."""


@dataclass(frozen=True)
class Entry:
    """A keyword of a call: its value; ``table``: the ``**table`` that brought it, with its ``key`` there, None where it stands in the call."""

    name: str
    value: ast.expr
    table: ast.keyword | None = None
    key: ast.expr | ast.keyword | None = None


def entries(case: Case, call: ast.Call) -> Iterator[Entry]:
    """The keywords of a call, with those of the dictionaries that it unpacks, where these are written out."""
    for given in call.keywords:
        if given.arg is not None:
            yield Entry(given.arg, given.value)
            continue
        table = definition(case, given.value)
        yield from _written(table if _is_table(table) else _table_of(case, given.value), given)


def _is_table(node: ast.expr) -> bool:
    return isinstance(node, ast.Dict) or (isinstance(node, ast.Call) and getattr(node.func, "id", "") == "dict")


def _written(node: ast.expr | None, given: ast.keyword | None = None) -> Iterator[Entry]:
    """The entries of a dictionary that is written out."""
    match node:
        case ast.Dict(keys=keys, values=values):
            for key, value in zip(keys, values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield Entry(key.value, value, given, key)
        case ast.Call(func=ast.Name(id="dict"), keywords=keywords):
            yield from (Entry(one.arg, one.value, given, one) for one in keywords if one.arg is not None)


def _table_of(case: Case, node: ast.expr) -> ast.expr | None:
    """The one dictionary of the program that is written with the keys of this one: ``cfg["optimizer"]`` of an argument ``cfg``."""
    held = case.value(node)
    if type(held) is not dict or not held:
        return None
    tables = [one for one in (*case.nodes(ast.Dict), *case.nodes(ast.Call)) if _is_table(one)]
    alike = [one for one in tables if [each.name for each in _written(one)] == list(held)]
    alike = [one for one in alike if all(_same(case, each.value, held[each.name]) for each in _written(one))]
    return alike[0] if len(alike) == 1 else None


def _same(case: Case, node: ast.expr, value: object) -> bool:
    """Whether an expression can have given a value, as far as it is written out."""
    return not isinstance(node, ast.Constant) or (type(node.value) is type(value) and node.value == value)


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


MEANT: Final = {
    ("momentum", "betas"): ("(momentum, 0.999)", "the momentum is the first of `betas`", "动量是 `betas` 的第一个数"),
    ("beta1", "betas"): ("(beta1, 0.999)", "it is the first of `betas`", "它是 `betas` 的第一个数"),
    ("beta", "betas"): ("(beta, 0.999)", "it is the first of `betas`", "它是 `betas` 的第一个数"),
    ("rho", "alpha"): ("rho", "it is called `alpha`", "它叫 `alpha`"),
}
"""Of an optimizer: a word and the argument that does the same in this one, with its text and why."""

SYNONYMS: Final = {
    "rate": ("p",),
    "prob": ("p",),
    "probability": ("p",),
    "dropout": ("p",),
    "learning_rate": ("lr",),
    "alpha": ("lr", "negative_slope"),
    "filters": ("out_channels",),
    "units": ("out_features",),
    "output_dim": ("embedding_dim", "out_features"),
    "input_dim": ("num_embeddings", "in_features", "input_size"),
    "hidden_dim": ("hidden_size",),
    "hidden_units": ("hidden_size",),
    "input_size": ("in_features",),
    "output_size": ("out_features",),
    "pool_size": ("kernel_size",),
    "heads": ("num_heads",),
    "nheads": ("nhead", "num_heads"),
    "epsilon": ("eps",),
    "l2": ("weight_decay",),
    "decay": ("weight_decay",),
    "clip": ("max_norm",),
    "value": ("max_norm",),
    "momentum_rate": ("momentum",),
    "batch": ("batch_size",),
    "axis": ("dim",),
    "keepdims": ("keepdim",),
    "hidden": ("hidden_size",),
    "layers": ("num_layers",),
    "n_layers": ("num_layers",),
}
"""Names of other libraries, or of everyday speech, for arguments of PyTorch."""


@dataclass(frozen=True)
class _Other:
    """What stands for a key that a call does not know: the argument, its value, and why, in both languages."""

    name: str
    value: str
    en: str = ""
    zh: str = ""


def _other(case: Case, call: ast.Call, entry: Entry, known: list[str]) -> _Other | None:
    """The argument that a key was meant for."""
    value, held = case.text(entry.value), case.value(call.func)
    given = {one.name for one in entries(case, call)}
    free = [one for one in known if one not in given]
    if isinstance(held, type) and issubclass(held, Optimizer):
        for (word, meant), (text, en, zh) in MEANT.items():
            if word == entry.name and meant in free:
                return _Other(meant, text.replace(word, value), f": {en}", f"：{zh}")
    name = next((one for one in SYNONYMS.get(entry.name, ()) if one in free), None) or closest(entry.name, free)
    return _Other(name, value) if name is not None else None


_RECURRENT: Final = ("input_size", "hidden_size", "num_layers", "bias", "batch_first", "dropout", "bidirectional")


def _serves_others(case: Case, call: ast.Call, table: ast.keyword) -> bool:
    """Whether a dictionary is given to other calls too, or to one class after another in a loop."""
    text, name = case.text(table.value), getattr(call.func, "id", "")
    shared = any(
        case.text(one.value) == text for one in case.nodes(ast.keyword) if one.arg is None and one is not table
    )
    loop = case.enclosing(call, ast.For)
    while loop is not None and not shared:
        shared = name in {part.id for part in ast.walk(loop.target) if isinstance(part, ast.Name)}
        loop = case.enclosing(loop, ast.For)
    return shared


def _entry_edits(case: Case, entry: Entry, other: _Other) -> list[Edit]:
    """Another key, and its value, in the place of an entry of a dictionary."""
    if isinstance(entry.key, ast.keyword):
        return case.replace(entry.key, f"{other.name}={other.value}")
    if entry.key is None:
        return []
    quote = "'" if case.text(entry.key).startswith("'") else '"'
    value = case.replace(entry.value, other.value) if other.value != case.text(entry.value) else []
    return [*case.replace(entry.key, f"{quote}{other.name}{quote}"), *value]


def _whose(case: Case, call: ast.Call) -> tuple[str, str]:
    """What is called; of a variable also which class it holds."""
    held = case.value(call.func)
    if isinstance(held, type) and held.__name__ != called(call):
        return (
            f"{code(case, call.func)} is `{held.__name__}` here, which",
            f"{code(case, call.func)} 在这里是 `{held.__name__}`，它",
        )
    return code(case, call.func), f"{code(case, call.func)} "


@finds(errors.UNEXPECTED_KEYWORD, errors.INVALID_KEYWORD, errors.UNRECOGNIZED_KEYWORDS)
def _unknown_key(case: Case) -> Finding | None:
    """``nn.Linear(4, 2, **settings)``, where ``settings`` has a key that the call does not know."""
    call = case.find(ast.Call)
    name = str(case.details.get("keyword", case.details.get("keywords", ""))).split(",")[0].strip()
    entry = brought(case, call).get(name) if call is not None else None
    if call is None or entry is None or entry.table is None:
        return None
    known = [one for one in parameters_of(case, call) if one not in ("self", "args", "kwargs")]
    known = known or list(_RECURRENT if called(call) in ("RNN", "LSTM", "GRU") else ())
    where, where_zh = from_table(case, entry)
    (whose, whose_zh), table = _whose(case, call), case.text(entry.table.value)
    other = _other(case, call, entry, known) if not _serves_others(case, call, entry.table) else None
    text = f'**{{key: value for key, value in {table}.items() if key != "{name}"}}'
    en, zh = f" Leave that key out for this call: `{text}`.", f"请在这次调用中去掉这个键：`{text}`。"
    if other is not None:
        row = (
            f'"{other.name}": {other.value}'
            if not isinstance(entry.key, ast.keyword)
            else f"{other.name}={other.value}"
        )
        en, zh = f" Write `{row}` there{other.en}.", f"请在那里写 `{row}`{other.zh}。"
    return finding(
        case,
        f"{whose} has no argument `{name}`, and it is given one: `{name}={case.text(entry.value)}`{where}."
        + (f" It takes {joined([f'`{one}`' for one in known[:6]], 'en')}." if known else "")
        + en,
        f"{whose_zh}没有参数 `{name}`，却收到了 `{name}={case.text(entry.value)}`{where_zh}。"
        + (f"它接受 {joined([f'`{one}`' for one in known[:6]], 'zh')}。" if known else "")
        + zh,
        case.fix(_entry_edits(case, entry, other), None, Text(f"`{row}`", f"`{row}`")) if other is not None else (),
        entry.value,
    )
