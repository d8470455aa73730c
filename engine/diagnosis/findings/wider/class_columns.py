"""Class numbers joined to features as they are, where the layer behind has a column for each class."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import shape_at
from gradflow.engine.diagnosis.findings.sizes_written import number
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.tensor import Tensor

_JOINING: Final = ("cat", "concat", "concatenate")
_CASTS: Final = ("float", "double", "to", "type")
_SHAPING: Final = (*_CASTS, "int", "long", "unsqueeze", "view", "reshape", "squeeze")


@dataclass(frozen=True)
class _Joined:
    """A vector, or a column, joined to features, and the layer that takes the whole: with so many columns for the vector."""

    call: ast.Call
    vector: ast.expr
    rows: int
    layer: ast.Call
    size: ast.expr
    others: int
    room: int


@dataclass(frozen=True)
class _Classes:
    """Class numbers: their text, the expression that stands for them among the features, the least and the largest of them."""

    text: str
    written: ast.expr | None
    least: int
    most: int


@finds(errors.CAT_DIMENSIONS)
def _vector_of_classes(case: Case) -> Finding | None:
    """``torch.cat([z, labels.float()], 1)`` in front of ``nn.Linear(z_dim + n_classes, 64)``."""
    call = case.find(ast.Call)
    joined = _joined(case, call, 1) if call is not None else None
    if joined is None or joined.room < 2:
        return None
    classes = _classes(case, joined)
    return _one_hot(case, joined, classes) if classes is not None else _too_wide(case, joined)


@finds(errors.MM_SHAPE)
def _column_of_classes(case: Case) -> Finding | None:
    """The same with ``labels.unsqueeze(1).float()``, which fails in the layer."""
    taker = case.find(ast.Call)
    if taker is None or not taker.args or not isinstance(case.value(taker.func), Layer):
        return None
    for node in Flow(case).behind(taker.args[0]):
        joined = _joined(case, node, 2) if isinstance(node, ast.Call) and called(node) in _JOINING else None
        if joined is None or joined.room < 2 or not _is_sum_with(case, joined):
            continue
        classes = _classes(case, joined)
        return _one_hot(case, joined, classes) if classes is not None else None
    return None


def _joined(case: Case, call: ast.Call, dims: int) -> _Joined | None:
    """What `torch.cat` joins: matrices, and one vector, or column of one number, of as many rows."""
    listed = call.args[0] if call.args and called(call) in _JOINING else None
    dim = argument_of(call, 1, "dim")
    if not isinstance(listed, ast.List | ast.Tuple) or dim is None or case.text(dim) not in ("1", "-1"):
        return None
    shapes = [(one, shape_at(case, one)) for one in listed.elts]
    vectors = [(one, shape) for one, shape in shapes if shape is not None and _is_vector(shape, dims)]
    matrices = (
        [shape for one, shape in shapes if shape is not None and len(shape) == 2 and one is not vectors[0][0]]
        if vectors
        else []
    )
    if len(vectors) != 1 or len(matrices) + 1 != len(shapes) or {one[0] for one in matrices} != {vectors[0][1][0]}:
        return None
    others = sum(one[1] for one in matrices)
    for layer, size in _layers(case, call):
        takes = number(case, size)
        return _Joined(call, *_named(vectors[0]), layer, size, others, takes - others) if takes is not None else None
    return None


def _is_vector(shape: tuple[int, ...], dims: int) -> bool:
    return len(shape) == dims and shape[1:] in ((), (1,))


def _named(vector: tuple[ast.expr, tuple[int, ...]]) -> tuple[ast.expr, int]:
    return vector[0], vector[1][0]


def _layers(case: Case, call: ast.Call) -> Iterator[tuple[ast.Call, ast.expr]]:
    """The `nn.Linear(...)` that takes what a call gives, directly or as the first layer of a model, with the size of its input."""
    for taker in _takers(case, call):
        layer = case.value(taker.func)
        if not isinstance(layer, Layer):
            continue
        first = next((one for one in layer.modules() if hasattr(one, "weight")), None)
        wanted = getattr(first, "in_features", None)
        for one in Flow(case).behind(taker.func):
            size = argument_of(one, 0, "in_features") if isinstance(one, ast.Call) and called(one) == "Linear" else None
            if isinstance(one, ast.Call) and size is not None and wanted is not None and number(case, size) == wanted:
                yield one, size


def _takers(case: Case, call: ast.Call, depth: int = 2) -> Iterator[ast.Call]:
    """The calls that are given what a call gives: around it, by the name that it gets, or where its function returns it."""
    flow, around = Flow(case), case.parents.get(call)
    calls = case.nodes(ast.Call)
    if isinstance(around, ast.Call) and call in around.args[:1]:
        yield around
    elif isinstance(around, ast.Assign) and isinstance(around.targets[0], ast.Name):
        name, scope = around.targets[0].id, flow.scope(call)
        for one in calls:
            first = one.args[0] if one.args else None
            if isinstance(first, ast.Name) and first.id == name and flow.scope(one) is scope and line(one) > line(call):
                yield one
                return
    elif isinstance(around, ast.Return) and depth:
        function = flow.scope(call)
        for one in calls:
            if function in flow.called(one):
                yield from _takers(case, one, depth - 1)


def _classes(case: Case, joined: _Joined) -> _Classes | None:
    """The whole numbers that a vector was made of, if it was made of one tensor of them."""
    vector = joined.vector
    casts = [
        one
        for one in Flow(case).behind(vector)
        if one is vector
        or (isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and one.func.attr in _CASTS)
    ]
    for written in casts:
        numbers = _without_shape(written)
        held = _whole_numbers(case, numbers, joined.rows)
        if held is not None:
            return _Classes(
                case.text(numbers) + ("" if held._a.dtype == "int64" else ".long()"),
                _place(case, vector, written),
                *_ends(held),
            )
    held = Flow(case).tensor(vector)
    if held is None or not _is_sum_with(case, joined) or not bool((held._a == held._a.round()).all()):
        return None
    classes = _Classes(f"{case.operand(_without_shape(vector))}.long()", vector, *_ends(held))
    return classes if 0 <= classes.least <= classes.most < joined.room else None


def _place(case: Case, vector: ast.expr, written: ast.expr) -> ast.expr | None:
    """What is written anew: the vector, or what it was made by, if that is used for nothing else."""
    if any(one is written for one in ast.walk(vector)):
        return vector
    return written if _is_used_once(case, written) else None


def _ends(held: Tensor) -> tuple[int, int]:
    return int(held._a.min()), int(held._a.max())


def _without_shape(node: ast.expr) -> ast.expr:
    """``y`` of ``y.unsqueeze(1).float()`` and of ``y[:, None]``."""
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr=attr)) if attr in _SHAPING:
            return _without_shape(value)
        case ast.Subscript(value=value, slice=ast.Tuple(elts=[ast.Slice(), ast.Constant(value=None)])):
            return _without_shape(value)
    return node


def _whole_numbers(case: Case, node: ast.expr, rows: int) -> Tensor | None:
    """The tensor of whole numbers, one for each row, that an expression stands for."""
    for one in Flow(case).behind(node):
        held = Flow(case).tensor(one)
        if isinstance(held, Tensor):
            whole = held._a.dtype.kind in "iu" and tuple(held.shape) == (rows,)
            return held if whole else None
    return None


def _is_used_once(case: Case, written: ast.expr) -> bool:
    """Whether what a statement gives to a name is used in one place."""
    statement = case.parents.get(written)
    match statement:
        case ast.Return():
            return True
        case ast.Assign(targets=[ast.Name(id=name)]):
            scope = Flow(case).scope(written)
            uses = [
                one
                for one in ast.walk(scope)
                if isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Load)
            ]
            return sum(one.lineno > written.lineno for one in uses) == 1
    return False


def _parts(node: ast.expr) -> Iterator[ast.expr]:
    """What a sum adds up."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        yield from (*_parts(node.left), *_parts(node.right))
    else:
        yield node


