"""What stands in a row of layers and is none: a function, the name of one, what one gave."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import UNKNOWN, Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.layers import MADE_LAYER_OF
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import arguments
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Edit

_ROWS: Final = frozenset(
    {"Sequential", "ModuleList", "append", "extend", "insert", "add_module", "OrderedDict", "dict"}
)
_WITH_SIZE: Final = {
    "max_pool2d": "MaxPool2d(2)",
    "max_pool1d": "MaxPool1d(2)",
    "avg_pool2d": "AvgPool2d(2)",
    "adaptive_avg_pool2d": "AdaptiveAvgPool2d(1)",
    "layer_norm": "LayerNorm(...)",
    "batch_norm": "BatchNorm1d(...)",
    "interpolate": "Upsample(scale_factor=2)",
}
"""Layers whose sizes the function would get with each call, so which ones are meant is not known."""


@finds(errors.NO_MODULE_SUBCLASS)
def _function_among_layers(case: Case) -> Finding | None:
    """``nn.Sequential(nn.Linear(2, 3), torch.tanh)``, ``layers.append(F.relu)``."""
    call = case.find(ast.Call)
    if call is None:
        return None
    wrong = list(dict.fromkeys(_wrong(case, call)))
    if not wrong:
        return None
    nn, edits, layers = _module(case, call), list[Edit](), []
    for one in wrong:
        name = _word(case, one)
        layers.append(f"{nn}.{MADE_LAYER_OF.get(name) or _WITH_SIZE.get(name, '')}")
        edits += case.replace(one, layers[-1]) if name in MADE_LAYER_OF else []
    whole = all(_word(case, one) in MADE_LAYER_OF for one in wrong)
    first, text, (what, what_zh) = wrong[0], layers[0], _kind(wrong[0])
    return finding(
        case,
        f"{code(case, first)} on line {line(first)} is {what}, and {code(case, call.func)} takes layers, objects"
        f" that are called later. Use the layer: `{text}`.",
        f"第 {line(first)} 行的 {code(case, first)} 是{what_zh}，而 {code(case, call.func)} 需要的是层，即之后再被调用的对象。请用对应的层："
        f"`{text}`。",
        case.fix(edits, case.statement(first) if first not in call.args else call) if whole else (),
        first,
    )


def _kind(node: ast.expr) -> tuple[str, str]:
    if isinstance(node, ast.Call):
        return "a call that gives a tensor at once", "立即返回张量的调用"
    return ("a text", "字符串") if isinstance(node, ast.Constant) else ("a function", "函数")


def _word(case: Case, node: ast.expr) -> str:
    """The last word of a function, of the function that is called, or of a text."""
    match node:
        case ast.Constant(value=value):
            return str(value).lower()
        case ast.Lambda(body=ast.Call(args=[_, ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1))]) as body) if (
            called(body)
            in (
                "view",
                "reshape",
            )
        ):
            return "flatten"
        case ast.Lambda(body=ast.Call() as body):
            return case.text(body.func).rpartition(".")[2] if not body.keywords else ""
        case ast.Call(func=function):
            return case.text(function).rpartition(".")[2]
    return case.text(node).rpartition(".")[2]


def _module(case: Case, call: ast.Call) -> str:
    """What the program calls ``torch.nn``."""
    if isinstance(call.func, ast.Attribute) and case.text(call.func.value).rpartition(".")[2] == "nn":
        return case.text(call.func.value)
    return case.module_alias("torch.nn") or (
        "nn" if "nn" in case.values else f"{case.module_alias('torch') or 'torch'}.nn"
    )


def _wrong(case: Case, call: ast.Call) -> Iterator[ast.expr]:
    """What a row is made of that stands for a layer and is none, as it is written."""
    for one in _all_members(case, call):
        name, value = _word(case, one), case.value(one)
        if name not in MADE_LAYER_OF and name not in _WITH_SIZE:
            continue
        if isinstance(one, ast.Attribute | ast.Name):
            if value is not UNKNOWN and not isinstance(value, Layer | type | Tensor):
                yield one
        elif isinstance(one, ast.Call):
            if isinstance(value, Tensor) and not isinstance(case.value(one.func), Layer):
                yield one
        elif isinstance(one, ast.Lambda) or (isinstance(one, ast.Constant) and case.details.get("given") == "str"):
            yield one


def _all_members(case: Case, call: ast.Call) -> list[ast.expr]:
    flow = Flow(case)
    given = [*call.args, *(one.value for one in call.keywords)]
    return list(dict.fromkeys(each for start in given for each in _members(case, flow, start)))


def _members(case: Case, flow: Flow, node: ast.expr, depth: int = 8) -> Iterator[ast.expr]:
    """The elements of a row, through stars, names, slices and lists."""
    match node:
        case _ if not depth:
            return
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            inner: list[ast.expr] = list(parts)
        case ast.Starred(value=value) | ast.Subscript(value=value) | ast.ListComp(elt=value):
            inner = [value]
        case ast.Dict(values=values):
            inner = list(values)
        case ast.BinOp(left=left, right=right):
            inner = [left, right]
        case ast.Call(args=[first]) if called(node) in ("OrderedDict", "dict", "list", "tuple"):
            inner = [first]
        case ast.Name(id=name) if name not in MADE_LAYER_OF or not callable(case.value(node)):
            inner = [one for one in flow.assigned(node, name) if one is not node]
            if not inner:
                yield node
        case _:
            yield node
            return
    for one in inner:
        yield from _members(case, flow, one, depth - 1)


@finds(errors.NO_MODULE_SUBCLASS)
def _class_in_row(case: Case) -> Finding | None:
    """``nn.Sequential(*layers)``, where ``layers`` holds ``nn.ReLU`` without brackets."""
    call = case.find(ast.Call)
    rows = _all_members(case, call) if call is not None else []
    found = [one for one in rows if isinstance(kind := case.value(one), type) and issubclass(kind, Layer)]
    if call is None or not found or found[0] in call.args:
        return None
    text = f"{case.text(found[0])}()"
    edits = [edit for one in found for edit in case.after(one, "()")]
    return finding(
        case,
        f"{code(case, found[0])} on line {line(found[0])} is the class, and {code(case, call.func)} takes layers that were made of one. Make it there, with"
        f" brackets: `{text}`.",
        f"第 {line(found[0])} 行的 {code(case, found[0])} 是类，而 {code(case, call.func)} 需要的是由类创建的层。请在那里加上括号来创建：`{text}`。",
        case.fix(edits, case.statement(found[0])),
        found[0],
    )


@finds(errors.NO_MODULE_SUBCLASS)
def _own_function_in_row(case: Case) -> Finding | None:
    """``nn.Sequential(conv, lambda x: x.mean((2, 3)))``."""
    call = case.find(ast.Call)
    rows = _all_members(case, call) if call is not None else []
    found = [one for one in rows if isinstance(one, ast.Lambda) or _is_own(case, one)]
    if call is None or not found:
        return None
    return finding(
        case,
        f"{code(case, found[0])} on line {line(found[0])} is a function, and {code(case, call.func)} takes layers alone. Call it between the layers in a `forward`, or"
        " write a small `nn.Module` whose `forward` calls it, and put that in the row.",
        f"第 {line(found[0])} 行的 {code(case, found[0])} 是函数，而 {code(case, call.func)} 只接受层。请在 `forward` 里、在各层之间调用它，或者写一个小的 `nn.Module`，在它的"
        " `forward` 里调用这个函数，再放进这一排。",
        (),
        found[0],
    )


def _is_own(case: Case, node: ast.expr) -> bool:
    """Whether a name is that of a function of the program."""
    return isinstance(node, ast.Name) and any(one.name == node.id for one in case.nodes(ast.FunctionDef))


@finds(arguments.MISSING_ARGUMENT, arguments.MISSING_PYTHON_ARGUMENT)
def _called_at_once(case: Case) -> Finding | None:
    """``nn.Sequential(nn.Linear(2, 3), F.relu())``."""
    call = case.find(ast.Call)
    name = called(call) if call is not None else ""
    if call is None or call.args or name not in MADE_LAYER_OF or not _stands_in_row(case, call):
        return None
    made = f"{MADE_LAYER_OF[name].partition('(')[0]}({', '.join(case.text(one) for one in call.keywords)})"
    text = f"{_module(case, call)}.{made if call.keywords else MADE_LAYER_OF[name]}"
    same = [one for one in case.nodes(ast.Call) if case.text(one) == case.text(call) and _stands_in_row(case, one)]
    return finding(
        case,
        f"{code(case, call)} calls a function at once, and in a row of layers stands what is called later, with the result of the layer before."
        f" Make the layer there: `{text}`.",
        f"{code(case, call)} 立即调用了一个函数，而一排层里放的应是之后再被调用的对象，由它接收前一层的结果。请在那里创建对应的层：`{text}`。",
        case.fix([edit for one in same for edit in case.replace(one, text)], case.statement(call)),
        call,
    )


def _stands_in_row(case: Case, call: ast.Call) -> bool:
    outer = case.parents.get(call)
    while isinstance(outer, ast.List | ast.Tuple | ast.Starred):
        outer = case.parents.get(outer)
    if isinstance(outer, ast.Call):
        return called(outer) in _ROWS and outer.func is not call
    return isinstance(outer, ast.Assign | ast.AugAssign) and bool(
        re.search(r"layer|block|module|net|seq|model|part", case.text(outer))
    )
