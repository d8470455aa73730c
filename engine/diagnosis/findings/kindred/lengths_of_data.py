"""How many samples a data set without ``__len__`` has, as its ``__getitem__`` tells: as many as what it takes them out of."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from gradflow.engine.diagnosis.case import UNKNOWN, Case, start_of
from gradflow.engine.diagnosis.findings.words import apply
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.known import known_attribute
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Fix


@dataclass(frozen=True)
class Counted:
    """What the samples are taken out of, by which index, the method that tells their number, and the fix that adds it."""

    sources: list[str]
    index: str
    text: str
    fix: Fix | None


def counted(case: Case, owner: ast.ClassDef) -> Counted | None:
    """The length of a data set whose every use of the index is ``self.x[index]``; None where that does not tell it."""
    method = next((one for one in owner.body if isinstance(one, ast.FunctionDef) and one.name == "__getitem__"), None)
    if method is None or len(method.args.args) != 2 or method.decorator_list:
        return None
    this, index = (one.arg for one in method.args.args)
    taken = _taken_from(case, method, this, index)
    if not taken or (len(taken) > 1 and not _are_alike(case, owner, taken)):
        return None
    body = f"return len({case.text(taken[0])})"
    text = f"def __len__({this}): {body}"
    return Counted(list(dict.fromkeys(case.text(one) for one in taken)), index, text, _added(case, method, body))


def _taken_from(case: Case, method: ast.FunctionDef, this: str, index: str) -> list[ast.Attribute]:
    """The attributes that the index stands behind, each once; none where it is used for anything else."""
    found: dict[str, ast.Attribute] = {}
    for node in ast.walk(method):
        if not isinstance(node, ast.Name) or node.id != index:
            continue
        around: ast.AST | None = case.parents.get(node)
        if isinstance(around, ast.Tuple) and around.elts[0] is node:
            around = case.parents.get(around)
        match around:
            case ast.Subscript(value=ast.Attribute(value=ast.Name(id=own)) as source) if own == this:
                found.setdefault(source.attr, source)
            case _:
                return []
    return sorted(found.values(), key=start_of)


def _are_alike(case: Case, owner: ast.ClassDef, taken: list[ast.Attribute]) -> bool:
    """Whether all attributes have one length, as far as the run tells."""
    made = next((one for one in case.values.values() if type(one).__name__ == owner.name), UNKNOWN)
    lengths = {_length(case, made, one) for one in taken}
    return len(lengths) == 1 and None not in lengths


def _length(case: Case, made: object, node: ast.Attribute) -> int | None:
    flow = Flow(case)
    held = known_attribute(made, node.attr, UNKNOWN)
    if held is UNKNOWN:
        kept = flow.kept(node)
        held = (flow.tensor(kept[0]) or case.value(kept[0])) if len(kept) == 1 else UNKNOWN
    if isinstance(held, Tensor):
        return int(held.shape[0]) if held.dim() else None
    return len(held) if type(held) in (list, tuple, range) else None  # type: ignore[arg-type]


def _added(case: Case, method: ast.FunctionDef, body: str) -> Fix | None:
    """The method in front of ``__getitem__``."""
    span = case.program.span_of(method)
    if span is None or not case.is_plain(span.line):
        return None
    before = case.line(span.line)[: span.column]
    step = " " * max(method.body[0].col_offset - method.col_offset, 1)
    blank = "" if case.line(span.line - 1).strip() else "\n"
    head = f"def __len__({method.args.args[0].arg}):"
    edits = case.line_before(method, f"{head}\n{before}{step}{body}{blank}")
    return apply(case, edits, f"`{head} {body}`", f"`{head} {body}`")
