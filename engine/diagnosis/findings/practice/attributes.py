"""Attributes of modules that are there twice, or not at all: buffers, biases, properties; lists that are asked for a mean."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.layers import maker_of
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.traps.edits import without_line
from gradflow.engine.errors.language import mistakes, python
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.tensor import Tensor


@finds(errors.MODULE_NAME_TAKEN)
def _set_before(case: Case) -> Finding | None:
    """``self.mean = ...`` and ``self.register_buffer("mean", ...)``."""
    call = case.find(ast.Call)
    given = call.args[0] if call is not None and call.args else None
    name = str(given.value) if isinstance(given, ast.Constant) else None
    owner = case.enclosing(call, ast.ClassDef) if call is not None else None
    before = [
        one
        for one in (ast.walk(owner) if owner is not None else ())
        if isinstance(one, ast.Assign)
        and any(isinstance(target, ast.Attribute) and target.attr == name for target in one.targets)
        and call is not None
        and line(one) < line(call)
    ]
    if call is None or not before:
        return None
    return finding(
        case,
        f"Line {line(before[0])} sets `{name}` as a plain attribute already, and {code(case, call)} wants to give the name to a buffer. Leave line"
        f" {line(before[0])} out: the buffer is reached as `self.{name}`, too.",
        f"第 {line(before[0])} 行已经把 `{name}` 设成了普通属性，而 {code(case, call)} 要把这个名字给缓冲区。请去掉第 {line(before[0])} 行：缓冲区同样可以用 `self.{name}` 访问。",
        apply(case, without_line(case, before[0]), f"Without line {line(before[0])}", f"去掉第 {line(before[0])} 行")
        or (),
        before[0],
    )


def _name(call: ast.Call) -> str:
    return called(call)


@finds(errors.MODULE_NAME)
def _dotted(case: Case) -> Finding | None:
    """Names with a dot in a ``ParameterDict``."""
    call = case.find(ast.Call)
    if call is None or not _name(call).endswith(("Dict", "add_module", "register_parameter", "register_buffer")):
        return None
    given = call.args[0] if call.args else None
    key = given.key if isinstance(given, ast.DictComp) else given if isinstance(given, ast.Name) else None
    text = f"{case.operand(key)}.replace('.', '_')" if key is not None else "name.replace('.', '_')"
    fix = write(case, key, text, call) if isinstance(given, ast.DictComp) and key is not None else None
    return finding(
        case,
        f"{code(case, call.func)} joins names with dots into paths, so no name may hold a dot itself. Write another sign for it: `{text}`.",
        f"{code(case, call.func)} 用点把名字连成路径，所以名字本身不能含点。请换成别的符号：`{text}`。",
        fix or (),
        key,
    )


@finds(python.NONE_ATTRIBUTE, mistakes.NONE_OPERAND, errors.ARGUMENT_TYPE)
def _without_bias(case: Case) -> Finding | None:
    """``self.fc.bias.data.zero_()`` of a layer that was made with ``bias=False``."""
    failed = case.find(ast.expr)
    for node in ast.walk(failed) if failed is not None else ():
        if not isinstance(node, ast.Attribute) or node.attr != "bias":
            continue
        layer = case.value(node.value)
        plain = hasattr(layer, "in_features") or hasattr(layer, "in_channels")
        made = (
            maker_of(case, layer) if isinstance(layer, Layer) and plain and getattr(layer, "bias", 0) is None else None
        )
        statement = case.statement(node)
        if made is None or statement is None:
            continue
        text = f"if {case.text(node)} is not None:"
        span = case.program.span_of(statement)
        head = case.line(span.line)[: span.column] if span is not None else ""
        edits = case.before(statement, f"{text}\n{head}    ") if span is not None and span.line == span.end_line else []
        return finding(
            case,
            f"{code(case, made)} on line {line(made)} was made without a bias, so {code(case, node)} is `None`. Use it only where there is one, `{text}`,"
            f" or make the layer with a bias.",
            f"第 {line(made)} 行的 {code(case, made)} 创建时没有偏置，所以 {code(case, node)} 是 `None`。请只在有偏置时使用它 `{text}`，或者创建带偏置的层。",
            apply(case, edits, f"`{text}`", f"`{text}`") or (),
            made,
        )
    return None


_OF_SEVERAL: Final = frozenset(
    {"mean", "sum", "std", "max", "min", "abs", "float", "long", "numpy", "shape", "view", "reshape", "dim", "size"}
)


@finds(errors.NO_ATTRIBUTE, python.ATTRIBUTE)
def _list_of_numbers(case: Case) -> Finding | None:
    """``[a.item() for a in adv].mean()``."""
    node, value = case.find(ast.Attribute), case.details.get("value")
    if node is None or not isinstance(value, list) or not value or node.attr not in _OF_SEVERAL:
        return None
    if not all(isinstance(one, int | float) for one in value):
        return None
    torch, imports = case.with_torch()
    text = f"{torch}.tensor({case.text(node.value)})"
    match node.value:
        case ast.ListComp(
            elt=ast.Call(func=ast.Attribute(value=ast.Name(id=one), attr="item")),
            generators=[ast.comprehension(target=ast.Name(id=same), iter=source)],
        ) if one == same and isinstance(Flow(case).tensor(source), Tensor):
            text = case.text(source)
    outer = case.parents.get(node)
    called = "()" if isinstance(outer, ast.Call) and outer.func is node else ""
    return finding(
        case,
        f"{code(case, node.value)} is a list of {len(value)} numbers, and only a tensor has `{node.attr}`. Ask a tensor: `{text}.{node.attr}{called}`.",
        f"{code(case, node.value)} 是含 {len(value)} 个数的列表，只有张量才有 `{node.attr}`。请对张量调用：`{text}.{node.attr}{called}`。",
        case.fix([*case.replace(node.value, text), *imports], case.statement(node)),
        node.value,
    )


@finds(errors.ARGUMENT_TYPE, errors.NO_ATTRIBUTE, python.ATTRIBUTE, mistakes.OPERAND_TYPES)
def _state_of_cell(case: Case) -> Finding | None:
    """``h = self.cell(x)`` of an ``LSTMCell``."""
    failed = case.find(ast.expr)
    for node in ast.walk(failed) if failed is not None else ():
        value = case.value(node) if isinstance(node, ast.Name) else None
        if not isinstance(node, ast.Name) or not isinstance(value, tuple) or len(value) != 2:
            continue
        for one in Flow(case).assigned(node, node.id):
            if not isinstance(one, ast.Call) or type(case.value(one.func)).__name__ != "LSTMCell":
                continue
            statement = case.statement(one)
            passed = len(one.args) > 1
            call = (
                case.text(one)
                if passed
                else f"{case.text(one.func)}({', '.join(case.text(each) for each in one.args)}, ({node.id}, c))"
            )
            text = f"{node.id}, c = {call}"
            plain = isinstance(statement, ast.Assign) and passed
            return finding(
                case,
                f"{code(case, one)} on line {line(one)} gives the pair `(h, c)`, and `{node.id}` stands for both, where one tensor is needed. Take them"
                f" apart"
                + ("" if passed else ", and give the state back to the cell in the next step")
                + f": `{text}`.",
                f"第 {line(one)} 行的 {code(case, one)} 给出一对 `(h, c)`，而 `{node.id}` 同时代表两者，这里需要一个张量。请拆开"
                + ("" if passed else "，并在下一步把状态传回去")
                + f"：`{text}`。",
                case.fix(case.replace(statement.targets[0], f"{node.id}, c"), statement)
                if plain and isinstance(statement, ast.Assign)
                else (),
                one,
            )
    return None
