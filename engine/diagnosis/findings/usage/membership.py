"""Tensors that are looked for in a list: ``in``, ``remove``, ``index`` and ``count`` compare them element by element."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.words import code, finding, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.tensor import Tensor

_METHODS: Final = ("remove", "index", "count")
_LISTS: Final = (list, tuple)


@finds(errors.SHAPE_BROADCAST, errors.BOOL_AMBIGUOUS)
def _looked_for(case: Case) -> Finding | None:
    """``p not in head``, ``pool.remove(best)`` of lists of tensors."""
    match case.find(ast.Compare) or case.find(ast.Call):
        case ast.Compare(left=wanted, ops=[ast.In() | ast.NotIn()], comparators=[held]) as node:
            how = "in"
        case ast.Call(func=ast.Attribute(value=held, attr=method), args=[wanted], keywords=[]) as node if (
            method in _METHODS
        ):
            how = method
        case _:
            return None
    kept = _elements(case, held)
    if kept is None:
        return None
    same = _is_identity(case, wanted, kept)
    if not same and any(not isinstance(one, Tensor) for one in kept):
        return None
    text, changed = _rewritten(case, node, wanted, held, same)
    what = "whether it is the same object" if same else "whether it holds the same numbers"
    what_zh = "是不是同一个对象" if same else "是不是同样的数"
    verb = f"`{how}`"
    shapes = list(dict.fromkeys(str(list(one.shape)) for one in kept if isinstance(one, Tensor)))
    shown = f", whose shapes are {', '.join(shapes[:3])}{' ...' * (len(shapes) > 3)}" if len(shapes) > 1 else ""
    shown_zh = f"（形状有 {'、'.join(shapes[:3])}{' 等' * (len(shapes) > 3)}）" if len(shapes) > 1 else ""
    return finding(
        case,
        f"{verb} looks for {code(case, wanted)} by `==` with each element of {code(case, held)}{shown}, and `==` of tensors compares their numbers one by one: it needs shapes"
        f" that fit, and gives no single yes or no. Ask of each {what}: `{text}`.",
        f"{verb} 会用 `==` 把 {code(case, wanted)} 与 {code(case, held)} 的每个元素比较{shown_zh}，而张量的 `==` 是逐个比较其中的数：形状必须匹配，结果也不是单一的真假。"
        f"请逐个判断{what_zh}：`{text}`。",
        write(case, changed, text, case.statement(node) if how == "remove" else node) or (),
        node,
    )


def _elements(case: Case, held: ast.expr) -> list[object] | None:
    """What a list holds, where these are tensors or collections with tensors; of parameters that are asked for, no more than that."""
    value = case.value(held)
    if isinstance(held, ast.List | ast.Tuple):
        value = [Flow(case).tensor(one) for one in held.elts]
    if isinstance(value, _LISTS) or type(value).__name__ in ("deque", "dict_values", "ParameterList"):
        kept = list(value)  # type: ignore[call-overload]  # each can be gone through
        return kept if any(_holds_tensor(one) for one in kept) else None
    made = definition(case, held)
    asked = isinstance(made, ast.Call) and isinstance(made.func, ast.Attribute) and made.func.attr in _GIVING
    return [] if asked else None


_GIVING: Final = ("parameters", "buffers", "values")


def _holds_tensor(value: object) -> bool:
    return isinstance(value, Tensor) or (
        isinstance(value, tuple | list) and any(isinstance(one, Tensor) for one in value)
    )


def _is_identity(case: Case, wanted: ast.expr, kept: Iterable[object]) -> bool:
    """Whether the object itself is looked for: a parameter is, and what was taken from the list."""
    value = case.value(wanted)
    kept = list(kept)
    leaves = [one for one in kept if isinstance(one, Tensor) and one.requires_grad and one.is_leaf]
    return len(leaves) == len(kept) or any(one is value for one in kept)


def _rewritten(
    case: Case, node: ast.Compare | ast.Call, wanted: ast.expr, held: ast.expr, same: bool
) -> tuple[str, ast.AST]:
    """The same question, asked of each element; and what it takes the place of."""
    taken = {one.id for one in case.nodes(ast.Name)}
    one = next(name for name in ("each", "one", "other", "the_one") if name not in taken)
    place = next(name for name in ("at", "place", "position", "the_place") if name not in taken)
    own, these = case.text(wanted), case.text(held)
    own = own if isinstance(wanted, ast.Name | ast.Attribute | ast.Subscript | ast.Call) else f"({own})"
    torch, _ = case.with_torch()
    test = f"{own} is {one}" if same else f"{torch}.equal({own}, {one})"
    unlike = f"{own} is not {one}" if same else f"not {torch}.equal({own}, {one})"
    if isinstance(node, ast.Compare):
        word = "not any" if isinstance(node.ops[0], ast.NotIn) else "any"
        return f"{word}({test} for {one} in {these})", node
    method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    first = f"next({place} for {place}, {one} in enumerate({these}) if {test})"
    if method == "index":
        return first, node
    if method == "count":
        return f"sum({test} for {one} in {these})", node
    if isinstance(case.value(held), list):
        return f"{these}[:] = [{one} for {one} in {these} if {unlike}]", node
    return f"del {these}[{first}]", node
