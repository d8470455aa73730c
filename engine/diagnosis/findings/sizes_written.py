"""How a size is written where it replaces another: by the program's own name for it, in the form that it had, or as a number."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final

from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.trace import Edit

_OUTPUTS: Final = (
    "out_features",
    "out_channels",
    "hidden_size",
    "embedding_dim",
    "num_features",
    "d_model",
    "embed_dim",
)
_FIRST_IS_OUTPUT: Final = ("BatchNorm", "InstanceNorm", "LayerNorm", "MultiheadAttention")


def number(case: Case, node: ast.expr | None, depth: int = 12) -> int | None:
    """The whole number that an expression stands for, as the text tells; None where it may be several."""
    match node:
        case ast.Constant(value=bool()):
            return None
        case ast.Constant(value=int(value)):
            return value
        case ast.BinOp(left=left, op=op, right=right) if depth:
            return _computed(op, number(case, left, depth - 1), number(case, right, depth - 1))
        case ast.Name(id=name) if depth:
            return _named(case, node, name, depth)
        case ast.Attribute(value=ast.Name(id="self"), attr=attr) if depth:
            given = [one for one in case.nodes(ast.Assign) if f"self.{attr}" in [ast.unparse(t) for t in one.targets]]
            return number(case, given[0].value, depth - 1) if len(given) == 1 else None
    return None


def _computed(op: ast.operator, a: int | None, b: int | None) -> int | None:
    if a is None or b is None:
        return None
    match op:
        case ast.Mult():
            return a * b
        case ast.Add():
            return a + b
        case ast.Sub():
            return a - b
        case ast.FloorDiv() if b:
            return a // b
    return None


def _named(case: Case, node: ast.Name, name: str, depth: int) -> int | None:
    flow = Flow(case)
    found = {number(case, one, depth - 1) for one in flow.assigned(node, name)}
    if not found:
        held = case.values.get(name)
        return held if isinstance(held, int) and not isinstance(held, bool) and _is_global(case, node) else None
    return found.pop() if len(found) == 1 else None


def _is_global(case: Case, node: ast.Name) -> bool:
    return isinstance(Flow(case).scope(node), ast.Module)


def outputs_of(call: ast.Call) -> list[ast.expr]:
    """The arguments of the constructor of a layer that say how many numbers it gives."""
    name = called(call)
    if not name[:1].isupper():
        return []
    at = 0 if name.startswith(_FIRST_IS_OUTPUT) else 1
    return [*call.args[at : at + 1], *(one.value for one in call.keywords if one.arg in _OUTPUTS)]


def _named_sizes(case: Case, place: ast.expr) -> Iterator[tuple[ast.expr, int]]:
    """The output sizes that layers beside this one are given under a name, the nearest before it first."""
    flow = Flow(case)
    scope = flow.scope(place)
    calls = [one for one in case.nodes(ast.Call) if flow.scope(one) is scope and place not in one.args]
    before = [one for one in calls if (one.lineno, one.col_offset) < (place.lineno, place.col_offset)][::-1]
    for call in (*before, *(one for one in calls if one not in before)):
        for given in outputs_of(call):
            size = number(case, given)
            if size is not None and not isinstance(given, ast.Constant):
                yield given, size


def size_written(case: Case, place: ast.expr, size: int) -> str:
    """A size in the place of another one."""
    named = list(_named_sizes(case, place))
    for given, value in named:
        if value == size:
            return case.text(given)
    if (formed := in_form(place, size)) is not None:
        return formed
    if isinstance(place, ast.Constant):
        return str(size)
    for given, value in named:
        if value > 1 and size > value and size % value == 0 and isinstance(given, ast.Name | ast.Attribute):
            factor = size // value
            if factor <= 4:
                return f"{case.text(given)} * {factor}"
    for (one, a), (other, b) in combinations(named, 2):
        if a + b == size:
            return f"{case.text(one)} + {case.text(other)}"
    return str(size)


def in_form(place: ast.expr, size: int) -> str | None:
    """``16 * 4 * 4`` for ``16 * 5 * 5``."""
    match place:
        case ast.BinOp(left=ast.Constant(value=int(channels)), op=ast.Mult(), right=ast.Constant()) if (
            channels and size % channels == 0
        ):
            return f"{channels} * {size // channels}"
        case ast.BinOp(left=ast.BinOp(left=ast.Constant(value=int(channels)), op=ast.Mult()), op=ast.Mult()) if (
            channels and size % channels == 0
        ):
            side = round((size // channels) ** 0.5)
            whole = side * side * channels == size
            return f"{channels} * {side} * {side}" if whole else f"{channels} * {size // channels}"
    return None


def layers_written(
    case: Case, call: ast.Call, made: ast.expr, shape: Sequence[int], wanted: Sequence[int]
) -> list[Edit]:
    """The first size of a state that is right in all others: the number of layers of what is called, two for each with both directions."""
    layer = case.value(call.func)
    sizes = made.args if isinstance(made, ast.Call) else []
    if len(sizes) != len(wanted) or list(shape)[1:] != list(wanted)[1:] or not isinstance(sizes[0], ast.Constant):
        return []
    own = isinstance(call.func, ast.Attribute) and case.text(call.func.value) == "self"
    named = f"{case.operand(call.func)}.num_layers"
    text = (f"2 * {named}" if getattr(layer, "bidirectional", False) else named) if own else str(wanted[0])
    return case.replace(sizes[0], text)


def order_written(
    case: Case, made: ast.Call, shape: Sequence[int], wanted: Sequence[int]
) -> tuple[list[Edit], ast.expr | None, str]:
    """The same sizes in another order: the edits, where they are written, and how; nothing where they are not written one by one."""
    sizes: Sequence[ast.expr] = made.args
    whole: ast.expr = made
    if len(sizes) == 1:
        given = sizes[0]
        found = next(iter(Flow(case).assigned(given, given.id)), None) if isinstance(given, ast.Name) else given
        whole, sizes = (found, found.elts) if isinstance(found, ast.Tuple | ast.List) else (whole, sizes)
    if (
        len(sizes) != len(shape)
        or sorted(shape) != sorted(wanted)
        or any(isinstance(one, ast.Starred) for one in sizes)
    ):
        return [], None, ""
    left = list(zip(shape, sizes, strict=True))
    order: list[ast.expr] = []
    for size in wanted:
        at = next(k for k, (own, _) in enumerate(left) if own == size)
        order.append(left.pop(at)[1])
    edits = [
        edit
        for old, new in zip(sizes, order, strict=True)
        if old is not new
        for edit in case.replace(old, case.text(new))
    ]
    inside = ", ".join(case.text(one) for one in order)
    text = f"({inside})" if whole is not made else f"{case.text(made.func)}({inside})"
    return edits, whole, text


def written_at(case: Case, node: ast.expr, size: int) -> ast.expr | None:
    """Where a size is written as a number: that of a variable, of a setting of this name, or of an entry of a table."""
    name = ""
    match node:
        case ast.Constant():
            return node
        case ast.Name(id=name):
            for given in Flow(case).assigned(node, name):
                if given is not node and (found := written_at(case, given, size)) is not None:
                    return found
        case ast.Attribute(attr=name) | ast.Subscript(slice=ast.Constant(value=str(name))):
            pass
    numbers = [
        *(one.value for one in case.nodes(ast.keyword) if one.arg == name),
        *(
            value
            for one in case.nodes(ast.Dict)
            for key, value in zip(one.keys, one.values, strict=True)
            if _says(key, name)
        ),
        *(one.value for one in case.nodes(ast.Assign) if _says(one.targets[0], name)),
        *(one.value for one in case.nodes(ast.AnnAssign) if one.value is not None and _says(one.target, name)),
    ]
    known = [one for one in numbers if isinstance(one, ast.Constant) and type(one.value) is int and one.value == size]
    return known[0] if len(known) == 1 and name else None


def _says(node: ast.expr | None, name: str) -> bool:
    """Whether a target or a key is called so."""
    match node:
        case ast.Name(id=own) | ast.Attribute(attr=own) | ast.Constant(value=str(own)):
            return own == name
    return False
