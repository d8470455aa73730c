"""The pair of values and indices in the place of a tensor."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.roots.commas import WHOLE
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, returned
from gradflow.engine.diagnosis.value_pairs import ALWAYS, WITH_DIM, gives_pair, source_of
from gradflow.engine.tensor import Tensor

_MOST: Final = 8
"""Names and calls on the way to the pair."""
_PAIRS: Final = ("values", "indices")
_TAKING_INDICES: Final = frozenset(
    {"gather", "one_hot", "embedding", "index_select", "take", "take_along_dim", "bincount"}
)
_NAMES_OF_INDICES: Final = ("idx", "ind", "arg", "pred", "label", "class", "action", "order", "perm", "rank", "pos")


@finds(*WHOLE, errors.NO_SIZE)
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
            if gives_pair(case, node):
                source = source_of(case, node)
                return source is not None and Flow(case).tensor(source) is not None
            return "return_types." in _message(case) and _pair_within(case, node) is not None
    return False


def _pair_within(case: Case, node: ast.expr) -> ast.Call | None:
    """The call in a function of the program that gives the pair which the function returns."""
    waiting, flow = [node], Flow(case)
    for count, current in enumerate(waiting):
        if count > _MOST:
            return None
        if current is not node and isinstance(current, ast.Call) and gives_pair(case, current):
            return current
        if isinstance(current, ast.Call):
            waiting += [each for function in flow.called(current) for each in returned(function)]
        elif isinstance(current, ast.Name):
            waiting += list(flow.assigned(current, current.id))[:1]
    return None


def _message(case: Case) -> str:
    return " ".join(str(one) for one in case.details.values() if isinstance(one, str))


def _of_function(case: Case, node: ast.expr, call: ast.expr, pair: ast.Call) -> Finding:
    """The words for a pair that a function of the program returns; they are parted in it, unless other calls use both."""
    field = "indices" if _as_indices(case, node) else "values"
    word, word_zh = ("indices", "下标") if field == "indices" else ("values", "数值")
    part = node if _used_apart(case, call) else pair
    text = f"{case.operand(part)}.{field}"
    alone = f"a{called(pair)}" if called(pair) in ("max", "min") and field == "values" and part is pair else ""
    also, also_zh = (f"; `{alone}` gives them alone", f"；`{alone}` 只给出数值") if alone else ("", "")
    return finding(
        case,
        f"{code(case, pair)} on line {line(pair)} gives two things, the values and their indices; the function returns both, so {code(case, node)} is a"
        f" pair, and here one tensor is needed. Take the {word}: `{' '.join(text.split())}`{also}.",
        f"第 {line(pair)} 行的 {code(case, pair)} 给出两样东西：数值和它们的下标；函数把两样都返回，所以 {code(case, node)} 是一对，而这里需要的是一个张量。请取{word_zh}："
        f"`{' '.join(text.split())}`{also_zh}。",
        case.fix(case.followed(part, f".{field}"), case.statement(part)),
        pair,
    )


def _used_apart(case: Case, call: ast.expr) -> bool:
    """Whether another call of the function takes the pair apart, so that the function is to go on giving both."""
    flow = Flow(case)
    own = set(flow.called(call)) if isinstance(call, ast.Call) else set()
    for other in case.nodes(ast.Call):
        if not own & set(flow.called(other)):
            continue
        parent = case.parents.get(other)
        if isinstance(parent, ast.Subscript | ast.Attribute):
            return True
        if isinstance(parent, ast.Assign):
            target = parent.targets[0]
            if not isinstance(target, ast.Name) or _read_apart(case, target) or _unpacked(case, target.id):
                return True
    return False


def _unpacked(case: Case, name: str) -> bool:
    """Whether ``values, indices = pair`` stands somewhere."""
    return any(
        isinstance(one.value, ast.Name) and one.value.id == name and isinstance(one.targets[0], ast.Tuple | ast.List)
        for one in case.nodes(ast.Assign)
    )


def _taken(case: Case, node: ast.expr) -> Finding:
    made = definition(case, node)
    if isinstance(made, ast.Call) and not gives_pair(case, made) and (pair := _pair_within(case, made)) is not None:
        return _of_function(case, node, made, pair)
    call = made if isinstance(made, ast.Call) and called(made) in WITH_DIM | ALWAYS else node
    if call is not node and _read_apart(case, node):
        call = node
    field = "indices" if _as_indices(case, node) else "values"
    word, word_zh = ("indices", "下标") if field == "indices" else ("values", "数值")
    text = f"{case.operand(call)}.{field}"
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
