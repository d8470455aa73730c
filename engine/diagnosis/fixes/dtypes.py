"""Fixes of dtypes: whole numbers where floating point is needed, and operands that must agree."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import UNKNOWN, Case, called, is_simple
from gradflow.engine.diagnosis.fixers import fixes
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.tensor import Tensor, dtypes
from gradflow.engine.trace import Edit, Fix

_CONVERSIONS: Final = {"float32": ".float()", "float64": ".double()", "float16": ".half()", "bfloat16": ".bfloat16()"}


@fixes(errors.INTEGER_REQUIRES_GRAD)
def _float_constructor(case: Case) -> Fix | None:
    call = case.find(ast.Call)
    if call is None:
        return None
    if _name_of(call) in ("Variable", "Parameter") and call.args:
        return case.fix(_floated(case, call.args[0]), call)
    return case.fix(_floated(case, call), call)


@fixes(errors.INTEGER_REQUIRES_GRAD_METHOD)
@fixes(errors.INTEGER_REQUIRES_GRAD_ATTRIBUTE)
def _float_receiver(case: Case) -> Fix | None:
    node = case.find(ast.Call) or case.find(ast.Attribute) or case.find(ast.Name)
    match node:
        case ast.Call(func=ast.Attribute(value=receiver)) | ast.Attribute(value=receiver):
            pass
        case ast.Name():
            receiver = node
        case _:
            return None
    if isinstance(receiver, ast.Name):
        value = case.assignment(receiver.id)
        return case.fix(_floated(case, value), value) if value is not None else None
    return case.fix(_floated(case, receiver), node)


def _name_of(call: ast.Call) -> str:
    return called(call)


def _floated(case: Case, node: ast.expr) -> list[Edit]:
    """Changes by which an expression gives floating point numbers."""
    if not isinstance(node, ast.Call) or _name_of(node) in _WITHOUT_DTYPE or not _makes(case, node):
        return case.followed(node, ".float()")
    for keyword in node.keywords:
        if keyword.arg == "dtype":
            torch = case.module_alias("torch") or "torch"
            return case.replace(keyword.value, f"{torch}.float")
    numbers = [part for part in ast.walk(node.args[0]) if _is_integer(part)] if node.args else []
    if _name_of(node) == "tensor" and numbers and isinstance(node.args[0], ast.List | ast.Tuple | ast.Constant):
        return [edit for number in numbers for edit in case.after(number, ".")]
    torch, imports = case.with_torch()
    return [*case.argument(node, f"dtype={torch}.float"), *imports]


_WITHOUT_DTYPE: Final = ("Variable", "from_numpy", "LongTensor", "IntTensor", "Tensor", "as_strided")


def _makes(case: Case, call: ast.Call) -> bool:
    """Whether a call makes a tensor and so takes a dtype: a function of torch, not a method of a tensor."""
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    return owner is None or (isinstance(owner, ast.Name) and owner.id == case.module_alias("torch"))


def _is_integer(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int


# -- operands that must agree ------------------------------------------------------------------------------------------


@fixes(errors.MM_DTYPE)
@fixes(errors.MV_DTYPE)
@fixes(errors.DOT_DTYPE)
@fixes(errors.AFFINE_DTYPE)
@fixes(errors.MIXED_DTYPE)
@fixes(errors.MIXED_PARAMETER)
@fixes(errors.CONTRACTION_DTYPES)
@fixes(errors.BADDBMM_DTYPES)
@fixes(errors.VECDOT_DTYPES)
@fixes(errors.BILINEAR_DTYPES)
@fixes(errors.ATTENTION_DTYPES)
@fixes(errors.SOLVE_DTYPE)
@fixes(errors.SCALAR_TYPE)
@fixes(errors.CONV_BIAS_DTYPE)
@fixes(errors.FOUND_DTYPE)
@fixes(errors.CLOSE_DTYPES)
@fixes(errors.LERP_DTYPE)
@fixes(errors.PRELU_DTYPE)
@fixes(errors.HEAVISIDE_DTYPES)
@fixes(errors.PARTS_DTYPE)
@fixes(errors.PARTS_DIFFER)
@fixes(errors.COSINE_DTYPE)
@fixes(errors.ADDCDIV_INTEGERS)
@fixes(errors.KL_INTEGER)
@fixes(errors.TARGET_PROBABILITY_DTYPE)
@fixes(errors.QUANTILE_DTYPE)
@fixes(errors.QUANTILE_SHARES_DTYPE)
@fixes(errors.NANMEAN_DTYPE)
@fixes(errors.MATRIX_DTYPE)
@fixes(errors.FREXP_DTYPE)
def _agreeing(case: Case) -> Fix | None:
    """All operands of the dtype of the parameters; else of the one that is floating point, float32 rather than others."""
    node = case.find(ast.expr)
    found = [(operand, value) for operand in operands(case, node) if isinstance(value := case.value(operand), Tensor)]
    names = [dtypes.of(value._a).name for _, value in found]
    target = (
        _dtype_of_layer(case, node)
        or _best(names)
        or ("float32" if len(names) == 1 and not names[0].startswith(("float", "bfloat", "complex")) else None)
    )
    if node is None or target not in _CONVERSIONS:
        return None
    edits = [
        edit
        for (operand, _), name in zip(found, names, strict=True)
        if name != target and not name.startswith("complex")
        for edit in _to(case, operand, target)
    ]
    return case.fix(edits, node)


def _to(case: Case, operand: ast.expr, target: str) -> list[Edit]:
    """A conversion; or the one that is there taken away, where it is what makes the difference."""
    match operand:
        case ast.Call(func=ast.Attribute(value=inner, attr="double" | "float" | "half" | "long" | "int"), args=[]):
            before = case.value(inner)
            if isinstance(before, Tensor) and dtypes.of(before._a).name == target:
                return case.without_tail(operand)
    return case.followed(operand, _CONVERSIONS[target])


@fixes(errors.SAME_DTYPE)
def _dtype_of_receiver(case: Case) -> Fix | None:
    """What is written into a tensor has its dtype."""
    call = case.find(ast.Call)
    found = [one for one in operands(case, call) if isinstance(case.value(one), Tensor)]
    if call is None or len(found) < 2 or not is_simple(found[0]):
        return None
    return case.fix(case.followed(found[-1], f".to({case.operand(found[0])}.dtype)"), call)


@fixes(errors.INDEX_PUT_DTYPE)
def _dtype_of_target(case: Case) -> Fix | None:
    node = case.find(ast.AST)
    match case.statement(node) if node is not None else None:
        case ast.Assign(targets=[ast.Subscript(value=target)], value=value) as statement if is_simple(target):
            return case.fix(case.followed(value, f".to({case.operand(target)}.dtype)"), statement)
    return None


@fixes(errors.ASSIGN_TYPE)
def _assigned_tensor(case: Case) -> Fix | None:
    """A list that is written into a row or a slice."""
    node = case.find(ast.AST)
    match case.statement(node) if node is not None else None:
        case ast.Assign(targets=[ast.Subscript(value=target, slice=index)], value=ast.List() as value) as statement:
            tensor = case.value(target)
            whole = isinstance(tensor, Tensor) and tensor.dim() >= 1 + (not isinstance(index, ast.Slice))
            torch, imports = case.with_torch()
            edits = [*case.wrapped(value, f"{torch}.tensor(", ")"), *imports]
            return case.fix(edits, statement) if whole and not isinstance(index, ast.Tuple) else None
    return None


def _best(names: Sequence[str]) -> str | None:
    """The dtype to convert to: one that is there, float32 first; float32 where all are whole numbers."""
    floating = [name for name in names if name in _CONVERSIONS]
    if "float32" in floating or (names and not floating):
        return "float32"
    return floating[0] if floating else None


def _dtype_of_layer(case: Case, node: ast.AST | None) -> str | None:
    """The dtype of the parameters, where a layer is called."""
    layer = case.value(node.func) if isinstance(node, ast.Call) else UNKNOWN
    parameter = next(iter(layer.parameters()), None) if isinstance(layer, Layer) else None
    return None if parameter is None else dtypes.of(parameter._a).name


def operands(case: Case, node: ast.AST | None) -> list[ast.expr]:
    """The expressions that an operator or a function is applied to, those in lists among them."""
    match node:
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.Call(func=func, args=arguments, keywords=keywords):
            given = [*arguments, *(keyword.value for keyword in keywords if keyword.arg)]
            owner = [func.value] if isinstance(func, ast.Attribute) else []
            parts = [part for one in given for part in (one.elts if isinstance(one, ast.List | ast.Tuple) else [one])]
            return [*owner, *parts]
    return []


@fixes(errors.OUT_DTYPE)
def _without_out(case: Case) -> Fix | None:
    """What is written with ``out=`` is assigned instead."""
    call = case.find(ast.Call)
    given = next((keyword for keyword in call.keywords if keyword.arg == "out"), None) if call else None
    if call is None or given is None or not is_simple(given.value):
        return None
    edits = case.without_argument(call, given)
    if isinstance(statement := case.statement(call), ast.Expr) and statement.value is call:
        edits = [*case.before(statement, f"{case.text(given.value)} = "), *edits]
    return case.fix(edits, case.statement(call))
