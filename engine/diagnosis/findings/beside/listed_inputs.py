"""Gradients of the tensors of one list, one of which the output was not computed from: which one that is, and where it is left over."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.causes.unused_parameters import model_of, tensors_of
from gradflow.engine.diagnosis.findings.words import code, finding, line, on_line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.namespace.optim.optimizer import Optimizer
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.tensor import Tensor

_CUTS: Final = ("detach", "data", "item", "numpy", "tolist", "apply")


@finds(errors.UNUSED_INPUT)
def _of_list(case: Case) -> Finding | None:
    """``torch.autograd.grad(loss, params)``, and a function that takes ``w, b, scale = params`` apart and never uses ``scale``."""
    call, index = case.find(ast.Call), case.details.get("index")
    output = argument_of(call, 0, "outputs") if call is not None else None
    wanted = argument_of(call, 1, "inputs") if call is not None else None
    if call is None or output is None or wanted is None or not isinstance(index, int):
        return None
    tensors = None if isinstance(wanted, ast.Tuple | ast.List) else tensors_of(case, wanted)
    if tensors is None or not 0 <= index < len(tensors) or model_of(case, tensors[index]) is not None:
        return None
    element = _element(case, wanted, index)
    if element is None:
        return None
    name, made = _born(case, tensors[index])
    apart = next(_taken_apart(case, output, element[0], len(tensors), index), None)
    trained = is_trained(case, call, tensors[index])
    if apart is None and (_is_cut(case, output) or (not trained and case.values.get(name) is tensors[index])):
        return None  # others say more of these
    return _told(case, (call, output), (index, element[1], name, made), apart, trained)


def _element(case: Case, wanted: ast.expr, index: int) -> tuple[ast.expr, str] | None:
    """The list or the dictionary of the inputs, and how one of them is read from it."""
    match wanted:
        case ast.Name() | ast.Attribute():
            return wanted, f"{case.text(wanted)}[{index}]"
        case ast.Call(func=ast.Name(id="list" | "tuple"), args=[inner]):
            return _element(case, inner, index)
        case ast.Call(func=ast.Attribute(value=owner, attr="values"), args=[]):
            held = case.value(owner)
            key = list(held)[index] if type(held) is dict and index < len(held) else None
            return (owner, f'{case.text(owner)}["{key}"]') if type(key) is str else None
    return None


def _born(case: Case, tensor: Tensor) -> tuple[str, ast.expr | None]:
    """The name that a tensor was given where it was made, and the place."""
    entry = tensor._entry
    made = case.at(ast.expr, entry.first.place) if entry is not None else None
    statement = case.parents.get(made) if made is not None else None
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name, made
    return "", made


def _taken_apart(case: Case, output: ast.expr, listed: ast.expr, count: int, index: int) -> Iterator[ast.Name]:
    """The variable that a function on the way to the output gives an input to, if it never reads that."""
    flow = Flow(case)
    functions = [
        function
        for one in flow.behind(output)
        if isinstance(one, ast.Call) and any(case.text(given) == case.text(listed) for given in _given(one))
        for function in flow.called(one)
        if isinstance(function, ast.FunctionDef)
    ]
    for scope in functions:
        for one in (each for each in ast.walk(scope) if isinstance(each, ast.Assign)):
            target = one.targets[0]
            if (
                not isinstance(target, ast.Tuple | ast.List)
                or len(target.elts) != count
                or not isinstance(one.value, ast.Name)
            ):
                continue
            part = target.elts[index]
            if isinstance(part, ast.Name) and one.value.id in _parameters(scope) and not _is_read(scope, part.id):
                yield part


def _is_cut(case: Case, output: ast.expr) -> bool:
    """Whether something on the way to the output may have left the graph."""
    return any(
        isinstance(one, ast.Attribute) and one.attr in _CUTS
        for each in Flow(case).behind(output)
        for one in (each, getattr(each, "func", None))
    )


def _given(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(one.value for one in call.keywords)]


def _parameters(function: ast.FunctionDef) -> set[str]:
    return {one.arg for one in ast.walk(function.args) if isinstance(one, ast.arg)}


def _is_read(scope: ast.AST, name: str) -> bool:
    return any(
        isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Load) for one in ast.walk(scope)
    )


def is_trained(case: Case, call: ast.Call, tensor: object) -> bool:
    """Whether an input is to be trained: an optimizer holds it, or its gradient is gone through together with the inputs."""
    held = [one for value in case.values.values() if isinstance(value, Optimizer) for one in value.param_groups]
    if any(one is tensor for group in held for one in group["params"]):
        return True
    match case.parents.get(call):
        case ast.Assign(targets=[ast.Name(id=gradients)]):
            pairs = [one for one in case.nodes(ast.Call) if called(one) == "zip"]
            return any(isinstance(each, ast.Name) and each.id == gradients for one in pairs for each in one.args)
    return False


def _told(
    case: Case,
    ends: tuple[ast.Call, ast.expr],
    lost: tuple[int, str, str, ast.expr | None],
    apart: ast.Name | None,
    trained: bool,
) -> Finding:
    (call, output), (index, element, name, made) = ends, lost
    where, where_zh = on_line(made)
    born = (f", made as `{name}`{where}", f"，创建时名为 `{name}`{where_zh}") if name else (where, where_zh)
    said, shown = code(case, output), apart.id if apart is not None else name
    function = Flow(case).scope(apart) if apart is not None else None
    if isinstance(function, ast.FunctionDef) and apart is not None:
        why = f"`{function.name}` takes it on line {line(apart)} as `{apart.id}` and never uses that, so {said} was not computed from it. Use `{shown}` there"
        why_zh = f"`{function.name}` 在第 {line(apart)} 行把它取出为 `{apart.id}`，之后从未使用，所以 {said} 不是由它算出来的。请在那里使用 `{shown}`"
    else:
        why = f"{said} was not computed from it. Use it on the way to {said}"
        why_zh = f"{said} 不是由它算出来的。请在通往 {said} 的计算中使用它"
    rest = (
        (", which gives `None` for it and leaves it untrained", "，这时它得到的是 `None`，也不会被训练")
        if trained
        else (", which gives `None` for it", "，这时它得到的是 `None`")
    )
    return finding(
        case,
        f"The input number {index}, `{element}`{born[0]}, is not used: {why}, or leave it out of the inputs; if it is meant to be unused, write"
        f" `allow_unused=True`{rest[0]}.",
        f"编号 {index} 的输入 `{element}`{born[1]}，没有用到：{why_zh}，或者不要把它列入；如果本来就不用它，请写 `allow_unused=True`{rest[1]}。",
        () if trained else case.fix(case.argument(call, "allow_unused=True"), call),
        apart or made,
    )
