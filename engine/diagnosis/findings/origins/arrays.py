"""Where the array of NumPy was made floats that a tensor was made of: the record of a run knows tensors alone."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Final

from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.flow import Flow, returned

_HANDING_ON: Final = frozenset({"from_numpy", "tensor", "as_tensor", "asarray", "FloatTensor", "Tensor"})
_FLOATS: Final = re.compile(r"float|double|astype|FloatTensor|torch\.Tensor")
_MOST: Final = 8


def array_source(case: Case, node: ast.expr) -> ast.expr | None:
    """The expression that says that a tensor's numbers are floats, where its array came out of a function of the program."""
    current: ast.expr | None = node
    went_out = False
    for _ in range(_MOST):
        if isinstance(current, ast.Name):
            current = _given(case, current)
            went_out = went_out or current is not None
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
    return current if _FLOATS.search(_head(case, current)) and _is_of_numpy(case, current) else None


def _head(case: Case, call: ast.Call) -> str:
    """What is called, and what it is told of the dtype."""
    told = [case.text(one.value) for one in call.keywords if one.arg == "dtype"]
    return " ".join([case.text(call.func), *told, *map(case.text, call.args[1:])])


def _is_of_numpy(case: Case, call: ast.Call) -> bool:
    names = [case.module_alias("numpy") or "numpy", "astype"]
    return any(name in case.text(call) for name in names)


def _given(case: Case, name: ast.Name) -> ast.expr | None:
    """What a name stands for: of several that are given values together the element of this one."""
    source = next(iter(Flow(case).assigned(name, name.id)), None)
    for one in case.nodes(ast.Assign):
        match one:
            case ast.Assign(targets=[ast.Tuple(elts=parts)], value=value) if value is source:
                at = [case.text(part) for part in parts].index(name.id) if name.id in map(case.text, parts) else -1
                return _element(case, value, at, len(parts)) if at >= 0 else None
    return source


def _element(case: Case, value: ast.expr, at: int, count: int) -> ast.expr | None:
    """One of the elements that an expression gives in their order."""
    match value:
        case ast.Tuple(elts=parts) | ast.List(elts=parts) if len(parts) == count:
            return parts[at]
        case ast.GeneratorExp(elt=each, generators=[loop]) | ast.ListComp(elt=each, generators=[loop]):
            same = isinstance(each, ast.Call) and [case.text(one) for one in each.args[:1]] == [case.text(loop.target)]
            handed = isinstance(each, ast.Call) and called(each) in _HANDING_ON
            return _element(case, loop.iter, at, count) if same and handed else None
        case ast.Call(func=ast.Name(id="map"), args=[function, source]):
            named = str(getattr(function, "attr", getattr(function, "id", "")))
            return _element(case, source, at, count) if named in _HANDING_ON else None
        case ast.Call():
            return _returned(case, value, at, count)
    return None


def _returned(case: Case, call: ast.Call, at: int, count: int) -> ast.expr | None:
    results: Sequence[ast.expr] = [one for function in Flow(case).called(call) for one in returned(function)]
    return _element(case, results[0], at, count) if len(results) == 1 and isinstance(results[0], ast.Tuple) else None