def _is_sum_with(case: Case, joined: _Joined) -> bool:
    """Whether the layer was made for the features and the classes, as a sum of both."""
    return isinstance(joined.size, ast.BinOp) and any(number(case, one) == joined.room for one in _parts(joined.size))


def _count_written(case: Case, joined: _Joined, place: ast.expr) -> str:
    """The number of classes, by the program's own name where that can be read at a place."""
    flow = Flow(case)
    named = [one for one in _parts(joined.size) if number(case, one) == joined.room and one is not joined.size]
    if not named or isinstance(named[0], ast.Constant):
        return str(joined.room)
    text, made_in = case.text(named[0]), flow.scope(joined.size)
    if flow.scope(place) is made_in or (isinstance(named[0], ast.Name) and _is_global(case, text)):
        return text
    own, other = case.enclosing(made_in, ast.ClassDef), case.enclosing(place, ast.ClassDef)
    if own is None or own is not other:
        return str(joined.room)
    if text.startswith("self."):
        return text
    kept = [
        one.targets[0] for one in case.nodes(ast.Assign) if case.text(one.value) == text and flow.scope(one) is made_in
    ]
    return next((case.text(one) for one in kept if case.text(one).startswith("self.")), str(joined.room))


def _is_global(case: Case, name: str) -> bool:
    """Whether a name is one of the program's, and of no function's."""
    bound = [one for one in case.nodes(ast.Name) if one.id == name and isinstance(one.ctx, ast.Store)]
    taken = any(one.arg == name for one in case.nodes(ast.arg))
    return bool(bound) and not taken and all(isinstance(Flow(case).scope(one), ast.Module) for one in bound)


