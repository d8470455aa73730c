"""Fixes of attributes that an object has not: another spelling, another language, a tuple in place of its element."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, is_simple
from gradflow.engine.diagnosis.fixers import fixes
from gradflow.engine.diagnosis.fixes.modules import begun
from gradflow.engine.diagnosis.fixes.names import closest_attribute
from gradflow.engine.errors.language import python
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.sandbox import gate
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Fix

_RENAMED: Final = {
    "push": "append", "push_back": "append", "add": "append", "has_key": "", "iteritems": "items", "itervalues": "values",
    "iterkeys": "keys", "backwards": "backward", "len": "", "length": "", "zero_grad": "", "saved_variables": "saved_tensors",
    "concat": "", "astype": "to", "toString": "", "item_": "item", "cpu_": "cpu", "toList": "tolist", "to_list": "tolist",
    "to_numpy": "numpy", "params": "parameters", "trainable_variables": "parameters", "dims": "ndim", "rank": "ndim",
    "lowercase": "lower", "uppercase": "upper", "trim": "strip", "contains": "__contains__", "startsWith": "startswith",
}  # fmt: skip
"""Names of other languages and libraries; "" for those that are written in another way altogether."""


def import_taken(case: Case, node: ast.Attribute) -> tuple[ast.stmt, str, ast.Name] | None:
    """Where the owner of an attribute is a name that was imported and then given to something else: the import, what it imported, and the
    one place that took the name."""
    if not isinstance(node.value, ast.Name):
        return None
    name = node.value.id
    imports = [
        (statement, alias.name if isinstance(statement, ast.Import) else f"{statement.module}.{alias.name}")
        for statement in (*case.nodes(ast.Import), *case.nodes(ast.ImportFrom))
        if isinstance(statement, ast.Import | ast.ImportFrom)
        for alias in statement.names
        if (alias.asname or alias.name) == name
    ]
    taken = [one for one in case.nodes(ast.Name) if one.id == name and isinstance(one.ctx, ast.Store)]
    return (*imports[-1], taken[0]) if imports and len({one.lineno for one in taken}) == 1 else None


@fixes(errors.NO_ATTRIBUTE)
@fixes(python.ATTRIBUTE)
def _attribute(case: Case) -> Fix | None:
    node = case.find(ast.Attribute)
    if node is None:
        return _not_begun(case)
    if import_taken(case, node) is not None:
        return None  # what is like it has nothing to do with what was meant
    return (
        _not_begun(case)
        or _written_otherwise(case, node)
        or _element(case, node)
        or _method(case, node)
        or _alike(case, node)
    )


def _not_begun(case: Case) -> Fix | None:
    """A layer whose ``__init__`` forgot ``super().__init__()`` lacks what every layer has."""
    value = case.details.get("value")
    if not isinstance(value, Layer) or "_modules" in vars(value):
        return None
    owners = [node for node in case.nodes(ast.ClassDef) if node.name == type(value).__name__]
    return begun(case, owners[-1]) if owners else None


def _owner(case: Case, node: ast.Attribute) -> object:
    return case.details["value"] if "value" in case.details else case.value(node.value)


def _written_otherwise(case: Case, node: ast.Attribute) -> Fix | None:
    """What Python or PyTorch writes as a function, an index or an operator."""
    owner, text = _owner(case, node), case.text(node.value)
    call = case.parents.get(node)
    call = call if isinstance(call, ast.Call) and call.func is node else None
    sized = isinstance(owner, Tensor | list | dict | tuple | str)
    match node.attr:
        case "len" | "length" | "size" | "count" if (
            sized and (call is None or not call.args) and not hasattr(owner, node.attr)
        ):
            return case.fix(case.replace(call or node, f"len({text})"), call or node)
        case "has_key" if isinstance(owner, dict) and call is not None and len(call.args) == 1:
            return case.fix(case.replace(call, f"({case.text(call.args[0])} in {text})"), call)
        case "zero_grad" if isinstance(owner, Tensor) and isinstance(case.parents.get(call or node), ast.Expr):
            return case.fix(case.replace(call or node, f"{text}.grad = None"), call or node)
        case "append" if isinstance(owner, tuple) and call is not None and isinstance(call.args[0], ast.expr):
            return None
        case "backward" if isinstance(owner, float | int):
            return _without_item(case, node)
        case name if isinstance(owner, dict) and name in owner and call is None and is_simple(node.value):
            return case.fix(case.replace(node, f"{text}[{name!r}]"), node)
    return None


def _without_item(case: Case, node: ast.Attribute) -> Fix | None:
    """``loss = y.sum().item()``: a number has no graph."""
    value = case.assignment(node.value.id) if isinstance(node.value, ast.Name) else node.value
    match value:
        case ast.Call(func=ast.Attribute(attr="item"), args=[]) as call:
            return case.fix(case.without_tail(call), case.statement(call))
        case ast.Call(func=ast.Name(id="float"), args=[inner]) as call:
            return case.fix(case.replace(call, case.text(inner)), case.statement(call))
    return None


def _element(case: Case, node: ast.Attribute) -> Fix | None:
    """The tensor inside of a tuple: the values of ``max(dim=...)``, the one gradient of ``grad``."""
    owner = _owner(case, node)
    if not isinstance(owner, tuple | list):
        return None
    tensors = [part for part in owner if isinstance(part, Tensor)]
    if not tensors or not _has(tensors[0], node.attr):
        return None
    if isinstance(owner, tuple) and isinstance(getattr(owner, "values", None), Tensor):
        return case.fix(case.followed(node.value, ".values"), case.parents.get(node))
    return case.fix(case.followed(node.value, "[0]"), case.parents.get(node)) if len(owner) == 1 else None


def _has(value: object, name: str) -> bool:
    return name in set(gate.readable_names(value))


def _method(case: Case, node: ast.Attribute) -> Fix | None:
    """``x.sum.backward()``: the method before the dot is not called."""
    is_method = case.details.get("type") in ("method", "builtin_function_or_method", "function")
    if is_method and isinstance(node.value, ast.Attribute) and hasattr(Tensor, node.attr):
        return case.fix(case.after(node.value, "()"), case.parents.get(node))
    made = case.assignment(node.value.id) if is_method and isinstance(node.value, ast.Name) else None
    if isinstance(made, ast.Attribute) and hasattr(Tensor, node.attr):
        return case.fix(case.after(made, "()"), case.statement(made))
    return _loss_of_class(case, node)


def _loss_of_class(case: Case, node: ast.Attribute) -> Fix | None:
    """``nn.MSELoss(x, y)``: the loss is made first and then applied, ``nn.MSELoss()(x, y)``."""
    made = case.assignment(node.value.id) if isinstance(node.value, ast.Name) else node.value
    if not isinstance(_owner(case, node), Layer) or not hasattr(Tensor, node.attr) or not isinstance(made, ast.Call):
        return None
    kind = case.assignment(made.func.id) if isinstance(made.func, ast.Name) else None
    if isinstance(kind, ast.Attribute | ast.Name):
        return case.fix(case.after(kind, "()"), case.statement(kind))
    return case.fix(case.after(made.func, "()"), made) if len(made.args) >= 2 else None


def _alike(case: Case, node: ast.Attribute) -> Fix | None:
    owner = _owner(case, node)
    names = [*gate.readable_names(owner)]
    held = getattr(owner, "__dict__", None)
    if isinstance(held, dict):
        parts = (held, held.get("_parameters"), held.get("_modules"), held.get("_buffers"))
        names += [name for part in parts if isinstance(part, dict) for name in part if not name.startswith("_")]
    renamed = _RENAMED.get(node.attr)
    if renamed and renamed in names:
        parent = case.parents.get(node)
        return case.fix(case.rename_end(node, node.attr, renamed), parent if isinstance(parent, ast.Call) else node)
    return None if renamed == "" else closest_attribute(case, node, node.attr, names)
