"""The pair of values and indices in the place of a tensor."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.roots.commas import WHOLE
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.tensor import Tensor

_PAIRS: Final = ("values", "indices")
_WITH_DIM: Final = frozenset({"max", "min", "median", "nanmedian", "mode"})
_ALWAYS: Final = frozenset({"sort", "topk", "kthvalue", "cummax", "cummin"})
_TAKING_INDICES: Final = frozenset(
    {"gather", "one_hot", "embedding", "index_select", "take", "take_along_dim", "bincount"}
)
_NAMES_OF_INDICES: Final = ("idx", "ind", "arg", "pred", "label", "class", "action", "order", "perm", "rank", "pos")


@finds(*WHOLE)
def _pair_for_tensor(case: Case) -> Finding | None:
    """``reward + gamma * q.max(dim=1)``."""
    node = case.find(ast.expr)
    for one in ast.walk(node) if node is not None else ():
        if isinstance(one, ast.expr) and _is_whole(case, one, node) and _is_pair(case, one):
            return _taken(case, one)
    return None


def _is_whole(case: Case, node: ast.expr, failed: ast.AST | None) -> bool:
    """Whether a value is used itself, not what stands in it; at the error the attribute is one that it has not."""
    parent = case.parents.get(node)
    if isinstance(parent, ast.Subscript) and parent.value is node:
        return False
    if isinstance(parent, ast.Attribute):
        return parent is failed and parent.attr not in _PAIRS
    return isinstance(getattr(node, "ctx", ast.Load()), ast.Load)


def _is_pair(case: Case, node: ast.expr) -> bool:
    """Whether an expression gives values and indices."""
    match node:
        case ast.Name() | ast.Attribute():
            return tuple(getattr(type(case.value(node)), "_fields", ())) == _PAIRS
        case ast.Call():
            return _gives_pair(case, node)
    return False


def _gives_pair(case: Case, call: ast.Call) -> bool:
    """``x.max(1)``, ``torch.topk(x, 3)``."""
    name = called(call)
    if not isinstance(call.func, ast.Attribute) or name not in _WITH_DIM | _ALWAYS:
        return False
    of_torch = isinstance(call.func.value, ast.Name) and call.func.value.id == case.module_alias("torch")
    given = call.args[1:] if of_torch else call.args
    source = call.args[0] if of_torch and call.args else call.func.value
    if name in _ALWAYS:
        return Flow(case).tensor(source) is not None
    along = [*given[:1], *(one.value for one in call.keywords if one.arg in ("dim", "axis"))]
    return bool(along) and isinstance(case.value(along[0]), int) and Flow(case).tensor(source) is not None


def _taken(case: Case, node: ast.expr) -> Finding:
    made = definition(case, node)
    call = made if isinstance(made, ast.Call) and called(made) in _WITH_DIM | _ALWAYS else node
    if call is not node and _read_apart(case, node):
        call = node
    field = "indices" if _as_indices(case, node) else "values"
    word, word_zh = ("indices", "下标") if field == "indices" else ("values", "数值")
    text = f"{case.text(call)}.{field}"
    shown = " ".join(text.split())
    origin, origin_zh = code(case, made), code(case, made)
    where = "" if line(made) == case.span.line else f" on line {line(made)}"
    where_zh = "" if line(made) == case.span.line else f"第 {line(made)} 行的 "
    named = "" if made is node else f", and {code(case, node)} is the pair of both"
    named_zh = "" if made is node else f"，{code(case, node)} 就是这两样组成的一对"
    return finding(
        case,
        f"{origin}{where} gives two things, the values and their indices{named}; here one tensor is needed. Take the {word}: `{shown}`.",
        f"{where_zh}{origin_zh} 给出两样东西：数值和它们的下标{named_zh}；这里需要的是一个张量。请取{word_zh}：`{shown}`。",
        case.fix(case.followed(call, f".{field}"), case.statement(call)),
        call,
    )


def _read_apart(case: Case, node: ast.expr) -> bool:
    """Whether elements of the pair are read elsewhere: its name is to stay that of the pair."""
    name = case.text(node)
    return any(
        isinstance(parent := case.parents.get(one), ast.Attribute | ast.Subscript)
        and parent.value is one
        and (isinstance(parent, ast.Subscript) or parent.attr in _PAIRS)
        for one in case.nodes(ast.expr)
        if case.text(one) == name
    )


def _as_indices(case: Case, node: ast.expr) -> bool:
    """Whether positions are meant: in brackets, beside labels, by the word for it."""
    parent = case.parents.get(node)
    if isinstance(parent, ast.Subscript) and parent.slice is node:
        return True
    if isinstance(parent, ast.Tuple) and isinstance(outer := case.parents.get(parent), ast.Subscript):
        return outer.slice is parent
    if isinstance(parent, ast.Call) and node in parent.args and called(parent) in _TAKING_INDICES:
        return True
    if isinstance(parent, ast.Compare):
        others = [one for one in (parent.left, *parent.comparators) if one is not node]
        held = [tensor for one in others if (tensor := Flow(case).tensor(one)) is not None]
        return bool(held) and all(isinstance(one, Tensor) and not one.dtype.is_floating_point for one in held)
    own = getattr(node, "id", getattr(node, "attr", "")) if isinstance(node, ast.Name | ast.Attribute) else ""
    return str(own).lower().startswith(_NAMES_OF_INDICES)
