"""Fixes of shapes: transposed operands, a dimension too few, a dimension that is not there."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from math import prod

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called, is_simple
from gradflow.engine.diagnosis.fixers import fixes
from gradflow.engine.diagnosis.fixes.dtypes import operands
from gradflow.engine.diagnosis.fixes.transposed import unturned
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Edit, Fix, Text

# -- products ----------------------------------------------------------------------------------------------------------


def shape_of(case: Case, node: ast.AST | None) -> tuple[int, ...] | None:
    """The shape of the tensor that an expression gave."""
    value = case.value(node)
    return tuple(value.shape) if isinstance(value, Tensor) else None


def product_of(case: Case) -> tuple[tuple[ast.expr, ast.expr] | None, ast.expr | None]:
    """The two operands of the product at the error, and the expression."""
    node = case.find(ast.BinOp) or case.find(ast.Call)
    match node:
        case ast.BinOp(left=left, op=ast.MatMult(), right=right):
            return (left, right), node
        case ast.Call(func=ast.Attribute(value=ast.Name(id=owner)), args=[left, right]):
            if owner == case.module_alias("torch"):
                return (left, right), node
        case ast.Call(func=ast.Attribute(value=left), args=[right]):
            return (left, right), node
    return None, None


@fixes(errors.MM_SHAPE)
@fixes(errors.MV_SHAPE)
@fixes(errors.BMM_SHAPE)
def _transposed(case: Case) -> Fix | None:
    pair, node = product_of(case)
    if not pair or node is None or (isinstance(node, ast.Call) and isinstance(case.value(node.func), Layer)):
        return _for_layer(case)
    left, right = (shape_of(case, one) for one in pair)
    if isinstance(node, ast.BinOp):
        left, right = left or _given(case, "mat1"), right or _given(case, "mat2")
    if not left or not right:
        return None
    inner = right[-2] if len(right) > 1 else right[0]
    if len(right) > 1 and right[-1] == left[-1] and _same_batch(left, right):
        return case.fix(_turning_edits(case, pair[1], right), node)
    if len(left) > 1 and left[-2] == inner and _same_batch(left, right):
        return case.fix(_turning_edits(case, pair[0], left), node)
    return None


def _given(case: Case, name: str) -> tuple[int, ...] | None:
    shape = case.details.get(name)
    return tuple(shape) if isinstance(shape, Sequence) and not isinstance(shape, str) else None


def _same_batch(left: Sequence[int], right: Sequence[int]) -> bool:
    pairs = zip(reversed(left[:-2]), reversed(right[:-2]), strict=False)
    return all(1 in pair or pair[0] == pair[1] for pair in pairs)


def _turning_edits(case: Case, node: ast.expr, shape: Sequence[int]) -> list[Edit]:
    """The transpose of an operand: of one that is a transpose itself, what it is one of."""
    inner = unturned(node)
    return case.replace(node, case.operand(inner)) if inner is not None else case.followed(node, turned(shape))


def turned(shape: Sequence[int]) -> str:
    return ".t()" if len(shape) == 2 else ".mT"


def _for_layer(case: Case) -> Fix | None:
    """The input of a linear layer flattened, or the layer made for inputs of this size."""
    call = case.find(ast.Call)
    shape = shape_of(case, call.args[0]) if call and call.args else None
    given, weight = _given(case, "mat1"), _given(case, "mat2")
    if call is None or not shape or not given or not weight:
        return None
    if len(shape) > 2 and prod(shape[1:]) == weight[0]:
        return case.fix(case.followed(call.args[0], ".flatten(1)"), call)
    made = _layer_with(case, weight)
    return case.fix(case.replace(made.args[0], str(given[-1])), made) if made is not None else None


def _layer_with(case: Case, weight: Sequence[int]) -> ast.Call | None:
    """The one linear layer of the program that was made with these sizes."""
    found = [
        call
        for call in case.nodes(ast.Call)
        if called(call) == "Linear"
        and [case.value(size) for size in call.args[:2]] == list(weight)
        and isinstance(call.args[0], ast.Constant)
    ]
    return found[0] if len(found) == 1 else None


@fixes(errors.CONV_CHANNELS)
def _channels(case: Case) -> Fix | None:
    """Channels stand before height and width; an image of one channel needs a dimension for it."""
    call = case.find(ast.Call)
    layer = case.value(call.func) if call else None
    weight = getattr(layer, "weight", None)
    shape = shape_of(case, call.args[0]) if call and call.args else None
    if call is None or shape is None or not isinstance(weight, Tensor) or not isinstance(layer, Layer):
        return None
    channels, spatial = int(weight.shape[1]), weight.dim() - 2
    if len(shape) == spatial + 1 and channels == 1:
        return case.fix(case.followed(call.args[0], ".unsqueeze(1)"), call)
    if len(shape) == spatial + 2 and shape[-1] == channels:
        order = ", ".join(map(str, (0, spatial + 1, *range(1, spatial + 1))))
        return case.fix(case.followed(call.args[0], f".permute({order})"), call)
    return None


@fixes(errors.MM_NOT_MATRIX)
@fixes(errors.MV_DIMENSIONS)
@fixes(errors.BMM_DIMENSIONS)
@fixes(errors.DOT_DIMENSIONS)
def _general_product(case: Case) -> Fix | None:
    """``matmul``, which takes vectors, matrices and batches of them, where the shapes fit."""
    pair, node = product_of(case)
    left, right = (shape_of(case, one) for one in pair) if pair else (None, None)
    if not pair or not left or not right or not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    if left[-1] != (right[-2] if len(right) > 1 else right[0]) or not _same_batch(left, right):
        return None
    return case.fix(case.rename_end(node.func, node.func.attr, "matmul"), node)


@fixes(errors.MATMUL_SCALAR)
def _times(case: Case) -> Fix | None:
    """A number is multiplied with ``*``."""
    pair, node = product_of(case)
    if not pair or node is None:
        return None
    left, right = (case.text(one) if isinstance(one, _ATOMS) else f"({case.text(one)})" for one in pair)
    return case.fix(case.replace(node, f"{left} * {right}"), node)


_ATOMS = (ast.Name, ast.Call, ast.Attribute, ast.Subscript, ast.Constant)


@fixes(errors.OUTER_DIMENSIONS)
def _flat(case: Case) -> Fix | None:
    pair, node = product_of(case)
    edits = [
        edit for one in pair or () if len(shape_of(case, one) or ()) != 1 for edit in case.followed(one, ".flatten()")
    ]
    return case.fix(edits, node)


# -- broadcasting ------------------------------------------------------------------------------------------------------


@fixes(errors.SHAPE_BROADCAST)
def _new_dimension(case: Case) -> Fix | None:
    """``a * v.unsqueeze(1)`` for a vector with one element for each row; the transpose of a matrix that lies across."""
    node = case.find(ast.BinOp) or case.find(ast.Call)
    pair = [one for one in operands(case, node) if shape_of(case, one) is not None]
    if len(pair) != 2:
        return None
    shapes = [shape_of(case, one) or () for one in pair]
    for own, other in ((1, 0), (0, 1)):
        text = fitting(shapes[own], shapes[other])
        if text:
            return case.fix(case.followed(pair[own], text), node)
    return None


def fitting(shape: tuple[int, ...], other: tuple[int, ...]) -> str:
    if len(shape) == 1 and len(other) == 2 and shape[0] == other[0]:
        return ".unsqueeze(1)"
    if len(shape) == len(other) == 2 and shape[::-1] == other:
        return ".t()"
    if len(other) > len(shape) > 0 and other[: len(shape)] == shape:
        return laid_out((*shape, *[1] * (len(other) - len(shape))))
    return ""


def laid_out(shape: Sequence[int]) -> str:
    """``.reshape(-1, 1, 1)``: the first size that is not 1 stays open, for it may be that of one batch alone."""
    at = next((at for at, size in enumerate(shape) if size != 1), len(shape))
    return f".reshape({', '.join('-1' if k == at and size else str(size) for k, size in enumerate(shape))})"


# -- joining -----------------------------------------------------------------------------------------------------------


def _parts(case: Case) -> tuple[ast.Call, ast.List | ast.Tuple, list[tuple[int, ...]]] | None:
    call = case.find(ast.Call)
    listed = call.args[0] if call and call.args else None
    if (
        call is None
        or not isinstance(listed, ast.List | ast.Tuple)
        or not isinstance(call.func, ast.Attribute | ast.Name)
    ):
        return None
    shapes = [shape_of(case, part) for part in listed.elts]
    return (call, listed, [shape for shape in shapes if shape is not None]) if None not in shapes else None


@fixes(errors.CAT_SIZE)
def _other_dimension(case: Case) -> Fix | None:
    """Joined along the one dimension in which the tensors differ."""
    found = _parts(case)
    if found is None or len({len(shape) for shape in found[2]}) != 1:
        return None
    call, _, shapes = found
    differing = [dim for dim, sizes in enumerate(zip(*shapes, strict=True)) if len(set(sizes)) > 1]
    given = argument_of(call, 1, "dim")
    if len(differing) != 1:
        return None
    edits = case.replace(given, str(differing[0])) if given is not None else case.argument(call, f"dim={differing[0]}")
    return case.fix(edits, call)


@fixes(errors.CAT_DIMENSIONS)
def _row(case: Case) -> Fix | None:
    """A vector joined to the rows of a matrix is a row itself."""
    found = _parts(case)
    if found is None:
        return None
    call, listed, shapes = found
    longest = max(shapes, key=len)
    edits: list[Edit] = []
    for part, shape in zip(listed.elts, shapes, strict=True):
        if len(shape) == len(longest) - 1 and shape == longest[1:]:
            edits += case.followed(part, ".unsqueeze(0)")
        elif len(shape) != len(longest):
            return None
    return case.fix(edits, call)


@fixes(errors.STACK_SIZE)
def _joined(case: Case) -> Fix | None:
    """Vectors of different lengths can be joined, not stacked."""
    found = _parts(case)
    if found is None or any(len(shape) != 1 for shape in found[2]):
        return None
    return case.fix(case.rename_end(found[0].func, "stack", "cat"), found[0])


@fixes(errors.JOIN_REFUSED)
def _stacked(case: Case) -> Fix | None:
    """Single numbers can be stacked, not joined."""
    found = _parts(case)
    if found is None or any(found[2]):
        return None
    call = found[0]
    last = getattr(call.func, "attr", "")
    return case.fix(case.rename_end(call.func, last, "stack"), call) if last in ("cat", "concat") else None


# -- shapes that are asked for -----------------------------------------------------------------------------------------


@fixes(errors.INVALID_SHAPE)
def _inferred(case: Case) -> Fix | None:
    """One size left to be computed: the first, which usually counts the samples, or else the last."""
    call = case.find(ast.Call)
    if call is None or not isinstance(call.func, ast.Attribute):
        return None
    listed = call.args[0] if len(call.args) == 1 and isinstance(call.args[0], ast.List | ast.Tuple) else None
    sizes = listed.elts if listed else call.args
    values = [case.value(size) for size in sizes]
    shape = shape_of(case, call.func.value)
    if shape is None or len(sizes) < 2 or not all(isinstance(value, int) and value > 0 for value in values):
        return None
    for at in (0, len(sizes) - 1):
        others = prod(value for k, value in enumerate(values) if k != at and isinstance(value, int))
        if prod(shape) % others == 0:
            return case.fix(case.replace(sizes[at], "-1"), call)
    return None


@fixes(errors.ONE_DIMENSION_INFERRED)
def _one_inferred(case: Case) -> Fix | None:
    call = case.find(ast.Call)
    shape = shape_of(case, call.func.value) if call and isinstance(call.func, ast.Attribute) else None
    unknown = [size for size in call.args if ast.unparse(size) == "-1"] if call else []
    if call is None or shape is None or len(unknown) != 2:
        return None
    at = call.args.index(unknown[0])
    return case.fix(case.replace(unknown[0], str(shape[at])), call) if at < len(shape) else None


@fixes(errors.DIM_RANGE)
def _counted_from_zero(case: Case) -> Fix | None:
    """Dimensions count from 0: the last of two is 1."""
    node = case.find(ast.Call)
    most = case.details.get("high")
    if node is None or not isinstance(most, int):
        return None
    wrong = case.details.get("dim")
    places = [
        one
        for one in (*node.args, *(k.value for k in node.keywords if k.arg in ("dim", "axis", "dim0", "dim1")))
        if isinstance(one, ast.Constant) and case.value(one) == wrong
    ]
    if getattr(node.func, "attr", "") in ("transpose", "swapaxes", "swapdims", "permute", "movedim"):
        numbers = [one for one in node.args if isinstance(one, ast.Constant) and type(one.value) is int]
        if any(case.value(one) in (0, None) for one in numbers):
            return None
        return case.fix([edit for one in numbers for edit in case.replace(one, str(int(case.text(one)) - 1))], node)
    return case.fix(case.replace(places[0], str(most)), node) if len(places) == 1 and wrong == most + 1 else None


@fixes(errors.PERMUTE_COUNT)
def _all_dimensions(case: Case) -> Fix | None:
    """Two dimensions are swapped by ``t`` or ``transpose``."""
    call = case.find(ast.Call)
    shape = shape_of(case, call.func.value) if call and isinstance(call.func, ast.Attribute) else None
    if (
        call is None
        or shape is None
        or not isinstance(call.func, ast.Attribute)
        or len(call.args) != 2
        or len(shape) < 3
    ):
        return None
    return case.fix(case.rename_end(call.func, "permute", "transpose"), call)


@fixes(errors.H_DIMENSIONS)
@fixes(errors.MT_DIMENSIONS)
def _new_axis(case: Case) -> Fix | None:
    node = case.find(ast.Attribute)
    shape = shape_of(case, node.value) if node else None
    if node is None or shape is None or len(shape) != 1 or not is_simple(node.value):
        return None
    words = Text(f"`{case.operand(node.value)}.unsqueeze(1)`", f"`{case.operand(node.value)}.unsqueeze(1)`")
    return case.fix(case.replace(node, f"{case.operand(node.value)}.unsqueeze(1)"), node, words)
