"""Fixes of whole numbers where floating point is needed, and of the operands of a product."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from engine import errors
from engine.diagnosis.case import Case, is_simple
from engine.diagnosis.registry import fixes
from engine.trace import Edit, Fix


@fixes(errors.INTEGER_REQUIRES_GRAD)
def _float_constructor(case: Case) -> Fix | None:
    call = case.find(ast.Call)
    if call is None:
        return None
    if _name_of(call) == "Variable" and call.args:
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
        return case.fix(_floated(case, value), value) if value else None
    return case.fix(_floated(case, receiver), node)


def _name_of(call: ast.Call) -> str:
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def _floated(case: Case, node: ast.expr) -> list[Edit]:
    """Changes by which an expression gives floating point numbers."""
    if not isinstance(node, ast.Call) or _name_of(node) in ("Variable", "from_numpy", "LongTensor", "IntTensor"):
        return case.after(node, ".float()")
    for keyword in node.keywords:
        if keyword.arg == "dtype":
            torch = case.module_alias("torch") or "torch"
            return case.replace(keyword.value, f"{torch}.float")
    numbers = [part for part in ast.walk(node.args[0]) if _is_integer(part)] if node.args else []
    if _name_of(node) == "tensor" and numbers:
        return [edit for number in numbers for edit in case.after(number, ".")]
    torch, imports = case.with_torch()
    return [*case.argument(node, f"dtype={torch}.float"), *imports]


def _is_integer(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int


@fixes(errors.MM_DTYPE)
def _float_operand(case: Case) -> Fix | None:
    dtypes = {case.details.get("a"): 0, case.details.get("b"): 1}
    whole = next((index for name, index in dtypes.items() if "int" in str(name)), None)
    operands, node = _product(case)
    return case.fix(case.after(operands[whole], ".float()"), node) if operands and whole is not None else None


@fixes(errors.MM_SHAPE)
def _transpose(case: Case) -> Fix | None:
    left, right = case.details.get("mat1"), case.details.get("mat2")
    operands, node = _product(case)
    if not operands or not isinstance(left, Sequence) or not isinstance(right, Sequence):
        return None
    chosen = 1 if left[1] == right[1] else 0 if left[0] == right[0] else None
    if chosen is None or not is_simple(operands[chosen]):
        return None
    return case.fix(case.after(operands[chosen], ".t()"), node)


def _product(case: Case) -> tuple[tuple[ast.expr, ast.expr] | None, ast.AST | None]:
    """The operands of the matrix product at the error."""
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