def _functional(case: Case) -> tuple[str, list[str]]:
    """What the program calls ``torch.nn.functional``; with the imports that it needs for that."""
    for node in case.nodes(ast.ImportFrom):
        for one in node.names:
            if (node.module, one.name) == ("torch.nn", "functional"):
                return one.asname or one.name, []
    alias = case.module_alias("torch.nn.functional")
    if alias is not None and "." not in alias:
        return alias, []
    torch = case.module_alias("torch")
    return f"{torch or 'torch'}.nn.functional", [] if torch else ["import torch"]


def _encoded(case: Case, joined: _Joined, classes: _Classes, place: ast.expr) -> tuple[str, list[str]]:
    """What makes as many columns of the class numbers: an embedding of the program's, or `one_hot`; with the imports for it."""
    for made in case.nodes(ast.Call):
        size = argument_of(made, 1, "embedding_dim") if called(made) == "Embedding" else None
        kept = case.parents.get(made)
        rows = number(case, argument_of(made, 0, "num_embeddings"))
        if size is None or number(case, size) != joined.room or not isinstance(kept, ast.Assign):
            continue
        if rows is None or not 0 <= classes.least <= classes.most < rows:
            continue
        name, own = case.text(kept.targets[0]), case.enclosing(made, ast.ClassDef)
        if _is_global(case, name) or (name.startswith("self.") and own is case.enclosing(place, ast.ClassDef)):
            return f"{name}({classes.text})", []
    functional, imports = _functional(case)
    return f"{functional}.one_hot({classes.text}, {_count_written(case, joined, place)}).float()", imports


def _one_hot(case: Case, joined: _Joined, classes: _Classes) -> Finding:
    place = classes.written or joined.vector
    text, imports = _encoded(case, joined, classes, place)
    room, numbers = joined.room, f"`{classes.text.removesuffix('.long()')}`"
    sized = f"{code(case, joined.layer)} on line {line(joined.layer)} takes {joined.others + room} = {joined.others} + {room} columns"
    sized_zh = f"第 {line(joined.layer)} 行的 {code(case, joined.layer)} 要求 {joined.others + room} = {joined.others} + {room} 列"
    made = (
        f"{numbers} holds whole numbers from {classes.least} to {classes.most}, one for each of the {joined.rows} rows"
    )
    made_zh = f"{numbers} 是 {classes.least} 到 {classes.most} 的整数，{joined.rows} 行各一个"
    edits = case.replace(place, text) if classes.written is not None else []
    edits = [*edits, *(edit for one in imports for edit in case.import_line(one))] if edits else []
    if ".one_hot(" not in text:
        return finding(
            case,
            f"{made}, and {sized}: {room} for each of these numbers. `{text.partition('(')[0]}` gives as many for a number: `{text}`.",
            f"{made_zh}，而{sized_zh}，也就是每个编号占 {room} 列。`{text.partition('(')[0]}` 正好为每个编号给出这么多列：`{text}`。",
            case.fix(edits, place) or (),
            place,
        )
    if not 0 <= classes.least <= classes.most < room:
        return finding(
            case,
            f"{made}, and {sized}; a column of them is one. If they are class numbers, encode them with `one_hot` as {room} columns: it counts the classes"
            f" from 0 to {room - 1}.",
            f"{made_zh}，而{sized_zh}；把它们写成一列只占 1 列。如果它们是类别编号，请用 `one_hot` 编码成 {room} 列：类别从 0 数到 {room - 1}。",
            (),
            joined.vector,
        )
    return finding(
        case,
        f"{made}: class numbers. {sized}, so one for each of the {room} classes. Make the numbers one-hot: `{text}`.",
        f"{made_zh}，也就是类别编号。{sized_zh}，即 {room} 个类别各占一列。请把编号变成独热编码：`{text}`。",
        case.fix(edits, place) or (),
        place,
    )


def _too_wide(case: Case, joined: _Joined) -> Finding:
    """A vector of other numbers, in front of a layer with room for more than one."""
    vector, room = joined.vector, joined.room
    column = f"{case.operand(vector)}.unsqueeze(1)"
    sizes = f"{joined.others} + {room}"
    return finding(
        case,
        f"{code(case, vector)} is a vector of {joined.rows} numbers, without a dimension 1. As a column, `{column}`, it is one column, and {code(case, joined.layer)} on"
        f" line {line(joined.layer)} takes {joined.others + room} = {sizes}: {room} for it. Join {room} columns, or make it a column and the layer for {joined.others + 1}.",
        f"{code(case, vector)} 是含 {joined.rows} 个数的向量，没有第 1 维。写成一列 `{column}` 只占一列，而第 {line(joined.layer)} 行的 {code(case, joined.layer)} 要求"
        f" {joined.others + room} = {sizes} 列：留给它的是 {room} 列。请拼接 {room} 列，或者把它变成一列并按 {joined.others + 1} 创建这一层。",
        (),
        vector,
    )
