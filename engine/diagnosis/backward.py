"""Fixes of backward passes: the gradient argument, kept graphs."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from engine import errors
from engine.diagnosis.case import Case, is_simple, start_of
from engine.diagnosis.registry import fixes
from engine.positions import argument_of
from engine.trace import Edit, Fix


def _output_of(call: ast.Call) -> ast.expr | None:
    """The tensor that a call of ``c.backward()``, ``torch.autograd.backward(c)`` or ``grad(c, ...)`` differentiates."""
    if _is_function(call):
        return call.args[0] if call.args else None
    return call.func.value if isinstance(call.func, ast.Attribute) else None


def _is_function(call: ast.Call) -> bool:
    match call.func:
        case ast.Name():
            return True
        case ast.Attribute(attr="grad"):
            return True
        case ast.Attribute(value=ast.Attribute(attr="autograd") | ast.Name(id="autograd")):
            return True
    return False


def _gradient_of(call: ast.Call) -> ast.expr | None:
    """The gradient argument that a call gives."""
    if not _is_function(call):
        return argument_of(call, 0, "gradient")
    is_grad = (call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")) == "grad"
    return argument_of(call, 2, "grad_outputs") if is_grad else argument_of(call, 1, "grad_tensors")


def _set_gradient(case: Case, call: ast.Call, text: str) -> list[Edit]:
    given = _gradient_of(call)
    if given is not None:
        return case.replace(given, text)
    if not _is_function(call):
        if call.args or call.keywords:
            given_arguments: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
            return case.before(min(given_arguments, key=start_of), f"{text}, ")
        return case.argument(call, text)
    named = "grad_outputs" if getattr(call.func, "attr", getattr(call.func, "id", "")) == "grad" else "grad_tensors"
    return case.argument(call, f"{named}={text}")


@fixes(errors.NONSCALAR_BACKWARD)
def _ones_like(case: Case) -> Fix | None:
    call = case.find(ast.Call)
    output = call and _output_of(call)
    if call is None or output is None or isinstance(output, ast.List | ast.Tuple):
        return None
    if not is_simple(output):
        return case.fix(case.after(output, ".sum()"), call) if isinstance(output, ast.Call) else None
    torch, imports = case.with_torch()
    return case.fix([*_set_gradient(case, call, f"{torch}.ones_like({case.text(output)})"), *imports], call)


@fixes(errors.GRADIENT_SHAPE)
def _fitting_gradient(case: Case) -> Fix | None:
    call = case.find(ast.Call)
    output, given = (call and _output_of(call)), (call and _gradient_of(call))
    if call is None or output is None or given is None or not is_simple(output):
        return None
    old, new = case.details.get("grad_shape"), case.details.get("output_shape")
    if not isinstance(old, Sequence) or not isinstance(new, Sequence):
        return None
    text, name = case.text(given), case.text(output)
    inner = text if isinstance(given, ast.Name | ast.Call | ast.Attribute | ast.Subscript) else f"({text})"
    if _count(old) == _count(new):
        return case.fix(case.replace(given, f"{inner}.reshape({name}.shape)"), call)
    if _expands(old, new):
        return case.fix(case.replace(given, f"{inner}.expand_as({name})"), call)
    torch, imports = case.with_torch()
    return case.fix([*case.replace(given, f"{torch}.ones_like({name})"), *imports], call)


def _count(shape: Sequence[int]) -> int:
    count = 1
    for size in shape:
        count *= size
    return count


def _expands(old: Sequence[int], new: Sequence[int]) -> bool:
    pairs = zip(reversed(old), reversed(new), strict=False)
    return len(old) <= len(new) and all(a in (1, b) for a, b in pairs)


@fixes(errors.GRADIENT_TYPE)
@fixes(errors.GRADIENT_NOT_ITERABLE)
def _gradient_tensor(case: Case) -> Fix | None:
    call = case.find(ast.Call)
    output, given = (call and _output_of(call)), (call and _gradient_of(call))
    if call is None or output is None or given is None or case.details.get("type") == "str":
        return None
    torch, imports = case.with_torch()
    text = case.text(given)
    if case.details.get("type") in ("int", "float") and not isinstance(given, ast.List | ast.Tuple):
        if not is_simple(output):
            return None
        return case.fix([*case.replace(given, f"{torch}.full_like({case.text(output)}, {text})"), *imports], call)
    return case.fix([*case.replace(given, f"{torch}.tensor({text})"), *imports], call)


@fixes(errors.BACKWARD_TWICE)
def _retain_graph(case: Case) -> Fix | None:
    first = case.find(ast.Call, case.context.related) if case.context.related else _earlier_backward(case)
    if first is None:
        return None
    for keyword in first.keywords:
        if keyword.arg == "retain_graph":
            return case.fix(case.replace(keyword.value, "True"), first)
    return case.fix(case.argument(first, "retain_graph=True"), first)


def _earlier_backward(case: Case) -> ast.Call | None:
    """The call that failed, if it is in a loop; else the nearest one before it on the same tensor."""
    failed = case.find(ast.Call)
    output = failed and _output_of(failed)
    if failed is None or output is None:
        return None
    calls = [
        node
        for node in ast.walk(case.program.tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("backward", "grad")
        and start_of(node) < start_of(failed)
    ]
    return max(calls, key=start_of, default=failed)


@fixes(errors.UNUSED_INPUT)
def _allow_unused(case: Case) -> Fix | None:
    call = case.find(ast.Call)
    return case.fix(case.argument(call, "allow_unused=True"), call) if call else None
