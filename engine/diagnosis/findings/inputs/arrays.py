"""A function of the program that works on NumPy arrays and is given a tensor, or on tensors and is given an array."""

from __future__ import annotations

import ast

import numpy as np

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.practice.handed_on import given_for
from gradflow.engine.diagnosis.findings.words import code, finding, line, on_line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, returned
from gradflow.engine.errors.language import mistakes, python
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.tensor import Tensor


@finds(errors.NO_ATTRIBUTE, python.ATTRIBUTE, mistakes.NOT_CALLABLE)
def _of_the_other_library(case: Case) -> Finding | None:
    """``preprocess(xb)`` with ``pixels.astype("float32")`` in it, of a batch that a loader made."""
    node = _method(case)
    value = case.details.get("value", case.value(node.value)) if node is not None else None
    function = case.enclosing(node, ast.FunctionDef) if node is not None else None
    if node is None or function is None or not isinstance(node.value, ast.Name):
        return None
    call = _outer_call(case)
    given = given_for(function, call, node.value.id) if call is not None else None
    if call is None or given is None or isinstance(given, ast.Constant):
        return None
    if isinstance(value, Tensor) and hasattr(np.ndarray, node.attr) and not hasattr(Tensor, node.attr):
        return _array_wanted(case, node, function, call, given) if _takes_arrays(case, function, given) else None
    if (
        isinstance(value, np.ndarray)
        and hasattr(Tensor, node.attr)
        and (node.attr == "size" or not hasattr(type(value), node.attr))
    ):
        return _tensor_wanted(case, node, function, call, given)
    return None


def _method(case: Case) -> ast.Attribute | None:
    """The attribute at the error; of an array's ``size``, which is a number and was called, this."""
    call = case.find(ast.Call)
    if call is not None and isinstance(call.func, ast.Attribute) and call.func.attr == "size":
        return call.func
    return case.find(ast.Attribute)


def _outer_call(case: Case) -> ast.Call | None:
    """The call of the program that runs the function of the error."""
    span = case.frames[-2].span if len(case.frames) > 1 else None
    return case.find(ast.Call, span) if span is not None else None


def _takes_arrays(case: Case, function: ast.FunctionDef, given: ast.expr) -> bool:
    """Whether a function was written for arrays: it is given one elsewhere, or what it is given here comes from a loader."""
    if _loader_of(case, given) is not None:
        return True
    for one in case.nodes(ast.Call):
        if called(one) == function.name and one.args and one.args[0] is not given:
            owner: ast.expr = one.args[0]
            while isinstance(owner, ast.Subscript):
                owner = owner.value
            if isinstance(case.value(owner), np.ndarray):
                return True
    return False


def _loader_of(case: Case, given: ast.expr) -> ast.For | None:
    """The loop over a loader whose batches are given."""
    for loop in case.nodes(ast.For):
        names = [one.id for one in ast.walk(loop.target) if isinstance(one, ast.Name)]
        behind = list(Flow(case).behind(loop.iter))
        made = any(isinstance(one, ast.Call) and called(one) == "DataLoader" for one in behind)
        if made and isinstance(given, ast.Name) and given.id in names:
            return loop
    return None


def _array_wanted(
    case: Case, node: ast.Attribute, function: ast.FunctionDef, call: ast.Call, given: ast.expr
) -> Finding:
    loop = _loader_of(case, given)
    whose = f", a tensor from the loader (line {line(loop)})" if loop is not None else ", a tensor"
    whose_zh = f"，这是加载器（第 {line(loop)} 行）给出的张量" if loop is not None else "，这是张量"
    inner = case.text(call).replace(f"({case.text(given)}", f"({case.operand(given)}.numpy()", 1)
    wrapped = not _gives_tensor(function) and _needs_tensor(case, call)
    torch, imports = case.with_torch()
    text = f"{torch}.from_numpy({inner})" if wrapped else inner
    return finding(
        case,
        f"`{function.name}` (line {line(function)}) works on NumPy arrays, which have `{node.attr}`, and line {line(call)} gives it {code(case, given)}{whose}."
        f" Hand over an array{' and make a tensor of what comes back' if wrapped else ''}: `{text}`. Or write the function for tensors: `.float()` or `.to(...)`"
        f" instead of `astype`."
        if node.attr == "astype"
        else f"`{function.name}` (line {line(function)}) works on NumPy arrays, which have `{node.attr}`, and line {line(call)} gives it"
        f" {code(case, given)}{whose}. Hand over an array{' and make a tensor of what comes back' if wrapped else ''}: `{text}`.",
        f"`{function.name}`（第 {line(function)} 行）处理的是 NumPy 数组，数组才有 `{node.attr}`，而第 {line(call)} 行给它的是 {code(case, given)}{whose_zh}。请传入数组"
        f"{'，再把结果变成张量' if wrapped else ''}：`{text}`。"
        + (
            "或者把函数改成处理张量的写法：用 `.float()` 或 `.to(...)` 代替 `astype`。" if node.attr == "astype" else ""
        ),
        case.fix([*case.replace(call, text), *imports], call),
        call,
    )


def _gives_tensor(function: ast.FunctionDef) -> bool:
    """Whether a function makes a tensor of what it gives back."""
    words = ("from_numpy", "tensor", "as_tensor", "Tensor", "FloatTensor")
    return any(
        isinstance(one, ast.Call) and called(one) in words for each in returned(function) for one in ast.walk(each)
    )


def _needs_tensor(case: Case, call: ast.Call) -> bool:
    """Whether what a call gives goes on to a layer or a function of PyTorch."""
    outer = case.parents.get(call)
    if isinstance(outer, ast.Call) and call in outer.args:
        return (
            isinstance(case.value(outer.func), Layer)
            or "torch" in case.text(outer.func)
            or case.text(outer.func).startswith("F.")
        )
    return isinstance(outer, ast.Assign)


def _tensor_wanted(
    case: Case, node: ast.Attribute, function: ast.FunctionDef, call: ast.Call, given: ast.expr
) -> Finding:
    torch, imports = case.with_torch()
    text = f"{torch}.from_numpy({case.text(given)})"
    where, where_zh = on_line(function)
    return finding(
        case,
        f"`{function.name}`{where} works on tensors, which have `{node.attr}`, and line {line(call)} gives it {code(case, given)}, a NumPy array. Make a tensor"
        f" of it there: `{text}`.",
        f"`{function.name}`{where_zh}处理的是张量，张量才有 `{node.attr}`，而第 {line(call)} 行给它的是 {code(case, given)}，这是 NumPy 数组。请在那里变成张量：`{text}`。",
        case.fix([*case.replace(given, text), *imports], call),
        given,
    )
