"""``vmap`` that goes through the parameters too, which are the same for every sample."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.words import code, finding, joined, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Edit


@dataclass(frozen=True)
class _Given:
    """An argument of a mapped function: of which sizes its tensors are in the dimension gone through, and whether it holds several."""

    node: ast.expr
    sizes: Sequence[int]
    several: bool
    learned: bool


@finds(errors.DERIVATIVE_VALUE)
def _parameters_mapped(case: Case) -> Finding | None:
    """``vmap(grad(loss), in_dims=(0, 0, 0))(params, xs, ys)``."""
    call = case.find(ast.Call)
    if call is None or "mapped dimension" not in str(case.details.get("message", "")):
        return None
    made = definition(case, call.func)
    if not isinstance(made, ast.Call) or called(made) != "vmap" or call.keywords or len(call.args) < 2:
        return None
    dims = argument_of(made, 1, "in_dims")
    entries = list(dims.elts) if isinstance(dims, ast.Tuple) else []
    if dims is not None and len(entries) != len(call.args):
        return None
    given = [_given(case, one, entries[at] if entries else None) for at, one in enumerate(call.args)]
    known = [one for one in given if one is not None]
    shared = _shared(known) if len(known) == len(given) else []
    return _told(case, call, made, dims, entries, known, shared) if shared else None


def _given(case: Case, node: ast.expr, dim: ast.expr | None) -> _Given | None:
    at = 0 if dim is None else dim.value if isinstance(dim, ast.Constant) else -1
    value = case.value(node)
    value = Flow(case).tensor(node) if not isinstance(value, dict | list | tuple | Tensor) else value
    if at is None:
        return _Given(node, (), True, False)
    tensors = list(_tensors(value))
    if not tensors or type(at) is not int or any(one.dim() <= at for one in tensors):
        return None
    learned = any(one.requires_grad for one in tensors)
    return _Given(node, [int(one.shape[at]) for one in tensors], not isinstance(value, Tensor), learned)


def _tensors(value: object) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif type(value) in (dict, list, tuple):
        for one in value.values() if isinstance(value, dict) else value:  # type: ignore[attr-defined]  # one of the three
            yield from _tensors(one)


def _shared(given: Sequence[_Given]) -> list[_Given]:
    """What cannot hold one row for each sample: tensors of several sizes, or of another one than all the rest has."""
    rows = Counter(one.sizes[0] for one in given if not one.several and not one.learned and one.sizes)
    if len(rows) != 1:
        return []
    batch = next(iter(rows))
    return [one for one in given if (one.several or one.learned) and any(size != batch for size in one.sizes)]


def _told(
    case: Case,
    call: ast.Call,
    made: ast.Call,
    dims: ast.expr | None,
    entries: Sequence[ast.expr],
    given: Sequence[_Given],
    shared: Sequence[_Given],
) -> Finding:
    parts = [case.text(entries[at]) if entries else "0" for at in range(len(given))]
    text = f"({', '.join('None' if one in shared else part for one, part in zip(given, parts, strict=True))})"
    names = (
        joined([code(case, one.node) for one in shared], "en"),
        joined([code(case, one.node) for one in shared], "zh"),
    )
    sizes = list(dict.fromkeys(str(size) for each in shared for size in each.sizes))
    told = f"the size is {sizes[0]}" if len(sizes) == 1 else f"the sizes are {joined(sizes, 'en')}"
    rest = [one for one in given if one not in shared and one.sizes]
    rows = joined([code(case, one.node) for one in rest], "en"), joined([code(case, one.node) for one in rest], "zh")
    said = f"`in_dims={case.text(dims)}`" if dims is not None else "`vmap` without `in_dims`"
    said_zh = f"的 `in_dims={case.text(dims)}`" if dims is not None else "没有写 `in_dims` 的 `vmap`"
    edits: list[Edit] = case.replace(dims, text) if dims is not None else case.argument(made, f"in_dims={text}")
    has = "have" if len(rest) > 1 else "has"
    return finding(
        case,
        f"{said} on line {line(made)} goes through {names[0]} as well, as if that held one row for each sample, and {told} there; only {rows[0]} {has}"
        f" {rest[0].sizes[0]} rows, one for each sample. {names[0]} {'are' if len(shared) > 1 else 'is'} the same for every sample: `in_dims={text}`.",
        f"第 {line(made)} 行{said_zh} 把 {names[1]} 也按样本逐行拆开，而那里的大小是 {joined(sizes, 'zh')}；只有 {rows[1]} 有 {rest[0].sizes[0]} 行，每行是一个样本。"
        f"{names[1]} 对每个样本都一样：`in_dims={text}`。",
        case.fix(edits, made),
        made,
    )
