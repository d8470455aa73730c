"""A function, a class or a layer in the place of what it computes, and `None` of a function without ``return``: where that was written."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.language.returns import thrown_away, with_return
from gradflow.engine.diagnosis.findings.origins.absent import gives
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.search.kinds import operands
from gradflow.engine.diagnosis.search.spots import failed, spots
from gradflow.engine.errors.language import mistakes, python
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Fix

_VALUES: Final = (
    errors.ARGUMENT_TYPE, errors.KEYWORD_TYPE, errors.ELEMENT_TYPE, errors.SEQUENCE_ELEMENT, errors.INVALID_COMBINATION,
    errors.NO_ATTRIBUTE, errors.DERIVATIVE_VALUE, errors.DERIVATIVE_TYPE, errors.DERIVATIVE_CALL, errors.INDEX_TYPE,
    errors.GRADIENT_TYPE, errors.DATA_DTYPE_UNKNOWN, errors.ASSIGN_TYPE, errors.GRADIENT_NOT_ITERABLE, errors.DATA_INVALID, errors.DATA_TYPE, errors.MODULE_TYPE,
    python.TYPE, python.ATTRIBUTE, python.NONE_ATTRIBUTE, python.VALUE, mistakes.NOT_ITERABLE, mistakes.NOT_SUBSCRIPTABLE,
    mistakes.OPERAND_TYPES, mistakes.NONE_OPERAND, mistakes.UNORDERED, mistakes.NO_LENGTH, mistakes.NOT_INTEGER,
    mistakes.CONCATENATION, mistakes.NOT_CALLABLE, errors.MISSING_PYTHON_ARGUMENT, errors.MISSING_ARGUMENT,
)  # fmt: skip
_FUNCTIONS: Final = (FunctionType, MethodType, BuiltinFunctionType)
_NAMED: Final = ("function", "method", "builtin_function_or_method", "type")
_MOST: Final = 12


def _used(case: Case) -> list[ast.expr]:
    """What the failed expression computes with."""
    node = failed(case)
    if isinstance(node, ast.Attribute):
        return [node.value]
    if isinstance(node, ast.expr):
        inner = operands(case, [node])
        parts = [*inner, *(part for one in inner for part in getattr(one, "elts", ()))]
        return parts or [node]
    return spots(case)[:_MOST]


def _sources(case: Case, node: ast.expr) -> Iterator[ast.expr]:
    """What a name stands for, and what that stands for: names and attributes all the way."""
    flow, waiting, seen = Flow(case), [node], {node}
    for current in waiting:
        yield current
        if isinstance(current, ast.Name):
            before = list(islice(flow.assigned(current, current.id), 4))
        elif isinstance(current, ast.Attribute):
            before = list(flow._attributes(current, current.attr))
        else:
            before = []
        for one in before[:4]:
            if one not in seen and len(seen) < _MOST:
                seen.add(one)
                waiting.append(one)


def _held(case: Case, node: ast.expr) -> object:
    """What a name or an attribute stands for, also a method of a tensor."""
    if not isinstance(node, ast.Name | ast.Attribute):
        return None
    if isinstance(node, ast.Attribute) and isinstance(Flow(case).tensor(node.value), Tensor):
        return getattr(Tensor, node.attr, None)
    return case.value(node)


def _is_called(case: Case, node: ast.expr) -> bool:
    parent = case.parents.get(node)
    return isinstance(parent, ast.Call) and parent.func is node


@finds(*_VALUES)
def _function_for_value(case: Case) -> Finding | None:
    """``h = torch.relu`` further up, and ``h.mean()`` here; ``x.sum.item()``."""
    for used in _used(case):
        for node in _sources(case, used):
            held = _held(case, node)
            if not isinstance(held, _FUNCTIONS) or _is_called(case, node):
                continue
            defined = any(one.name == getattr(node, "id", None) for one in case.nodes(ast.FunctionDef))
            if isinstance(node, ast.Name) and not defined and _stands_for_other(case, node):
                continue
            return _uncalled(case, node, used, held)
    return None


def _stands_for_other(case: Case, node: ast.Name) -> bool:
    """Whether a name was given the function elsewhere: that place is told of."""
    return any(True for _ in Flow(case).assigned(node, node.id))


def _uncalled(case: Case, node: ast.expr, used: ast.expr, held: object) -> Finding | None:
    if _is_wanted(case, used):
        return None
    name, here = case.text(node), line(node) == case.span.line
    bound = isinstance(node, ast.Attribute) and (
        isinstance(held, MethodType | BuiltinFunctionType) or isinstance(Flow(case).tensor(node.value), Tensor)
    )
    text = f"{name}()" if bound else f"{name}(...)"
    which = "" if case.text(used) == name else f", and so is {code(case, used)}"
    which_zh = "" if case.text(used) == name else f"，{code(case, used)} 也就是它"
    where, where_zh = ("", "") if here else (f" on line {line(node)}", f"第 {line(node)} 行的 ")
    return finding(
        case,
        f"{code(case, node)}{where} has no brackets, so it is the function itself and nothing was computed{which}. Call it there:"
        f" `{text}`.",
        f"{where_zh}{code(case, node)} 后面没有括号，所以它是函数本身，什么都没有计算{which_zh}。请在那里调用它：`{text}`。",
        case.fix(case.after(node, "()"), case.statement(node)) or (),
        node,
    )


def _is_wanted(case: Case, used: ast.expr) -> bool:
    """Whether a function may stand there: as an argument of what takes one."""
    told = " ".join(str(one) for one in case.details.values()).replace("user-provided function", "")
    return not any(f"{kind}" in told for kind in _NAMED) and case.details.get("type") not in _NAMED


@finds(*_VALUES)
def _class_for_object(case: Case) -> Finding | None:
    """``net = Net``, and ``net(x)`` or ``net.parameters()`` here."""
    root = failed(case)
    if case.details.get("name") in ("self", "'self'") or "'self'" in str(case.details.get("message", "")):
        return None
    called = [root.func] if isinstance(root, ast.Call) else []
    for used in (*_used(case), *called):
        if not isinstance(used, ast.Name | ast.Attribute):
            continue
        held = case.value(used)
        if not isinstance(held, type) or not issubclass(held, Layer):
            continue
        made = next((one for one in _sources(case, used) if one is not used and case.value(one) is held), None)
        if made is None:
            continue
        text = f"{case.text(made)}(...)"
        return finding(
            case,
            f"{code(case, made)} on line {line(made)} has no brackets, so `{case.text(used)}` is the class itself and no layer was made of it. Make"
            f" one there, with its sizes, and apply that: `{text}`.",
            f"第 {line(made)} 行的 {code(case, made)} 后面没有括号，所以 `{case.text(used)}` 是类本身，并没有创建层。请在那里给出大小来创建：`{text}`。",
            case.fix(case.after(made, "()"), case.statement(made)) or (),
            made,
        )
    return None


@finds(*_VALUES)
def _nothing_returned(case: Case) -> Finding | None:
    """``None`` that a function of the program gave, which ends without ``return``."""
    told = str(case.details.get("message", "")) + " ".join(str(one) for one in case.details.values())
    if "NoneType" not in told and case.details.get("value", 0) is not None:
        return None
    root = failed(case)
    called = [root.func] if isinstance(root, ast.Call) else []
    for used in (*called, *_used(case), *spots(case)[1:_MOST]):
        for node in _sources(case, used):
            for call, function in _calls(case, node):
                if gives(function) or function.name == "__init__":
                    continue
                return _ends_without(case, function, call)
    return _lost(case)


def _lost(case: Case) -> Finding | None:
    """The one function of the program that computes something at its end and does not give it back."""
    lost = [one for one in case.nodes(ast.FunctionDef) if not gives(one) and thrown_away(one.body[-1]) is not None]
    if len(lost) != 1:
        return None
    function, value = lost[0], thrown_away(lost[0].body[-1])
    if value is None:
        return None
    text = f"return {case.text(value)}"
    return finding(
        case,
        f"`{function.name}` computes {code(case, value)} on line {line(value)} and does not give it back, so what calls it gets `None`, which is"
        f" what arrives here. Give the result back: `{text}`.",
        f"`{function.name}` 在第 {line(value)} 行计算了 {code(case, value)}，却没有返回，所以调用它得到的是 `None`，传到这里的就是它。请返回结果：`{text}`。",
        case.fix(case.before(value, "return "), function.body[-1]) or (),
        value,
    )


@finds(*_VALUES)
def _layer_for_value(case: Case) -> Finding | None:
    """``loss = criterion`` further up, and ``loss.backward()`` here."""
    for used in _used(case):
        held = case.value(used)
        if not isinstance(held, Layer) or not isinstance(used, ast.Name):
            continue
        made = next(
            (one for one in Flow(case).assigned(used, used.id) if isinstance(one, ast.Name | ast.Attribute)), None
        )
        if made is None or case.value(made) is not held or not isinstance(case.parents.get(made), ast.Assign):
            continue
        text = f"{case.text(made)}(...)"
        return finding(
            case,
            f"{code(case, made)} on line {line(made)} has no brackets, so `{used.id}` is the layer itself (`{type(held).__name__}`) and nothing was"
            f" computed. Apply it there to what it is for: `{text}`.",
            f"第 {line(made)} 行的 {code(case, made)} 后面没有括号，所以 `{used.id}` 是层本身（`{type(held).__name__}`），什么都没有计算。请在那里把它用到数据上：`{text}`。",
            (),
            made,
        )
    return None


def _calls(case: Case, node: ast.expr) -> Iterator[tuple[ast.expr, ast.FunctionDef]]:
    """The functions of the program that gave an expression, also those that are handed on, and properties."""
    for one in (node, getattr(node, "elt", None)):
        if isinstance(one, ast.Call):
            yield from ((one, each) for each in Flow(case).called(one) if isinstance(each, ast.FunctionDef))
            for given in one.args:
                if isinstance(given, ast.Name):
                    yield from ((one, each) for each in case.nodes(ast.FunctionDef) if each.name == given.id)
        elif isinstance(one, ast.Attribute):
            for function in case.nodes(ast.FunctionDef):
                marked = any(case.text(each) == "property" for each in function.decorator_list)
                if marked and function.name == one.attr:
                    yield one, function


def _ends_without(case: Case, function: ast.FunctionDef, call: ast.expr) -> Finding:
    last = function.body[-1]
    fix: Fix | None = with_return(case, function, last, call)
    action = (
        f"Give the result back at its end: {fix.title.en}."
        if fix is not None
        else "Give the result back at its end, with `return`."
    )
    action_zh = f"请在末尾返回结果：{fix.title.zh}。" if fix is not None else "请在末尾用 `return` 返回结果。"
    return finding(
        case,
        f"`{function.name}` ends on line {last.end_lineno or line(last)} without a `return`, so {code(case, call)} gives `None`. {action}",
        f"`{function.name}` 在第 {last.end_lineno or line(last)} 行结束时没有 `return`，所以 {code(case, call)} 得到的是 `None`。{action_zh}",
        fix or (),
        last,
    )
