"""Where the array of NumPy was made floats that a tensor was made of: the record of a run knows tensors alone."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Final

from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.flow import Flow, returned

_HANDING_ON: Final = frozenset({"from_numpy", "tensor", "as_tensor", "asarray", "FloatTensor", "Tensor"})
_FLOATS: Final = re.compile(r"float|double|astype|FloatTensor|torch\.Tensor")
_BY_ITSELF: Final = frozenset({"zeros", "ones", "empty"})
_MOST: Final = 8


def array_source(case: Case, node: ast.expr) -> ast.expr | None:
    """The expression that says that a tensor's numbers are floats, where its array came out of a function of the program."""
    current: ast.expr | None = node
    went_out = False
    for _ in range(_MOST):
        if isinstance(current, ast.Name):
            current = _given(case, current)
            went_out = went_out or current is not None
        elif isinstance(current, ast.Subscript):
            current = current.value
        elif isinstance(current, ast.Attribute):
            kept = definition(case, current)
            current = kept if kept is not current else None
        elif (
            isinstance(current, ast.Call)
            and called(current) in _HANDING_ON
            and not _FLOATS.search(_head(case, current))
        ):
            current = current.args[0] if current.args else None
        else:
            break
    if not went_out or not isinstance(current, ast.Call) or current is node:
        return None
    return current if _makes_floats(case, current) and _is_of_numpy(case, current) else None


def _makes_floats(case: Case, call: ast.Call) -> bool:
    """Whether a call says that it gives floats, or makes an array of which NumPy makes floats by itself."""
    alone = called(call) in _BY_ITSELF and not any(one.arg == "dtype" for one in call.keywords) and len(call.args) == 1
    return alone or _FLOATS.search(_head(case, call)) is not None


def _head(case: Case, call: ast.Call) -> str:
    """What is called, and what it is told of the dtype."""
    told = [case.text(one.value) for one in call.keywords if one.arg == "dtype"]
    return " ".join([case.text(call.func), *told, *map(case.text, call.args[1:])])


def _is_of_numpy(case: Case, call: ast.Call) -> bool:
    names = [case.module_alias("numpy") or "numpy", "astype"]
    return any(name in case.text(call) for name in names)


def _given(case: Case, name: ast.Name) -> ast.expr | None:
    """What a name stands for: of several that are given values together the element of this one."""
    source = next((one for one in Flow(case).assigned(name, name.id) if not _fills(case, one)), None)
    for one in case.nodes(ast.Assign):
        match one:
            case ast.Assign(targets=[ast.Tuple(elts=parts)], value=value) if value is source:
                at = [case.text(part) for part in parts].index(name.id) if name.id in map(case.text, parts) else -1
                return _element(case, value, at, len(parts)) if at >= 0 else None
    return source


def _fills(case: Case, value: ast.expr) -> bool:
    """Whether a value is put into an array that there is already: ``rows[:, 0] = kinds``."""
    parent = case.parents.get(value)
    return isinstance(parent, ast.Assign) and all(isinstance(one, ast.Subscript) for one in parent.targets)


def _element(case: Case, value: ast.expr, at: int, count: int) -> ast.expr | None:
    """One of the elements that an expression gives in their order."""
    match value:
        case ast.Tuple(elts=parts) | ast.List(elts=parts) if len(parts) == count:
            return parts[at]
        case ast.GeneratorExp(elt=each, generators=[loop]) | ast.ListComp(elt=each, generators=[loop]):
            given = each.args[0] if isinstance(each, ast.Call) and each.args else None
            given = given.value if isinstance(given, ast.Subscript) else given
            same = given is not None and case.text(given) == case.text(loop.target)
            handed = isinstance(each, ast.Call) and called(each) in _HANDING_ON
            return _element(case, loop.iter, at, count) if same and handed else None
        case ast.Call(func=ast.Name(id="map"), args=[function, source]):
            named = str(getattr(function, "attr", getattr(function, "id", "")))
            return _element(case, source, at, count) if named in _HANDING_ON else None
        case ast.Call(func=ast.Name(id="tuple" | "list"), args=[inner]):
            return _element(case, inner, at, count)
        case ast.Call():
            return _returned(case, value, at, count)
    return None


def _returned(case: Case, call: ast.Call, at: int, count: int) -> ast.expr | None:
    results: Sequence[ast.expr] = [one for function in Flow(case).called(call) for one in returned(function)]
    known = len(results) == 1 and isinstance(results[0], ast.Tuple | ast.ListComp | ast.GeneratorExp | ast.Call)
    own = known and not (isinstance(results[0], ast.Call) and called(results[0]) not in ("tuple", "list"))
    return _element(case, results[0], at, count) if own else None
