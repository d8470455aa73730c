"""Fixes of calls: keywords that have another name, methods that do not fit."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Final

from engine import errors
from engine.diagnosis.case import Case
from engine.diagnosis.registry import fixes
from engine.trace import Fix

_RENAMED: Final = {
    "retain_variables": "retain_graph",
    "grad_variables": "grad_tensors",
    "grad": "gradient",
    "grad_tensors": "gradient",
    "grads": "gradient",
    "keep_dim": "keepdim",
    "axis": "dim",
    "keepdims": "keepdim",
    "require_grad": "requires_grad",
    "required_grad": "requires_grad",
    "grad_required": "requires_grad",
}

_BACKWARD_ARGUMENTS: Final = ("gradient", "retain_graph", "create_graph", "inputs")


@fixes(errors.UNEXPECTED_KEYWORD)
def _rename_keyword(case: Case) -> Fix | None:
    call = case.find(ast.Call)
    wrong = str(case.details.get("keyword"))
    given = next((keyword for keyword in call.keywords if keyword.arg == wrong), None) if call else None
    if call is None or given is None:
        return None
    known = case.details.get("parameters")
    names = list(known) if isinstance(known, Sequence) else list(_BACKWARD_ARGUMENTS)
    renamed = _RENAMED.get(wrong)
    close = [renamed] if renamed in names else get_close_matches(wrong, names, 1)
    taken = {keyword.arg for keyword in call.keywords}
    if not close or close[0] in taken:
        return None
    value = case.text(given.value)
    return case.fix(case.replace(given, f"{close[0]}={value}"), call)


def _method_call(case: Case) -> tuple[ast.Call, ast.Attribute] | None:
    call = case.find(ast.Call)
    return (call, call.func) if call and isinstance(call.func, ast.Attribute) else None


@fixes(errors.VIEW_SIZE)
def _reshape(case: Case) -> Fix | None:
    found = _method_call(case)
    return case.fix(case.rename_end(found[1], "view", "reshape"), found[0]) if found else None


@fixes(errors.NUMPY_REQUIRES_GRAD)
def _detach(case: Case) -> Fix | None:
    found = _method_call(case)
    if found is None:
        return None
    if found[1].attr == "numpy":
        return case.fix(case.after(found[1].value, ".detach()"), found[0])
    return case.fix(case.after(found[0].args[0], ".detach()"), found[0]) if found[0].args else None


@fixes(errors.DTYPE_NOT_FLOATING)
@fixes(errors.NORM_DTYPE)
def _float_first(case: Case) -> Fix | None:
    found = _method_call(case)
    if found is None:
        return None
    call, method = found
    is_module = isinstance(method.value, ast.Name) and method.value.id == case.module_alias("torch")
    operand = call.args[0] if is_module and call.args else method.value
    return case.fix(case.after(operand, ".float()"), call)


@fixes(errors.NO_CUDA)
def _without_cuda(case: Case) -> Fix | None:
    found = _method_call(case)
    if found is not None and found[1].attr not in ("cuda", "to"):
        wanted = next((keyword.value for keyword in found[0].keywords if keyword.arg == "device"), None)
        return case.fix(case.replace(wanted, '"cpu"'), found[0]) if wanted else None
    if found is None:
        return None
    text = case.text(found[1].value)
    return case.fix(case.replace(found[0], text), found[0])


@fixes(errors.INDEX_SCALAR)
def _item(case: Case) -> Fix | None:
    """``loss.data[0]``, as it was written before 0-dimensional tensors."""
    node = case.find(ast.Subscript)
    if node is None or not isinstance(node.ctx, ast.Load):
        return None
    value = node.value.value if isinstance(node.value, ast.Attribute) and node.value.attr == "data" else node.value
    return case.fix(case.replace(node, f"{case.text(value)}.item()"), node)


@fixes(errors.ITEM_NOT_SCALAR)
def _tolist(case: Case) -> Fix | None:
    found = _method_call(case)
    return case.fix(case.rename_end(found[1], "item", "tolist"), found[0]) if found else None
