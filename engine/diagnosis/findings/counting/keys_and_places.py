"""A key or a place in the stead of what stands there: ``min(table, key=...)`` gives a key, ``range(len(rows))`` gives numbers."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import apply, code, finding, on_other_line, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import mistakes
from gradflow.engine.trace import Fix


@finds(mistakes.NOT_SUBSCRIPTABLE, mistakes.NOT_ITERABLE, mistakes.NOT_ENOUGH_VALUES, mistakes.TOO_MANY_VALUES)
def _key_of_best(case: Case) -> Finding | None:
    """``winner = min(scores, key=scores.get)``, and ``winner[1]`` or ``name, score = min(...)``."""
    made = _best(case)
    table = made.args[0] if made is not None and made.args else None
    if made is None or table is None or not isinstance(case.value(table), dict):
        return None
    by_value = next(
        (one for one in made.keywords if one.arg == "key" and case.text(one.value) == f"{case.text(table)}.get"), None
    )
    if by_value is None:
        return None
    text = f"{called(made)}({case.text(table)}.items(), key=lambda pair: pair[1])"
    place, place_zh = on_other_line(made, case.find(ast.AST) or made)
    return finding(
        case,
        f"`{case.text(table)}` is a dictionary, and {code(case, made)}{place} goes through its keys: what it gives is one key, not a key with its value. For both write"
        f" `{text}`.",
        f"`{case.text(table)}` 是字典，{code(case, made)}{place_zh} 遍历的是它的键：得到的是一个键，而不是键和值。两者都要时请写 `{text}`。",
        [write(case, made, text), _key_alone(case)],
        made,
    )


def _best(case: Case) -> ast.Call | None:
    """The call of ``min`` or ``max`` whose result is taken apart."""
    node = case.find(ast.Subscript)
    statement = case.find(ast.Assign) or (case.statement(one) if (one := case.find(ast.expr)) is not None else None)
    unpacked = isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Tuple)
    value = (
        node.value if node is not None else statement.value if unpacked and isinstance(statement, ast.Assign) else None
    )
    if isinstance(value, ast.Name):
        value = next(iter(Flow(case).assigned(value, value.id)), None)
    return value if isinstance(value, ast.Call) and called(value) in ("min", "max") else None


def _key_alone(case: Case) -> Fix | None:
    """The key itself, where its first part was asked for."""
    match case.find(ast.Subscript):
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=0)) as node:
            return apply(case, case.replace(node, name), f"`{name}`", f"`{name}`")
    return None


@finds(mistakes.NOT_SUBSCRIPTABLE)
def _place_for_row(case: Case) -> Finding | None:
    """``for i in range(len(rows)): i[0]``."""
    node = case.find(ast.Subscript)
    if node is None or not isinstance(node.value, ast.Name) or type(case.value(node.value)) is not int:
        return None
    name = node.value.id
    for target, source in _counted(case, node):
        match source:
            case ast.Call(func=ast.Name(id="range"), args=[ast.Call(func=ast.Name(id="len"), args=[rows])]) if (
                isinstance(target, ast.Name) and target.id == name and isinstance(rows, ast.Name | ast.Attribute)
            ):
                pass
            case _:
                continue
        text = f"{case.text(rows)}[{name}]"
        held = case.value(rows)
        fits = not isinstance(held, list) or (bool(held) and not isinstance(held[0], int | float))
        return finding(
            case,
            f"`{name}` only counts, by {code(case, source)}, and is {case.value(node.value)} here: a number has no elements. The element at that place is `{text}`.",
            f"`{name}` 只是 {code(case, source)} 的计数，这里是 {case.value(node.value)}：一个数没有元素。那个位置上的元素是 `{text}`。",
            write(case, node.value, text, node) if fits else (),
            node,
        )
    return None


def _counted(case: Case, node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The loops around an expression, and the comprehensions: what each goes by, and through what."""
    outer = case.parents.get(node)
    while outer is not None:
        if isinstance(outer, ast.For):
            yield outer.target, outer.iter
        for one in getattr(outer, "generators", ()):
            yield one.target, one.iter
        outer = case.parents.get(outer)
