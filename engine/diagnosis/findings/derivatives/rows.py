"""The rows of one output differentiated one by one, in a loop: the first turn frees the graph that all of them share."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Fix

_LOOPS = (ast.For, ast.While, ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)
_TRAINING = ("step", "no_grad")


@finds(errors.BACKWARD_TWICE)
def _row_by_row(case: Case) -> Finding | None:
    """``for i in range(3): rows.append(torch.autograd.grad(y[i], x)[0])``."""
    call = case.find(ast.Call)
    if call is None or called(call) not in ("backward", "grad") or not _is_same_pass(case, call):
        return None
    loop = _loop(case, call)
    output = _output(case, call)
    if loop is None or output is None or _trains(loop):
        return None
    whole = _whole(case, output, loop)
    if whole is None:
        return None
    kept = next((one for one in call.keywords if one.arg == "retain_graph"), None)
    if kept is not None and not (isinstance(kept.value, ast.Constant) and not kept.value.value):
        return None
    made = next(iter(Flow(case).assigned(whole, whole.id)), None)
    where, where_zh = (f" (line {line(made)})", f"（第 {line(made)} 行）") if made is not None else ("", "")
    at_once, at_once_zh = _at_once(case, call, made)
    parts = code(case, output)
    return finding(
        case,
        f"Every turn of the loop on line {line(loop)} differentiates another part of `{whole.id}`{where}, and all of them share one graph:"
        f" {code(case, call)} on line {line(call)} frees it in the first turn, and {parts} of the next one needs it again. Keep it in every turn with"
        f" `retain_graph=True`{at_once}.",
        f"第 {line(loop)} 行的循环每一轮都对 `{whole.id}`{where_zh}的另一部分求导，而它们共用一张计算图：第 {line(call)} 行的 {code(case, call)} 在第一轮就把它释放了，"
        f"下一轮的 {parts} 还要用到它。请在每一轮用 `retain_graph=True` 保留它{at_once_zh}。",
        _keeping(case, call, kept),
        call,
    )


def _keeping(case: Case, call: ast.Call, kept: ast.keyword | None) -> Fix | None:
    edits = case.argument(call, "retain_graph=True") if kept is None else case.replace(kept.value, "True")
    return case.fix(edits, call)


def _is_same_pass(case: Case, call: ast.Call) -> bool:
    """Whether it was this call, too, that went through the graph first."""
    return case.context.related is None or case.find(ast.Call, case.context.related) is call


def _output(case: Case, call: ast.Call) -> ast.expr | None:
    """What is differentiated: of an output with its weights the weights count too."""
    if (
        called(call) == "backward"
        and isinstance(call.func, ast.Attribute)
        and not case.text(call.func).startswith("torch.")
    ):
        return call.func.value
    return argument_of(call, 0, "tensors" if called(call) == "backward" else "outputs")


def _trains(loop: ast.AST) -> bool:
    """Whether a turn changes the weights: the graph of the turn before would be that of the old ones."""
    return any(
        called(one) in _TRAINING
        if isinstance(one, ast.Call)
        else isinstance(one, ast.Attribute) and one.attr == "data" and "grad" not in ast.unparse(one)
        for one in ast.walk(loop)
    )


def _loop(case: Case, call: ast.Call) -> ast.AST | None:
    """The innermost loop around a call, or around the one call of the function that it stands in."""
    node: ast.AST = call
    for _ in range(3):
        current = case.parents.get(node)
        while current is not None and not isinstance(current, (*_LOOPS, ast.FunctionDef, ast.Lambda)):
            current = case.parents.get(current)
        if current is None or isinstance(current, _LOOPS):
            return current
        uses = [one for one in case.nodes(ast.Call) if current in Flow(case).called(one)]
        if len(uses) != 1:
            return None
        node = uses[0]
    return None


def _whole(case: Case, output: ast.expr, loop: ast.AST) -> ast.Name | None:
    """The tensor with a graph, made before the loop, of which each turn takes another part: by an index, or one after the other."""
    flow = Flow(case)
    turning = _turning(loop)
    for node in flow.behind(output):
        match node:
            case ast.Subscript(value=ast.Name() as whole) if _is_whole(flow, whole, turning):
                return whole if _depends(node.slice, turning, loop) else None
            case ast.Name() if node.id in turning and isinstance(loop, ast.For | ast.ListComp | ast.GeneratorExp):
                sources = [loop.iter] if isinstance(loop, ast.For) else [one.iter for one in loop.generators]
                found = [one for source in sources for one in _passed(source) if _is_whole(flow, one, turning)]
                if found:
                    return found[0]
    call = case.find(ast.Call)
    weights = argument_of(call, 2, "grad_outputs") if call is not None and called(call) == "grad" else None
    if weights is not None and isinstance(output, ast.Name) and _is_whole(flow, output, turning):
        return output if _depends(weights, turning, loop) else None
    return None


def _passed(source: ast.expr) -> Iterator[ast.Name]:
    """What a loop goes through, also within ``enumerate``, ``zip`` and ``unbind``."""
    match source:
        case ast.Name():
            yield source
        case ast.Call(func=ast.Name(id="enumerate" | "zip" | "reversed" | "tuple" | "list"), args=args):
            yield from (one for each in args for one in _passed(each))
        case ast.Call(
            func=ast.Attribute(
                value=value, attr="unbind" | "flatten" | "view" | "reshape" | "ravel" | "split" | "chunk"
            )
        ):
            yield from _passed(value)


def _turning(loop: ast.AST) -> set[str]:
    """The names that get another value in every turn."""
    return {one.id for one in ast.walk(loop) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}


def _depends(node: ast.AST, turning: set[str], loop: ast.AST) -> bool:
    """Whether an index is another one in every turn; that of a function called in the loop is its argument."""
    names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    return bool(names & turning) or bool(names and node not in set(ast.walk(loop)))


def _is_whole(flow: Flow, node: ast.Name, turning: set[str]) -> bool:
    """Whether a name stands for a tensor with a graph that no turn makes anew."""
    if node.id in turning:
        return False
    held = flow.case.values.get(node.id)
    tensor = held if isinstance(held, Tensor) else flow.tensor(node)
    return isinstance(tensor, Tensor) and tensor.grad_fn is not None


def _at_once(case: Case, call: ast.Call, made: ast.expr | None) -> tuple[str, str]:
    """All rows by one call, where a function of the program gives them of what they are differentiated for."""
    wanted = argument_of(call, 1, "inputs") if called(call) == "grad" else None
    match made:
        case ast.Call(func=ast.Name(id=name), args=[given], keywords=[]) if wanted is not None:
            if case.text(given) == case.text(wanted).strip("[]()") and Flow(case).called(made):
                text = f"`torch.autograd.functional.jacobian({name}, {case.text(given)})`"
                return f", or let {text} compute all rows", f"，或者用 {text} 一次算出所有行"
    return "", ""
