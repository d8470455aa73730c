"""Samples of several parts, of which one differs in size: it is named, and is filled up or kept in a list, as the program reads it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import UNKNOWN, Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, on_line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, returned
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Fix

_THINGS: Final = re.compile(r"box|point|landmark|object", re.I)
_TARGETS: Final = re.compile(r"label|target|tag|class|^y", re.I)
_CLASSES: Final = re.compile(r"cross_entropy|CrossEntropyLoss")
_LIKE_NUMBERS: Final = (bool, int, float)


@dataclass(frozen=True)
class _Part:
    """One part of the samples: its key, how it is written, and what the samples of the batch have there."""

    key: object
    written: ast.expr
    held: list[Any]

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        """The shapes of its tensors."""
        return [tuple(map(int, one.shape)) for one in self.held if isinstance(one, Tensor)]

    @property
    def is_ragged(self) -> bool:
        """Whether it is a tensor of another shape in each sample."""
        return len(self.shapes) == len(self.held) and len(set(self.shapes)) > 1


@finds(errors.STACK_SIZE)
def _one_part(case: Case) -> Finding | None:
    """Boxes of each picture, or one entry of a dictionary."""
    made = _loader(case)
    results = _samples(case, made) if made is not None else []
    if made is None or len(results) != 1 or any(one.arg in ("collate_fn", None) for one in made.keywords):
        return None
    parts = list(_parts(case, results[0]))
    ragged = [one for one in parts if one.is_ragged]
    if (
        len(ragged) != 1
        or len({shape[1:] for shape in ragged[0].shapes}) != 1
        or len(ragged[0].shapes[0]) not in (1, 2)
    ):
        return None
    odd = ragged[0]
    listed = _is_listed(case, odd, parts)
    if not listed and isinstance(results[0], ast.Tuple) and odd is parts[0] and len(parts) == 2:
        return None  # the usual sequence with its class
    sizes = list(dict.fromkeys(odd.shapes))[:2]
    where, where_zh = on_line(odd.written)
    name, fix = code(case, odd.written), _collating(case, made, results[0], parts, listed)
    way = "Rows of zeros would count as data, so keep it in a list of tensors, and stack the other parts, in a `collate_fn`"
    way_zh = "补零的行会被当作数据，所以请在 `collate_fn` 里把它留作张量的列表，其他部分照常叠起来"
    if not listed:
        way = "Fill it up in a `collate_fn`, with `torch.nn.utils.rnn.pad_sequence`, and stack the other parts"
        way_zh = "请在 `collate_fn` 里用 `torch.nn.utils.rnn.pad_sequence` 把它补齐，其他部分照常叠起来"
    return finding(
        case,
        f"{code(case, made)} on line {line(made)} stacks the samples of a batch, each part of them into one tensor, and {name}{where} has not the same shape in each"
        f" sample: {list(sizes[0])} and {list(sizes[1])}. {way}.",
        f"第 {line(made)} 行的 {code(case, made)} 要把一批样本的每个部分各叠成一个张量，而 {name}{where_zh}在各个样本里形状不同：{list(sizes[0])} 和 {list(sizes[1])}。{way_zh}。",
        [fix],
        made,
    )


def _loader(case: Case) -> ast.Call | None:
    calls = [one for one in case.nodes(ast.Call) if called(one) == "DataLoader"]
    return calls[0] if len(calls) == 1 and calls[0].args else None


def _samples(case: Case, made: ast.Call) -> list[ast.expr]:
    """What ``__getitem__`` of the data set of a loader gives back."""
    source = definition(case, made.args[0])
    name = getattr(getattr(source, "func", None), "id", "")
    getter = Flow(case).methods(name).get("__getitem__")
    return returned(getter) if getter is not None else []


def _parts(case: Case, sample: ast.expr) -> Iterator[_Part]:
    """The parts of the samples of the batch that failed, as they are written."""
    batch = case.details.get("batch")
    rows = list(batch.values()) if isinstance(batch, Mapping) else []
    match sample:
        case ast.Tuple(elts=written) if all(isinstance(one, tuple) and len(one) == len(written) for one in rows):
            for index, one in enumerate(written):
                yield _Part(index, one, [row[index] for row in rows])
        case ast.Dict(keys=keys, values=written) if all(isinstance(one, dict) for one in rows):
            for key, one in zip(keys, written, strict=True):
                known = case.value(key) if key is not None else UNKNOWN
                yield _Part(known, one, [row[known] for row in rows])


def _is_listed(case: Case, odd: _Part, parts: list[_Part]) -> bool:
    """Whether the program goes over a part sample by sample, or it is a number of things in each, and no sequence that is read."""
    if _read_one_by_one(case, odd.key):
        return True
    things = len(odd.shapes[0]) == 2 and odd.held[0].dtype.is_floating_point
    if isinstance(odd.key, str):
        return things and bool(_THINGS.search(odd.key))
    return things and odd is not parts[0]


def _read_one_by_one(case: Case, key: object) -> bool:
    """``for one in boxes`` within the loop over the loader."""
    loop = case.find(ast.For)
    target = loop.target if loop is not None else None
    if isinstance(target, ast.Tuple) and len(target.elts) == 2 and _is_counted(loop):
        target = target.elts[1]
    if loop is None or target is None:
        return False
    if isinstance(target, ast.Tuple):
        text = case.text(target.elts[key]) if isinstance(key, int) and key < len(target.elts) else ""
        wanted = {text} - {""}
    else:
        wanted = {f"{case.text(target)}[{quote}{key}{quote}]" for quote in "'\""} | {f"{case.text(target)}[{key}]"}
    sources = [one.iter for one in ast.walk(loop) if isinstance(one, ast.For | ast.comprehension) and one is not loop]
    given = [
        part
        for one in sources
        for part in (
            one.args if isinstance(one, ast.Call) and getattr(one.func, "id", "") in ("zip", "enumerate") else [one]
        )
    ]
    return any(case.text(one) in wanted for one in given)


def _is_counted(loop: ast.For | None) -> bool:
    """Whether a loop counts its turns."""
    return loop is not None and isinstance(loop.iter, ast.Call) and getattr(loop.iter.func, "id", "") == "enumerate"


def _collating(case: Case, made: ast.Call, sample: ast.expr, parts: list[_Part], listed: bool) -> Fix | None:
    """The ``collate_fn`` that lays the samples into a batch."""
    torch, imports = case.with_torch()
    texts = [_laid(case, one, torch, listed) for one in parts]
    if any(not one for one in texts):
        return None
    whole = f"({', '.join(texts)})"
    if isinstance(sample, ast.Dict):
        whole = "{" + ", ".join(f"{one.key!r}: {text}" for one, text in zip(parts, texts, strict=True)) + "}"
    en, zh = ("Keep it in a list", "留作列表") if listed else ("Fill up in a `collate_fn`", "在 `collate_fn` 里补齐")
    return apply(case, [*case.argument(made, f"collate_fn=lambda rows: {whole}"), *imports], en, zh)


def _laid(case: Case, part: _Part, torch: str, listed: bool) -> str:
    """One part of a batch as it is written; nothing where that is not known."""
    rows = f"[row[{part.key!r}] for row in rows]"
    if part.is_ragged and listed:
        return rows
    if part.is_ragged:
        target = _TARGETS.search(part.key) if isinstance(part.key, str) else part.key != 0
        whole = not part.held[0].dtype.is_floating_point
        ignored = ", padding_value=-100" if target and whole and _CLASSES.search(case.program.source) else ""
        return f"{torch}.nn.utils.rnn.pad_sequence({rows}, batch_first=True{ignored})"
    if len(part.shapes) == len(part.held):
        return f"{torch}.stack({rows})"
    if all(isinstance(one, _LIKE_NUMBERS) for one in part.held):
        return f"{torch}.tensor({rows})"
    return rows if all(isinstance(one, str) for one in part.held) else ""
