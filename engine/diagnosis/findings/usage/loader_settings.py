"""Settings of a loader that exclude each other, or that this kind of data set does not take."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.models.constructed import given_to
from gradflow.engine.diagnosis.findings.usage.keyword_tables import Entry, entries, turned_off
from gradflow.engine.diagnosis.findings.words import apply, code, finding, joined
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.trace import Edit, Span

_SAMPLER: Final = (
    "`{by}` decides already which samples come, and in which order, so {names} must not be given beside it. Leave {names} out.",
    "`{by}` 已经决定了取哪些样本以及它们的次序，所以不能再给 {names}。请去掉 {names}。",
)
_STREAM: Final = (
    "{data} is an `IterableDataset`: its samples come in the order of its `__iter__`, and have no indices by which a loader could choose them, so it takes no {names}."
    " Leave {names} out, and choose the order in `__iter__` where one is needed.",
    "{data} 是 `IterableDataset`：样本按它的 `__iter__` 的次序逐个给出，没有可供加载器选取的下标，所以不接受 {names}。请去掉 {names}，需要某种次序时在 `__iter__` 里安排。",
)
_RULES: Final = (
    ("expected unspecified shuffle option", ("shuffle",), _STREAM),
    ("expected unspecified sampler option", ("sampler",), _STREAM),
    ("expected unspecified batch_sampler option", ("batch_sampler",), _STREAM),
    ("batch_sampler option is mutually exclusive", ("batch_size", "shuffle", "sampler", "drop_last"), _SAMPLER),
    ("sampler option is mutually exclusive with shuffle", ("shuffle",), _SAMPLER),
    (
        "batch_size=None option disables auto-batching",
        ("drop_last",),
        (
            "`batch_size=None` has the loader give the samples one by one, so there is no last batch that {names} could leave out. Leave {names} out.",
            "`batch_size=None` 表示加载器逐个给出样本，没有可以由 {names} 舍去的最后一个批次。请去掉 {names}。",
        ),
    ),
    (
        "option needs num_workers > 0",
        ("persistent_workers",),
        (
            "{names} keeps worker processes alive, and with `num_workers=0`, as here, there are none. Leave {names} out.",
            "{names} 是让工作进程保持运行，而这里 `num_workers=0`，没有工作进程。请去掉 {names}。",
        ),
    ),
    (
        "prefetch_factor option could only be specified in multiprocessing",
        ("prefetch_factor",),
        (
            "{names} says how many batches each worker process loads ahead, and with `num_workers=0`, as here, there are none. Leave {names} out.",
            "{names} 是每个工作进程预先加载的批次数，而这里 `num_workers=0`，没有工作进程。请去掉 {names}。",
        ),
    ),
)
"""Part of a message, the arguments that can be too much, and what is said of them."""
_USUAL: Final[Mapping[str, object]] = {"batch_size": 1, "shuffle": False, "drop_last": False}


_OFF: Final[dict[str, object]] = {
    "shuffle": False, "sampler": None, "batch_sampler": None, "drop_last": False, "persistent_workers": False,
    "prefetch_factor": None, "batch_size": 1,
}  # fmt: skip


@finds(errors.MODULE_ARGUMENT)
def _excluded(case: Case) -> Finding | None:
    """``DataLoader(..., shuffle=True, sampler=...)``, or of a stream."""
    call, message = case.find(ast.Call), str(case.details.get("message", ""))
    rule = next((one for one in _RULES if one[0] in message), None)
    if call is None or rule is None:
        return None
    given = given_to(case, call)
    wrong = [name for name in rule[1] if name in given and not _is_usual(case, name, given[name])]
    if not wrong:
        return None
    shared = [
        one for one in entries(case, call) if one.name in wrong and one.table is not None and _is_shared(case, one)
    ]
    edits = [edit for name in wrong for edit in _without(case, call, given[name])]
    names = [f"`{name}`" for name in wrong]
    data = code(case, given["dataset"]) if "dataset" in given else "`dataset`"
    by = "batch_sampler" if "batch_sampler option is" in message else "sampler"
    en, zh = (
        text.format(by=by, data=data, names=joined(names, language))
        for text, language in zip(rule[2], ("en", "zh"), strict=True)
    )
    shown = f"leave {joined(names, 'en')} out", f"去掉 {joined(names, 'zh')}"
    plain = all(case.parents.get(given[name]) in call.keywords for name in wrong)
    fix = case.fix(edits, call) if plain else apply(case, edits, *shown)
    if shared and len(shared) == len(wrong):
        changes, text = turned_off(case, call, shared, _OFF)
        fix = apply(case, changes, f"`{text}`", f"`{text}`")
        en = f"{en.partition('. Leave ')[0]}. Turn that off for this loader: `{text}`."
        zh = f"{zh.partition('。请去掉')[0]}。请只对这个加载器关掉它：`{text}`。"
    return finding(case, en, zh, [fix], given[wrong[0]])


def _is_shared(case: Case, entry: Entry) -> bool:
    """Whether the dictionary that brings an argument is used by other calls, too."""
    table = entry.table.value if entry.table is not None else None
    uses = [
        one
        for one in case.nodes(ast.keyword)
        if one.arg is None and table is not None and case.text(one.value) == case.text(table)
    ]
    return len(uses) > 1


def _is_usual(case: Case, name: str, node: ast.expr) -> bool:
    """Whether an argument has the value that it has without being given."""
    value = case.value(node)
    return value is None or (name in _USUAL and type(value) in (int, bool) and value == _USUAL[name])


def _without(case: Case, call: ast.Call, node: ast.expr) -> list[Edit]:
    """Take an argument out: of the call, or of the dictionary that brings it."""
    outer = case.parents.get(node)
    if node in call.args:
        return case.without_argument(call, node) if node is call.args[-1] else case.replace(node, "None")
    if isinstance(outer, ast.keyword):
        owner = case.parents.get(outer)
        known = owner is call or (isinstance(owner, ast.Call) and called(owner) == "dict")
        return case.without_argument(owner, outer) if isinstance(owner, ast.Call) and known else []
    return _without_entry(case, outer, node) if isinstance(outer, ast.Dict) else []


def _without_entry(case: Case, table: ast.Dict, node: ast.expr) -> list[Edit]:
    """Take a key and its value out of a dictionary that is written down."""
    at = next((k for k, one in enumerate(table.values) if one is node), 0)
    end = case.program.span_of(node)
    key = table.keys[at]
    if end is None or key is None:
        return []
    if at and (before := case.program.span_of(table.values[at - 1])) is not None:
        return [case.cut(Span(before.end_line, before.end_column, end.end_line, end.end_column))]
    start, following = case.program.span_of(key), table.keys[at + 1] if at + 1 < len(table.keys) else None
    after = case.program.span_of(following) if following is not None else None
    if start is None:
        return []
    to = (after.line, after.column) if after is not None else (end.end_line, end.end_column)
    return [case.cut(Span(start.line, start.column, *to))]
