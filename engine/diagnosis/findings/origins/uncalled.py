"""Classes that were handed on in the place of their objects: the line that handed them on."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, returned
from gradflow.engine.errors.language import mistakes, python
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.tensor import Tensor

_MOST: Final = 6


CLASS_FOR_OBJECT: Final = (
    errors.NO_ATTRIBUTE,
    python.ATTRIBUTE,
    mistakes.OPERAND_TYPES,
    errors.ARGUMENT_TYPE,
    errors.BOOL_AMBIGUOUS,
    errors.INVALID_COMBINATION,
)
"""How a class fails that is called with tensors in the place of its object."""


@finds(*CLASS_FOR_OBJECT)
def _class_handed_on(case: Case) -> Finding | None:
    """``return net, nn.CrossEntropyLoss``, ``fit(net, nn.MSELoss)``, and what was handed on is called with tensors."""
    for call in case.nodes(ast.Call):
        kind = case.value(call.func)
        if not isinstance(kind, type) or not issubclass(kind, Layer) or call.lineno > case.span.line or not call.args:
            continue
        if isinstance(call.func, ast.Name) and isinstance(case.assignment(call.func.id), ast.Name | ast.Attribute):
            continue  # it was not handed on
        given = handed_on(case, call.func)
        if given is None or not all(isinstance(Flow(case).tensor(one), Tensor) for one in call.args):
            continue
        text, name = f"{case.text(given)}()", kind.__name__
        return finding(
            case,
            f"{code(case, given)} on line {line(given)} hands on the class `{name}` itself, so {code(case, call)} on line {line(call)} makes a layer and takes the"
            f" tensors for its settings. Make the layer where it is handed on: `{text}`.",
            f"第 {line(given)} 行的 {code(case, given)} 传出的是类 `{name}` 本身，所以第 {line(call)} 行的 {code(case, call)} 是在创建层，把张量当成了它的设置。请在传出的地方创建"
            f"层：`{text}`。",
            case.fix(case.after(given, "()"), given),
            given,
        )
    return None


def handed_on(case: Case, used: ast.expr) -> ast.expr | None:
    """The expression in another function, or in a call, that gave what is called here."""
    node, handed = used, False
    for _ in range(_MOST):
        match node:
            case ast.Name():
                given = _one_of(case, node)
            case ast.Attribute(value=ast.Name(id="self"), attr=attr):
                given = _kept(case, attr)
            case ast.Subscript(value=ast.Name() as owner, slice=ast.Constant(value=key)) if node is used:
                return _entry(case, owner, key)
            case ast.Call():
                given = _result(case, node, None)
            case _:
                given = None
        if given is None:
            break
        node, handed = given, True
    return node if handed and isinstance(node, ast.Name | ast.Attribute | ast.Subscript) else None


def _one_of(case: Case, name: ast.Name) -> ast.expr | None:
    """What a name was given, if that is one thing; of several results the one of its place."""
    found = list(Flow(case).assigned(name, name.id))
    if len(found) != 1:
        return None
    if isinstance(found[0], ast.Call):
        target = next((one for one in case.nodes(ast.Assign) if one.value is found[0]), None)
        if target is not None and isinstance(target.targets[0], ast.Tuple):
            names = [getattr(one, "id", None) for one in target.targets[0].elts]
            return _result(case, found[0], names.index(name.id)) if name.id in names else None
    return found[0]


def _result(case: Case, call: ast.Call, at: int | None) -> ast.expr | None:
    """What a function of the program gives back, or one of its several results."""
    functions = Flow(case).called(call)
    results = returned(functions[0]) if len(functions) == 1 else []
    if len(results) != 1:
        return None
    match results[0]:
        case ast.Tuple(elts=parts) if at is not None and at < len(parts):
            return parts[at]
        case ast.Tuple():
            return None
    return results[0] if at is None else None


def _kept(case: Case, attr: str) -> ast.expr | None:
    found = [
        one.value
        for one in case.nodes(ast.Assign)
        if any(isinstance(part, ast.Attribute) and ast.unparse(part) == f"self.{attr}" for part in one.targets)
    ]
    return found[0] if len(found) == 1 else None


def _entry(case: Case, owner: ast.Name, key: object) -> ast.expr | None:
    """The value that a dictionary which is written out has for a key."""
    node: ast.expr | None = owner
    for _ in range(_MOST):
        if not isinstance(node, ast.Name):
            break
        node = _one_of(case, node)
    if not isinstance(node, ast.Dict):
        return None
    values = [
        value
        for one, value in zip(node.keys, node.values, strict=True)
        if isinstance(one, ast.Constant) and one.value == key
    ]
    return values[0] if len(values) == 1 and isinstance(values[0], ast.Name | ast.Attribute) else None
