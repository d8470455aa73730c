"""Fixes of backward passes that nothing leads to: the flag of a leaf, or what cut the tensor off the graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, Origin, called
from gradflow.engine.diagnosis.fixers import fixes
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Fix, Text

_MAKERS: Final = frozenset(
    {"tensor", "ones", "zeros", "full", "rand", "randn", "linspace", "eye", "as_tensor", "arange"}
)
_TRAINED: Final = frozenset(
    {"w", "b", "weight", "weights", "bias", "theta", "param", "params", "alpha", "beta", "coef"}
)


@fixes(errors.NO_GRAD_FN)
def _led_to(case: Case) -> Fix | None:
    origins = list(case.context.origins())
    return _kept_graph(case, origins) or _uncut(case, origins) or _required(case, origins)


def _kept_graph(case: Case, origins: Sequence[Origin]) -> Fix | None:
    """A gradient is differentiated again: the pass that made it must build a graph."""
    call = next((call for origin in origins if (call := _pass_of(case, origin)) is not None), _inner_pass(case))
    if call is None:
        return None
    given = next((keyword for keyword in call.keywords if keyword.arg == "create_graph"), None)
    if given is not None and case.value(given.value) is True:
        return None
    edits = case.replace(given.value, "True") if given else case.argument(call, "create_graph=True")
    return case.fix(edits, call)


def _pass_of(case: Case, origin: Origin) -> ast.Call | None:
    """The call of ``backward`` or ``grad`` that gave a tensor."""
    if origin.backward is not None:
        return case.find(ast.Call, origin.backward)
    if origin.operation or not origin.names:
        return None
    made = case.assignment(origin.names[0], unpacked=True)
    while isinstance(made, ast.Subscript):
        made = made.value
    return made if isinstance(made, ast.Call) and called(made) == "grad" else None


def _inner_pass(case: Case) -> ast.Call | None:
    """``grad(grad(y, x)[0].sum(), x)``: the inner one."""
    outer = case.find(ast.Call)
    calls = [node for node in ast.walk(outer) if isinstance(node, ast.Call)] if outer else []
    return next((call for call in calls if call is not outer and called(call) == "grad"), None)


def _uncut(case: Case, origins: Sequence[Origin]) -> Fix | None:
    """Something between a leaf that requires grad and the output cuts the graph."""
    if not any(origin.requires_grad for origin in origins):
        return None
    for origin in origins:
        if not origin.requires_grad and origin.span is not None:
            fix = _without_detach(case, origin) or _with_grad(case, origin)
            if fix is not None:
                return fix
    return _enabled(case)


def _without_detach(case: Case, origin: Origin) -> Fix | None:
    node = case.find(ast.expr, origin.span)
    match node:
        case ast.Call(func=ast.Attribute(attr="detach"), args=[], keywords=[]) as call:
            return case.fix(case.without_tail(call), case.statement(call))
        case ast.Attribute(attr="data") as data:
            dot = case.dot_of(data)
            return case.fix([case.cut(dot)], case.statement(data)) if dot else None
    return None


def _with_grad(case: Case, origin: Origin) -> Fix | None:
    """What was computed under ``no_grad`` is computed with gradients again."""
    node: ast.AST | None = case.find(ast.expr, origin.span)
    while node is not None and (block := case.enclosing(node, ast.With)) is not None:
        for item in block.items:
            match item.context_expr:
                case ast.Call(func=ast.Attribute(attr="no_grad" | "inference_mode" as name) as method, args=[]) as call:
                    return case.fix(case.rename_end(method, name, "enable_grad"), call)
        node = case.enclosing(block, ast.With)
    node = case.find(ast.expr, origin.span)
    function = case.enclosing(node, ast.FunctionDef) if node is not None else None
    for decorator in function.decorator_list if function is not None else ():
        match decorator:
            case ast.Call(func=ast.Attribute(attr="no_grad" | "inference_mode" as name) as method, args=[]) as call:
                return case.fix(case.rename_end(method, name, "enable_grad"), call)
    return None


def _enabled(case: Case) -> Fix | None:
    """``torch.set_grad_enabled(False)`` somewhere before."""
    for call in case.nodes(ast.Call):
        match call:
            case ast.Call(func=ast.Attribute(attr="set_grad_enabled"), args=[ast.Constant(value=False) as off]):
                return case.fix(case.replace(off, "True"), call)
    return None


def _required(case: Case, origins: Sequence[Origin]) -> Fix | None:
    """The flag on the tensor that the output was computed from; on the one that is trained, where there are several."""
    calls = dict(_makers(case, origins))
    for call in calls:
        if called(call) in ("tensor", "as_tensor") and call.args and (fix := _of_tensors(case, call)):
            return fix
    trained = [call for call, names in calls.items() if _TRAINED.intersection(name.lower() for name in names)]
    chosen = trained or ([*calls] if len(calls) == 1 else [call for call, names in calls.items() if "x" in names])
    if not chosen:
        return None
    edits = [edit for call in chosen for edit in case.argument(call, "requires_grad=True")]
    names = ", ".join(f"`{name}`" for call in chosen for name in calls[call][:1])
    several = Text(f"`requires_grad=True` for {names}", f"给 {names} 加上 `requires_grad=True`")
    return case.fix(edits, chosen[0], several if len(chosen) > 1 else None)


def _makers(case: Case, origins: Sequence[Origin]) -> Iterator[tuple[ast.Call, Sequence[str]]]:
    """The calls that made the floating point leaves, where they have no flag yet."""
    for origin in origins:
        call = case.find(ast.Call, origin.span) if origin.span and origin.floating else None
        if call is not None and is_maker(call) and not origin.requires_grad:
            yield call, origin.names


def _of_tensors(case: Case, call: ast.Call) -> Fix | None:
    """``torch.tensor`` of what is a tensor already, or of several: it takes the numbers and leaves the graph behind."""
    data = call.args[0]
    match data:
        case ast.Call(func=ast.Attribute(value=inner, attr="item"), args=[]):
            return case.fix(case.replace(call, case.text(inner)), case.statement(call))
        case ast.List(elts=[first, *_] as parts) if all(isinstance(case.value(part), Tensor) for part in parts):
            function = "stack" if isinstance(value := case.value(first), Tensor) and not value.dim() else ""
            if function and isinstance(call.func, ast.Attribute):
                return case.fix(case.rename_end(call.func, call.func.attr, function), call)
    if isinstance(value := case.value(data), Tensor) and value.requires_grad:
        return case.fix(case.replace(call, case.text(data)), case.statement(call))
    return None


def is_maker(call: ast.Call) -> bool:
    """Whether a call makes a tensor and takes ``requires_grad``, which it does not have yet."""
    return called(call) in _MAKERS and not any(keyword.arg in ("requires_grad", None) for keyword in call.keywords)


@fixes(errors.HOOK_NO_GRAD)
@fixes(errors.RETAIN_GRAD_NO_GRAD)
def _subject_requires(case: Case) -> Fix | None:
    """The tensor that the error is about gets the flag where it is made, or is led to again."""
    return _flagged(case) or _uncut(case, list(case.context.origins()))


@fixes(errors.INPUT_NO_GRAD)
def _flagged(case: Case) -> Fix | None:
    """The tensor that the error is about gets the flag where it is made."""
    origin = next(iter(case.context.origins()), None)
    if origin is None or not origin.floating or origin.backward is not None:
        return None
    call = case.find(ast.Call, origin.span) if origin.span else None
    if call is not None and is_maker(call):
        return case.fix(case.argument(call, "requires_grad=True"), call)
    if not origin.operation and call is not None and not origin.requires_grad:
        return case.fix(case.after(call, ".requires_grad_()"), call)
    return None
