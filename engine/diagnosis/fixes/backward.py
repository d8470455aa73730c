"""Fixes of backward passes: the gradient argument, kept graphs."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called, is_simple, start_of
from gradflow.engine.diagnosis.fixers import fixes
from gradflow.engine.diagnosis.fixes.transposed import is_turned, turning
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Edit, Fix


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


def gradient_of(call: ast.Call) -> ast.expr | None:
    """The gradient argument that a call gives."""
    if not _is_function(call):
        return argument_of(call, 0, "gradient")
    is_grad = (call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")) == "grad"
    return argument_of(call, 2, "grad_outputs") if is_grad else argument_of(call, 1, "grad_tensors")


def _set_gradient(case: Case, call: ast.Call, text: str) -> list[Edit]:
    given = gradient_of(call)
    if given is not None:
        return case.replace(given, text)
    if not _is_function(call):
        if call.args or call.keywords:
            given_arguments: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
            return case.before(min(given_arguments, key=start_of), f"{text}, ")
        return case.argument(call, text)
    named = "grad_outputs" if called(call) == "grad" else "grad_tensors"
    return case.argument(call, f"{named}={text}")


@fixes(errors.NONSCALAR_BACKWARD)
def ones_like(case: Case) -> Fix | None:
    """A gradient of ones for what is differentiated."""
    call = case.find(ast.Call)
    output = call and _output_of(call)
    if call is None or output is None:
        return None
    if isinstance(output, ast.List | ast.Tuple):
        return _ones_for_each(case, call, output)
    if not is_simple(output):
        return case.fix(case.followed(output, ".sum()"), call)
    torch, imports = case.with_torch()
    return case.fix([*_set_gradient(case, call, f"{torch}.ones_like({case.text(output)})"), *imports], call)


def _ones_for_each(case: Case, call: ast.Call, outputs: ast.List | ast.Tuple) -> Fix | None:
    """One gradient for each output that is listed."""
    given = gradient_of(call)
    if not all(map(is_simple, outputs.elts)) or not (given is None or case.value(given) is None):
        return None
    torch, imports = case.with_torch()
    ones = ", ".join(f"{torch}.ones_like({case.text(output)})" for output in outputs.elts)
    return case.fix([*_set_gradient(case, call, f"[{ones}]"), *imports], call)


@fixes(errors.GRADIENT_SHAPE)
def _fitting_gradient(case: Case) -> Fix | None:
    call = case.find(ast.Call)
    output, given = (call and _output_of(call)), (call and gradient_of(call))
    if call is None or output is None or given is None or not is_simple(output):
        return None
    old, new = case.details.get("grad_shape"), case.details.get("output_shape")
    if not isinstance(old, Sequence) or not isinstance(new, Sequence):
        return None
    if isinstance(given, ast.List | ast.Tuple):
        return None
    name = case.text(output)
    if is_turned(old, new):
        return case.fix(case.followed(given, turning(old, new)), call) if turning(old, new) else None
    if _count(old) == _count(new):
        return case.fix(case.followed(given, f".reshape({name}.shape)"), call)
    if _expands(old, new):
        return case.fix(case.followed(given, f".expand_as({name})"), call)
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
    output, given = (call and _output_of(call)), (call and gradient_of(call))
    if call is None or output is None or given is None or case.details.get("type") == "str":
        return None
    if isinstance(output, ast.List | ast.Tuple):
        return _tensors_for_each(case, call, output, given)
    made, imports = _as_gradient(case, output, given)
    return case.fix([*case.replace(given, made), *imports], call) if made else None


def _as_gradient(case: Case, output: ast.expr, given: ast.expr) -> tuple[str, list[Edit]]:
    """A gradient written as numbers, as the tensor of the output's shape that it must mean; "" where it fits none."""
    torch, imports = case.with_torch()
    text, target = case.text(given), case.value(output)
    if not isinstance(given, ast.List | ast.Tuple):
        whole = isinstance(given, ast.Constant | ast.UnaryOp | ast.BinOp | ast.Name)
        known = is_simple(output) and whole
        return (f"{torch}.full_like({case.text(output)}, {text})", imports) if known else ("", [])
    literal = _literal_shape(given)
    if literal is None or not isinstance(target, Tensor) or target.numel() != _count(literal):
        return "", []
    shape = tuple(target.shape)
    made = f"{torch}.tensor({text})"
    return (made if shape == literal else f"{made}.reshape({_as_tuple(shape)})"), imports


def _tensors_for_each(case: Case, call: ast.Call, outputs: ast.List | ast.Tuple, given: ast.expr) -> Fix | None:
    if not isinstance(given, ast.List | ast.Tuple) or len(given.elts) != len(outputs.elts):
        return None
    edits: list[Edit] = []
    for output, gradient in zip(outputs.elts, given.elts, strict=True):
        if isinstance(gradient, ast.List | ast.Tuple | ast.Constant) and case.value(gradient) is not None:
            made, imports = _as_gradient(case, output, gradient)
            if not made:
                return None
            edits = [*edits, *case.replace(gradient, made), *(imports if not edits else [])]
    return case.fix(edits, call)


def _literal_shape(node: ast.expr) -> tuple[int, ...] | None:
    """The shape of nested lists of numbers as they are written."""
    if not isinstance(node, ast.List | ast.Tuple):
        return ()
    parts = {_literal_shape(part) for part in node.elts}
    first = next(iter(parts)) if len(parts) == 1 else None
    return None if first is None else (len(node.elts), *first)


def _as_tuple(shape: Sequence[int]) -> str:
    return ", ".join(map(str, shape)) if shape else "()"


@fixes(errors.GRADIENT_COMPLEX)
def _dtype_of_output(case: Case) -> Fix | None:
    call = case.find(ast.Call)
    output, given = (call and _output_of(call)), (call and gradient_of(call))
    if call is None or output is None or given is None or not is_simple(output):
        return None
    return case.fix(case.followed(given, f".to({case.operand(output)}.dtype)"), call)


@fixes(errors.GRADIENT_TWICE)
def _one_name(case: Case) -> Fix | None:
    call = case.find(ast.Call)
    old = next((keyword for keyword in call.keywords if keyword.arg == "grad_variables"), None) if call else None
    return case.fix(case.without_argument(call, old), call) if call and old else None


@fixes(errors.BACKWARD_TWICE)
def _retain_graph(case: Case) -> Fix | None:
    first = case.find(ast.Call, case.context.related) if case.context.related else _earlier_backward(case)
    if first is None or _in_loop(case, first):
        return None
    for keyword in first.keywords:
        if keyword.arg == "retain_graph":
            return case.fix(case.replace(keyword.value, "True"), first)
    return case.fix(case.argument(first, "retain_graph=True"), first)


def _in_loop(case: Case, first: ast.Call) -> bool:
    """Whether the same statement is run again: keeping the graph would only put the error off, and every turn be slower."""
    loop = case.enclosing(first, ast.For)
    if loop is not None:
        turns = {one.id for one in ast.walk(loop.target) if isinstance(one, ast.Name)}
        if any(isinstance(one, ast.Name) and one.id in turns for one in ast.walk(first)):
            return False  # another part of one output in every turn
    return first is case.find(ast.Call) and (loop is not None or case.enclosing(first, ast.While) is not None)


def _earlier_backward(case: Case) -> ast.Call | None:
    """The call that failed, if it is in a loop; else the nearest one before it on the same tensor."""
    failed = case.find(ast.Call)
    output = failed and _output_of(failed)
    if failed is None or output is None:
        return None
    calls = [
        node
        for node in case.program.nodes
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
