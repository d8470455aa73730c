"""What is called and is no function, what is handed to a constructor, and what a dictionary gives when it is gone through."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import UNKNOWN, Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import mistakes, python
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Text


@finds(mistakes.NOT_CALLABLE)
def _value_called(case: Case) -> Finding | None:
    """``self.length()`` of a number, ``self.loss(...)`` after ``self.loss = self.loss(...)``."""
    call = case.find(ast.Call)
    if call is None or not isinstance(call.func, ast.Attribute):
        return None
    name, value = case.text(call.func), case.value(call.func)
    if value is UNKNOWN or isinstance(value, Layer) or callable(value):
        return None
    owner = case.enclosing(call, ast.ClassDef)
    method = next(
        (
            one
            for one in (owner.body if owner else ())
            if isinstance(one, ast.FunctionDef) and one.name == call.func.attr
        ),
        None,
    )
    sets = [one for one in case.nodes(ast.Assign) if name in [ast.unparse(part) for part in one.targets]]
    if not sets:
        return None
    if method is not None:
        other = f"self.last_{call.func.attr}"
        own = case.enclosing(sets[-1], ast.FunctionDef)
        uses = [
            one
            for one in case.nodes(ast.Attribute)
            if case.text(one) == name
            and case.enclosing(one, ast.FunctionDef) is own
            and not (isinstance(outer := case.parents.get(one), ast.Call) and outer.func is one)
        ]
        return finding(
            case,
            f"Line {line(sets[-1])} gives `{name}` a value, and from then on it hides the method `{call.func.attr}` of line {line(method)}: the next"
            f" call finds a `{type(value).__name__}` there. Keep the value under another name, such as `{other}`.",
            f"第 {line(sets[-1])} 行给 `{name}` 赋了值，此后它就遮住了第 {line(method)} 行的方法 `{call.func.attr}`：下一次调用得到的是"
            f" `{type(value).__name__}`。请换一个名字保存这个值，例如 `{other}`。",
            case.fix(
                [edit for one in uses for edit in case.replace(one, other)], None, Text(f"`{other}`", f"`{other}`")
            ),
            sets[-1],
        )
    if call.args or call.keywords or isinstance(value, Tensor):
        return None
    return finding(
        case,
        f"`{name}` is the {type(value).__name__} that line {line(sets[-1])} sets, and no method: it is read without brackets. Write `{name}`.",
        f"`{name}` 是第 {line(sets[-1])} 行设置的 {type(value).__name__}，不是方法，读取时不加括号。请写 `{name}`。",
        case.fix(case.replace(call, name), case.statement(call)),
        sets[-1],
    )


_FUNCTIONS: Final = {"LambdaLR": "epoch", "MultiplicativeLR": "epoch"}


@finds(mistakes.NOT_CALLABLE)
def _number_for_function(case: Case) -> Finding | None:
    """``LambdaLR(optimizer, 0.5)``."""
    call = case.find(ast.Call)
    name = called(call) if call is not None else ""
    if call is None or name not in _FUNCTIONS or len(call.args) < 2:
        return None
    given = call.args[1]
    if isinstance(given, ast.Call) and Flow(case).called(given):
        return None  # the function was called too early
    text = f"lambda {_FUNCTIONS[name]}: {case.text(given)}"
    return finding(
        case,
        f"{code(case, given)} is a number, and `{name}` takes a function that it asks for the factor of each {_FUNCTIONS[name]}. Make one of it:"
        f" `{text}`.",
        f"{code(case, given)} 是一个数，而 `{name}` 需要一个函数，用来询问每一轮（`{_FUNCTIONS[name]}`）的系数。请写成函数：`{text}`。".replace(
            f"（`{_FUNCTIONS[name]}`）", ""
        ),
        case.fix(case.replace(given, text), call),
        given,
    )


@finds(errors.MISSING_PYTHON_ARGUMENT, errors.TOO_MANY_ARGUMENTS)
def _of_base_class(case: Case) -> Finding | None:
    """``super().__init__()`` of a layer that needs its sizes."""
    call = case.find(ast.Call)
    match call:
        case ast.Call(
            func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr="__init__"), args=[], keywords=[]
        ):
            pass
        case _:
            return None
    owner, function = case.enclosing(call, ast.ClassDef), case.enclosing(call, ast.FunctionDef)
    base = str(case.details.get("function", "")).rpartition(".")[0]
    if owner is None or function is None or any(one.name == base for one in case.nodes(ast.ClassDef)):
        return None
    missing = [
        one.strip("' ")
        for one in str(case.details.get("name", case.details.get("names", ""))).replace(" and ", ", ").split(",")
    ]
    missing = [one for one in missing if one.isidentifier()]
    own = [one.arg for one in function.args.args[1:]][: len(missing)]
    if not missing or len(own) < len(missing):
        return None
    text = f"super().__init__({', '.join(own)})"
    listed = ", ".join(f"`{one}`" for one in missing)
    return finding(
        case,
        f"`{owner.name}` is a `{base}` with something added, and the constructor of `{base}` needs {listed}. Hand on what belongs to it:"
        f" `{text}`.",
        f"`{owner.name}` 是在 `{base}` 上增加内容的类，而 `{base}` 的构造函数需要 {listed.replace(', ', '、')}。请把属于它的参数传下去：`{text}`。",
        case.fix(case.replace(call, text), call) if call is not None else (),
        call,
    )


@finds(errors.NO_ATTRIBUTE, errors.NO_METHOD, python.ATTRIBUTE, errors.ARGUMENT_TYPE)
def _layer_for_tensor(case: Case) -> Finding | None:
    """``nn.init.zeros_(layer)``, ``torch.norm(layer)``."""
    call = case.find(ast.Call)
    if call is None or case.find(ast.Attribute) is not None or not isinstance(call.func, ast.Attribute):
        return None
    for given in call.args:
        held = case.value(given)
        names = [name for name, _ in held.named_parameters(recurse=False)] if isinstance(held, Layer) else []
        if not names or isinstance(case.value(call.func), Layer) or Flow(case).called(call):
            continue
        text = f"{case.operand(given)}.{names[0]}"
        return finding(
            case,
            f"{code(case, given)} is a layer, and {code(case, call.func)} takes a tensor. The numbers of the layer are in its parameters: write"
            f" `{text}`.",
            f"{code(case, given)} 是层，而 {code(case, call.func)} 需要张量。层的数值在它的参数里：请写 `{text}`。",
            case.fix(case.replace(given, text), call),
            given,
        )
    return None


@finds(errors.ARGUMENT_TYPE, mistakes.OPERAND_TYPES, errors.NO_ATTRIBUTE, python.ATTRIBUTE, python.TYPE)
def _keys_for_values(case: Case) -> Finding | None:
    """``x, y = batch``, ``sum(losses)`` of a dictionary, which gives its keys."""
    failed = case.find(ast.expr)
    for node in Flow(case).behind(failed) if failed is not None else ():
        outer = case.parents.get(node)
        if not isinstance(node, ast.Name) and not isinstance(node, ast.Call):
            continue
        given = definition(case, node)
        function = next(iter(Flow(case).called(given)), None) if isinstance(given, ast.Call) else None
        results = (
            [one.value for one in ast.walk(function) if isinstance(one, ast.Return)] if function is not None else []
        )
        known = isinstance(case.value(node), dict) or (results and all(isinstance(one, ast.Dict) for one in results))
        unpacked = isinstance(outer, ast.Assign) and isinstance(outer.targets[0], ast.Tuple | ast.List)
        summed = isinstance(outer, ast.Call) and getattr(outer.func, "id", "") in ("sum", "max", "min", "list", "tuple")
        if not known or not (unpacked or summed) or outer is None:
            continue
        text = f"{case.operand(node)}.values()"
        return finding(
            case,
            f"{code(case, node)} is a dictionary, and {code(case, outer)} on line {line(outer)} goes through its keys, which are texts. Go through"
            f" its values: `{text}`.",
            f"{code(case, node)} 是字典，而第 {line(outer)} 行的 {code(case, outer)} 取出的是它的键，即字符串。请取它的值：`{text}`。",
            case.fix(case.followed(node, ".values()"), case.statement(outer)),
            outer,
        )
    return None
