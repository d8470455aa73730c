"""Custom Functions: what ``backward`` reads and ``forward`` did not keep, and a Function that is called as an object."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.language.returns import with_return
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, returned
from gradflow.engine.errors.language import mistakes, python
from gradflow.engine.trace import Edit, Fix

_SAVED = ("saved_tensors", "saved_variables")


def _methods(case: Case, node: ast.AST) -> dict[str, ast.FunctionDef]:
    """The methods of the class around a node."""
    owner = case.enclosing(node, ast.ClassDef)
    return {one.name: one for one in owner.body if isinstance(one, ast.FunctionDef)} if owner is not None else {}


def reads_saved(node: ast.expr) -> bool:
    """Whether an expression is ``ctx.saved_tensors``."""
    return isinstance(node, ast.Attribute) and node.attr in _SAVED


def _keeper(methods: dict[str, ast.FunctionDef]) -> ast.FunctionDef | None:
    """The method that keeps what ``backward`` needs."""
    return methods.get("setup_context") or methods.get("forward")


def saves(method: ast.FunctionDef) -> list[ast.Call]:
    """The calls of ``save_for_backward``."""
    calls = [one for one in ast.walk(method) if isinstance(one, ast.Call)]
    return [one for one in calls if getattr(one.func, "attr", "") == "save_for_backward"]


def known_in(method: ast.FunctionDef) -> set[str]:
    """The names that have a value at the end of a method."""
    stored = {one.id for one in ast.walk(method) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    return stored | {one.arg for one in method.args.args[1:]}


def _kept_line(case: Case, method: ast.FunctionDef, text: str) -> list[Edit]:
    """A line at the end of a method, in front of its ``return``."""
    ends = [one for one in method.body if isinstance(one, ast.Return)]
    return case.line_before(ends[-1], text) if ends else []


def _context(method: ast.FunctionDef) -> str:
    return method.args.args[0].arg if method.args.args else "ctx"


@finds(mistakes.NOT_ENOUGH_VALUES, mistakes.TOO_MANY_VALUES)
def _not_saved(case: Case) -> Finding | None:
    """``x, = ctx.saved_tensors`` where ``forward`` saved nothing, or another number of tensors."""
    node = case.find(ast.AST)
    match case.statement(node) if node is not None else None:
        case ast.Assign(targets=[ast.Tuple(elts=parts) | ast.List(elts=parts)], value=source) if reads_saved(source):
            names = [case.text(one) for one in parts]
        case _:
            return None
    method = _keeper(_methods(case, source))
    if method is None:
        return None
    saved = saves(method)
    if not saved:
        text = f"{_context(method)}.save_for_backward({', '.join(names)})"
        known = set(names) <= known_in(method)
        return finding(
            case,
            f"`{method.name}` on line {line(method)} saves nothing, so `{case.text(source)}` is empty in `backward`. Save what"
            f" `backward` needs in `{method.name}`: `{text}`.",
            f"第 {line(method)} 行的 `{method.name}` 什么也没有保存，所以 `backward` 里的 `{case.text(source)}` 是空的。请在 `{method.name}`"
            f" 里保存 `backward` 需要的张量：`{text}`。",
            _line_fix(case, method, text) if known else (),
            method,
        )
    call, count = saved[-1], len(saved[-1].args)
    fix = _all_saved(case, call, names, known_in(method))
    text = f"{case.text(call.func)}({', '.join(names)})"
    action = (
        f"Save all that `backward` takes out: `{text}`"
        if fix is not None
        else "Take them out in the order in which they were saved, one name for each"
    )
    action_zh = (
        f"请把 `backward` 要取出的都保存：`{text}`" if fix is not None else "请按保存的顺序取出，每个张量一个名字"
    )
    return finding(
        case,
        f"{code(case, call)} on line {line(call)} saves {count} tensor{'s' * (count != 1)}, and {len(names)}"
        f" name{'s' * (len(names) != 1)} stand{'s' * (len(names) == 1)} to the left of `{case.text(source)}`. {action}.",
        f"第 {line(call)} 行的 {code(case, call)} 保存了 {count} 个张量，而 `{case.text(source)}` 左边有 {len(names)} 个名字。{action_zh}。",
        fix or (),
        call,
    )


def _line_fix(case: Case, method: ast.FunctionDef, text: str) -> Fix | Sequence[Fix]:
    return apply(case, _kept_line(case, method, text), f"`{text}`", f"`{text}`") or ()


def _all_saved(case: Case, call: ast.Call, names: Sequence[str], known: set[str]) -> Fix | None:
    """Save those, too, that ``backward`` has names for."""
    given = [case.text(one) for one in call.args]
    if len(names) > len(given) and names[: len(given)] == given and set(names) <= known:
        return case.fix(case.argument(call, ", ".join(names[len(given) :])), call)
    return None


@finds(
    python.TYPE,
    mistakes.OPERAND_TYPES,
    errors.ARGUMENT_TYPE,
    errors.INVALID_COMBINATION,
    errors.INDEX_NOT_SCALAR,
    errors.NO_ATTRIBUTE,
    python.ATTRIBUTE,
)
def _tuple_of_one(case: Case) -> Finding | None:
    """``x = ctx.saved_tensors``: a tuple, also of one tensor."""
    node = case.find(ast.AST)
    method = case.enclosing(node, ast.FunctionDef) if node is not None else None
    if node is None or method is None:
        return None
    used = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    for statement in (one for one in ast.walk(method) if isinstance(one, ast.Assign)):
        match statement:
            case ast.Assign(targets=[ast.Name(id=name) as target], value=source) if (
                reads_saved(source) and name in used
            ):
                text = f"{name}, = {case.text(source)}"
                return finding(
                    case,
                    f"`{case.text(source)}` is a tuple, also where one tensor was saved, so `{name}` on line {line(statement)} is no"
                    f" tensor. Unpack it, with a comma: `{text}`.",
                    f"`{case.text(source)}` 是元组，即使只保存了一个张量也是如此，所以第 {line(statement)} 行的 `{name}` 不是张量。请用逗号解包："
                    f"`{text}`。",
                    case.fix(case.after(target, ","), statement),
                    statement,
                )
    return None


@finds(errors.NO_ATTRIBUTE, python.ATTRIBUTE)
def _not_kept(case: Case) -> Finding | None:
    """``ctx.scale`` in ``backward``, which ``forward`` did not set."""
    node = case.find(ast.Attribute)
    methods = _methods(case, node) if node is not None else {}
    method, inside = _keeper(methods), case.enclosing(node, ast.FunctionDef) if node is not None else None
    if node is None or method is None or inside is None or inside.name != "backward" or method is inside:
        return None
    if not isinstance(node.value, ast.Name) or node.value.id != _context(inside):
        return None
    attr, context = node.attr, _context(method)
    if attr not in known_in(method):
        return None
    text = f"{context}.{attr} = {attr}"
    return finding(
        case,
        f"`backward` reads `{case.text(node)}`, and `{method.name}` on line {line(method)} never puts it there: the names of"
        f" `{method.name}` are gone by then. Keep it in `{method.name}`: `{text}`.",
        f"`backward` 读取 `{case.text(node)}`，而第 {line(method)} 行的 `{method.name}` 从没有把它存进去：到那时 `{method.name}` 里的名字已经"
        f"不在了。请在 `{method.name}` 里保存：`{text}`。",
        _line_fix(case, method, text),
        method,
    )


@finds(errors.FUNCTION_MISUSE)
def _called_as_object(case: Case) -> Finding | None:
    """``relu = MyReLU()`` and ``relu(x)``."""
    call = case.find(ast.Call)
    made = definition(case, call.func) if call is not None and isinstance(call.func, ast.Name | ast.Attribute) else None
    made = made or (call.func if call is not None else None)
    if call is None or not isinstance(made, ast.Call) or not isinstance(made.func, ast.Name) or made.args:
        return None
    owner = next((one for one in case.nodes(ast.ClassDef) if one.name == made.func.id), None)
    if owner is None:
        return None
    methods = [one for one in owner.body if isinstance(one, ast.FunctionDef) and one.name in ("forward", "backward")]
    bare = [one for one in methods if not one.decorator_list]
    edits = case.replace(made, f"{owner.name}.apply")
    for method in bare:
        edits += case.line_before(method, "@staticmethod")
    static, static_zh = (
        (", and put `@staticmethod` above its methods", "，并在它的方法上面写 `@staticmethod`") if bare else ("", "")
    )
    return finding(
        case,
        f"`{case.text(made)}` on line {line(made)} makes an object, and a Function of autograd is used by its class, which records"
        f" it in the graph. Write `{owner.name}.apply` there{static}.",
        f"第 {line(made)} 行的 `{case.text(made)}` 创建了对象，而自定义的 Function 要直接通过类来使用，这样才会记录进计算图。请在那里写"
        f" `{owner.name}.apply`{static_zh}。",
        case.fix(edits, case.statement(made)),
        made,
    )


@finds(errors.FUNCTION_TYPE)
def _no_tensor(case: Case) -> Finding | None:
    """``ctx.save_for_backward(x, n)`` with a number."""
    place = re.search(r"argument (\d+) is of type (\w+)", str(case.details.get("message")))
    used = case.find(ast.Call)
    methods = [one for one in Flow(case).called(used) if isinstance(one, ast.FunctionDef)] if used is not None else []
    calls = [call for method in methods for call in saves(method)]
    if place is None or len(calls) != 1 or int(place[1]) >= len(calls[0].args):
        return None
    call, kind = calls[0], place[2]
    given = call.args[int(place[1])]
    if not isinstance(given, ast.Name) or not isinstance(call.func, ast.Attribute):
        return None
    context, name = case.text(call.func.value), given.id
    kept = f"{context}.{name} = {name}"
    return finding(
        case,
        f"`{case.text(call.func)}` on line {line(call)} keeps tensors alone, and `{name}` is `{kind}`. Keep that in an"
        f" attribute, `{kept}`, and read `{context}.{name}` in `backward`.",
        f"第 {line(call)} 行的 `{case.text(call.func)}` 只保存张量，而 `{name}` 是 `{kind}`。请把它存成属性 `{kept}`，在 `backward` 里读取"
        f" `{context}.{name}`。",
        _as_attribute(case, call, given) or (),
        call,
    )


def _as_attribute(case: Case, call: ast.Call, given: ast.Name) -> Fix | None:
    """The number kept as an attribute, and read back where ``backward`` unpacked it."""
    backward = _methods(case, call).get("backward")
    statement = case.statement(call)
    if backward is None or statement is None:
        return None
    place = call.args.index(given)
    edits = [*case.line_before(statement, f"ctx.{given.id} = {given.id}"), *case.without_argument(call, given)]
    for one in backward.body:
        match one:
            case ast.Assign(targets=[ast.Tuple(elts=parts)], value=source) if reads_saved(source) and place < len(
                parts
            ):
                left = [case.text(part) for at, part in enumerate(parts) if at != place]
                text = f"{', '.join(left)}{',' if len(left) == 1 else ''} = {case.text(source)}"
                read = f"{case.text(parts[place])} = {_context(backward)}.{given.id}"
                edits += case.replace(one, f"{text}\n{' ' * one.col_offset}{read}")
                return apply(case, edits, f"`ctx.{given.id} = {given.id}`", f"`ctx.{given.id} = {given.id}`")
    return None


@finds(mistakes.NONE_OPERAND, python.NONE_ATTRIBUTE, mistakes.NOT_SUBSCRIPTABLE)
def _backward_returns_nothing(case: Case) -> Finding | None:
    """A ``backward`` without ``return``, behind a gradient that is None."""
    node = case.find(ast.AST)
    reads = [one for one in ast.walk(node) if isinstance(one, ast.Attribute) and one.attr == "grad"] if node else []
    functions = [
        method
        for owner in case.nodes(ast.ClassDef)
        if any("Function" in case.text(base) for base in owner.bases)
        for method in owner.body
        if isinstance(method, ast.FunctionDef) and method.name == "backward" and not returned(method)
    ]
    if not reads or len(functions) != 1:
        return None
    method, last = functions[0], functions[0].body[-1]
    return finding(
        case,
        f"`backward` ends on line {last.end_lineno or line(last)} without a `return`, so it gives no gradient, and"
        f" `{case.text(reads[0])}` stays `None`. Give the gradient back with `return`.",
        f"`backward` 在第 {last.end_lineno or line(last)} 行结束时没有 `return`，没有给出梯度，所以 `{case.text(reads[0])}` 一直是 `None`。请用"
        f" `return` 返回梯度。",
        with_return(case, method, last) or (),
        last,
    )
