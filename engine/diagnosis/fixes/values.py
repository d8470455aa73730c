"""Fixes of Python's own errors: calls without brackets and brackets without calls, text and numbers, None."""

from __future__ import annotations

import ast
import re
import types
from typing import Final

from gradflow.engine.diagnosis.case import UNKNOWN, Case, gone_through, is_simple
from gradflow.engine.diagnosis.fixers import fixes
from gradflow.engine.diagnosis.fixes.indices import whole
from gradflow.engine.diagnosis.fixes.names import closest
from gradflow.engine.errors.language import mistakes, python
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Edit, Fix, Text

_METHODS: Final = (types.MethodType, types.BuiltinMethodType, types.FunctionType)
_PLAIN: Final = frozenset({"shape", "T", "mT", "H", "grad", "data", "dtype", "ndim", "is_leaf", "grad_fn", "device"})

# -- brackets ----------------------------------------------------------------------------------------------------------


@fixes(mistakes.NOT_CALLABLE)
def _not_a_call(case: Case) -> Fix | None:
    """``x.shape()``, ``x.shape(0)``, ``v(0)``, ``2(a + b)``, ``x.requires_grad(False)``."""
    call = case.find(ast.Call)
    if call is None:
        return None
    if isinstance(call.func, ast.Attribute) and call.func.attr == "requires_grad":
        return case.fix(case.rename_end(call.func, "requires_grad", "requires_grad_"), call)
    if isinstance(call.func, ast.Attribute) and call.func.attr in _PLAIN and not call.args and not call.keywords:
        return case.fix(case.replace(call, case.text(call.func)), call)
    if len(call.args) != 1 or call.keywords or isinstance(call.args[0], ast.Starred):
        return None
    argument, text = case.text(call.args[0]), case.text(call.func)
    kind, value = case.details.get("type"), case.value(call.func)
    if kind in ("int", "float") and isinstance(call.func, ast.Constant):
        return case.fix(case.replace(call, f"{text} * ({argument})"), call)
    if kind in ("list", "tuple", "dict", "Size", "torch.Size") or isinstance(value, Tensor):
        return case.fix(case.replace(call, f"{text}[{argument}]"), call)
    return None


@fixes(mistakes.NOT_SUBSCRIPTABLE)
def _method_in_square_brackets(case: Case) -> Fix | None:
    """``x.size[0]`` -> ``x.size()[0]``, ``f[1]`` -> ``f(1)``."""
    node = case.find(ast.Subscript)
    if node is None or case.details.get("type") not in ("method", "builtin_function_or_method", "function"):
        return None
    if isinstance(node.value, ast.Attribute) and node.value.attr in ("size", "stride", "tolist", "parameters", "items"):
        return case.fix(case.after(node.value, "()"), node)
    if case.details.get("type") == "method":
        return None
    return case.fix(case.replace(node, f"{case.text(node.value)}({case.text(node.slice)})"), node)


@fixes(mistakes.NOT_ITERABLE)
def _something_to_go_through(case: Case) -> Fix | None:
    """``for i in 5`` -> ``for i in range(5)``; a method is called."""
    kind = case.details.get("type")
    node = gone_through(case)
    for part in ast.walk(node) if node is not None and kind in ("method", "builtin_function_or_method") else ():
        if isinstance(part, ast.Attribute) and isinstance(
            case.parents.get(part), ast.Call | ast.For | ast.comprehension
        ):
            parent = case.parents.get(part)
            if not (isinstance(parent, ast.Call) and parent.func is part):
                return case.fix(case.after(part, "()"), node)
    for part in node.args if isinstance(node, ast.Call) else ():
        if isinstance(case.value(part), Layer):
            return case.fix(case.followed(part, ".parameters()"), node)
    loop = case.parents.get(node) if node is not None else None
    if kind == "int" and node is not None and isinstance(loop, ast.For | ast.comprehension) and loop.iter is node:
        return case.fix(case.wrapped(node, "range(", ")"), node)
    if kind == "int" and isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 1:
        if node.func.id in ("list", "tuple", "enumerate"):
            return case.fix(case.wrapped(node.args[0], "range(", ")"), node)
        if node.func.id in ("sum", "max", "min"):
            return None
    return None


@fixes(mistakes.NOT_INTEGER)
def _whole_argument(case: Case) -> Fix | None:
    """``range(n / 2)`` -> ``range(n // 2)``; the length of what is no number."""
    call = case.find(ast.Call)
    for argument in call.args if call else ():
        value = case.value(argument)
        if isinstance(value, list | tuple):
            return case.fix(case.wrapped(argument, "len(", ")"), call)
        if edits := whole(case, argument):
            return case.fix(edits, call)
    return None


@fixes(mistakes.NO_LENGTH)
def _no_length(case: Case) -> Fix | None:
    match case.find(ast.Call):
        case ast.Call(func=ast.Name(id="len"), args=[ast.Attribute() as method]) as call:
            if case.details.get("type") == "method":
                return case.fix(case.wrapped(method, "list(", "())"), call)
    return None


@fixes(mistakes.UNHASHABLE)
def _tuple_key(case: Case) -> Fix | None:
    """A list that is written as a key or as an element of a set."""
    node = case.find(ast.expr)
    match node:
        case ast.Dict(keys=keys):
            lists = [key for key in keys if isinstance(key, ast.List)]
        case ast.Set(elts=parts) | ast.Call(func=ast.Name(id="set" | "frozenset"), args=[ast.List(elts=parts)]):
            lists = [part for part in parts if isinstance(part, ast.List)]
        case ast.Subscript(slice=ast.List() as key):
            lists = [key]
        case _:
            return None
    edits = [edit for part in lists for edit in case.wrapped(part, "tuple(", ")")]
    return case.fix(edits, node)


@fixes(mistakes.IMMUTABLE)
def _list_of(case: Case) -> Fix | None:
    """A tuple that is written to begins as a list."""
    match case.find(ast.Subscript):
        case ast.Subscript(value=ast.Name(id=name)) if case.details.get("type") == "tuple":
            value = case.assignment(name)
            if isinstance(value, ast.Tuple) and case.text(value).startswith("("):
                text = case.text(value)[1:-1].strip().rstrip(",")
                return case.fix(case.replace(value, f"[{text}]"), case.statement(value))
    return None


# -- operators ---------------------------------------------------------------------------------------------------------


@fixes(mistakes.CONCATENATION)
@fixes(mistakes.OPERAND_TYPES)
def _joined(case: Case) -> Fix | None:
    node = case.find(ast.BinOp)
    if node is None:
        return _joined_in_place(case)
    if isinstance(node.op, ast.MatMult) and {"int", "float"} & {case.details.get("left"), case.details.get("right")}:
        return case.fix(case.replace(node, f"{case.text(node.left)} * {case.text(node.right)}"), node)
    for own, other in ((node.left, node.right), (node.right, node.left)):
        own_type, other_type = (case.details.get("left"), case.details.get("right"))
        own_type, other_type = (own_type, other_type) if own is node.left else (other_type, own_type)
        if edits := _made_fitting(case, node, own, other, str(own_type), str(other_type)):
            return case.fix(edits, node)
    return None


def _made_fitting(
    case: Case, node: ast.BinOp, own: ast.expr, other: ast.expr, own_type: str, other_type: str
) -> list[Edit]:
    """Changes of one operand by which it fits the other one."""
    adds = isinstance(node.op, ast.Add)
    if own_type == "str" and adds and other_type not in ("NoneType", "list", "tuple", "bytes"):
        return case.wrapped(other, "str(", ")")
    if own_type.startswith("torch.return_types") and other_type != "str":
        return case.followed(own, ".values")
    if own_type == "tuple" and other_type in ("int", "float", "Tensor") and _has_values(case, own):
        return case.followed(own, ".values")
    if own_type in ("method", "builtin_function_or_method") and isinstance(own, ast.Attribute):
        return case.after(own, "()")
    if {own_type, other_type} == {"list", "tuple"} and adds and own_type == "tuple":
        return case.wrapped(own, "list(", ")")
    if (
        own_type in ("list", "tuple")
        and other_type in ("Tensor", "Parameter")
        and isinstance(own, ast.List | ast.Tuple | ast.Name)
    ):
        torch, imports = case.with_torch()
        return [*case.wrapped(own, f"{torch}.{'stack' if are_tensors(case.value(own)) else 'tensor'}(", ")"), *imports]
    return []


def are_tensors(value: object) -> bool:
    """Whether a value is a list of tensors of one shape, which `torch.stack` makes one of, and `torch.tensor` does not."""
    return (
        isinstance(value, list | tuple)
        and all(isinstance(one, Tensor) for one in value)
        and len({tuple(one.shape) for one in value}) == 1
    )


def _has_values(case: Case, node: ast.expr) -> bool:
    """Whether an expression gives values and indices, as ``max(dim=...)`` does."""
    made = case.assignment(node.id) if isinstance(node, ast.Name) else node
    name = getattr(made.func, "attr", "") if isinstance(made, ast.Call) else ""
    return name in ("max", "min", "sort", "topk", "median", "nanmedian", "mode", "kthvalue", "cummax", "cummin")


def _joined_in_place(case: Case) -> Fix | None:
    """``text += 1`` -> ``text += str(1)``."""
    match case.statement(node) if (node := case.find(ast.AST)) else None:
        case ast.AugAssign(op=ast.Add(), value=value) as statement:
            left, right = case.details.get("left"), case.details.get("right")
            if left == "str" and right != "NoneType":
                return case.fix(case.wrapped(value, "str(", ")"), statement)
            if left == "list":
                return case.fix(case.wrapped(value, "[", "]"), statement)
    return None


@fixes(mistakes.NONE_OPERAND)
@fixes(python.NONE_ATTRIBUTE)
def _none(case: Case) -> Fix | None:
    """A backward that was not called, a gradient that was not kept, a gradient that is not there yet."""
    return _uncalled_backward(case) or _kept_gradient(case) or _guarded(case) or _old_super(case)


def _gradient_owners(case: Case) -> list[ast.expr]:
    """The expressions before ``.grad`` in the statement at the error."""
    node = case.find(ast.AST)
    statement = case.statement(node) if node is not None else None
    parts = list(ast.walk(statement)) if statement is not None else []
    return [part.value for part in parts if isinstance(part, ast.Attribute) and part.attr == "grad"]


def _uncalled_backward(case: Case) -> Fix | None:
    """``loss.backward`` without its brackets does nothing."""
    for statement in case.nodes(ast.Expr):
        match statement.value:
            case ast.Attribute(attr="backward" | "step" | "zero_grad") as method if statement.lineno < case.span.line:
                if method.attr == "backward" and _gradient_owners(case):
                    return case.fix(case.after(method, "()"), statement)
    return None


def _kept_gradient(case: Case) -> Fix | None:
    """A tensor that is no leaf keeps its gradient only where it is asked to."""
    for owner in _gradient_owners(case):
        value = case.value(owner)
        if not isinstance(owner, ast.Name) or not isinstance(value, Tensor) or value.is_leaf or not value.requires_grad:
            continue
        made = case.assignment(owner.id)
        passes = [
            call
            for call in case.nodes(ast.Call)
            if isinstance(call.func, ast.Attribute) and call.func.attr == "backward" and call.lineno < case.span.line
        ]
        statement = case.statement(passes[-1]) if passes else None
        if made is None or statement is None or made.lineno >= statement.lineno:
            continue
        edits = case.line_before(statement, f"{owner.id}.retain_grad()")
        title = f"`{owner.id}.retain_grad()`"
        return case.fix(edits, words=Text(title, title))
    return None


def _guarded(case: Case) -> Fix | None:
    """``if x.grad is not None:`` before a statement that only clears the gradient."""
    node = case.find(ast.AST)
    statement = case.statement(node) if node is not None else None
    match statement:
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=ast.Attribute(attr="grad" | "data") as grad, attr="zero_"))
        ) if is_simple(grad):
            owner = grad.value if grad.attr == "data" else grad
            return case.fix(case.before(statement, f"if {case.text(owner)} is not None: "), statement)
    return None


def _old_super(case: Case) -> Fix | None:
    """``super(Net).__init__()`` lacks the object."""
    for call in case.nodes(ast.Call):
        match call:
            case ast.Call(func=ast.Name(id="super"), args=[_]) if call.lineno == case.span.line:
                return case.fix(case.replace(call, "super()"), case.statement(call))
    return None


# -- text and data -----------------------------------------------------------------------------------------------------


@fixes(mistakes.NOT_A_NUMBER_TEXT)
def _float_of_text(case: Case) -> Fix | None:
    match case.find(ast.Call):
        case ast.Call(func=ast.Name(id="int"), args=[value]) as call:
            try:
                float(str(case.value(value)))
            except ValueError:
                return None
            return case.fix(case.wrapped(value, "float(", ")"), call)
    return None


@fixes(mistakes.GENERATOR_END)
def _default(case: Case) -> Fix | None:
    match case.find(ast.Call):
        case ast.Call(func=ast.Name(id="next"), args=[_]) as call:
            return case.fix(case.argument(call, "None"), call)
    return None


@fixes(python.KEY)
def _close_key(case: Case) -> Fix | None:
    """The key that was probably meant."""
    node = case.find(ast.Subscript)
    held = case.value(node.value) if node else UNKNOWN
    if node is None or not isinstance(held, dict) or not isinstance(node.slice, ast.Constant):
        return None
    meant = closest(str(node.slice.value), [key for key in held if isinstance(key, str)])
    return case.fix(case.replace(node.slice, repr(meant)), node) if meant else None


@fixes(python.UNBOUND_LOCAL)
def _global(case: Case) -> Fix | None:
    """The function writes a name of the program: it says so first."""
    found = re.search(r"variable '(\w+)'", str(case.details.get("message", "")))
    name = found[1] if found else str(case.details.get("name"))
    node = case.find(ast.AST)
    function = case.enclosing(node, ast.FunctionDef) if node is not None else None
    if function is None or not function.body:
        return None
    outer = case.enclosing(function, ast.FunctionDef)
    if outer is not None and any(
        isinstance(part, ast.Name)
        and part.id == name
        and isinstance(part.ctx, ast.Store)
        and case.enclosing(part, ast.FunctionDef) is outer
        for part in ast.walk(outer)
    ):
        word = "nonlocal"
    elif any(name in _stored(statement) for statement in case.program.tree.body):
        word = "global"
    else:
        return None
    first = function.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and len(function.body) > 1:
        first = function.body[1]
    line = f"{word} {', '.join([name, *(_written_with(case, function, name) if word == 'global' else ())])}"
    return case.fix(case.line_before(first, line), words=Text(f"`{line}`", f"`{line}`"))


def _written_with(case: Case, function: ast.FunctionDef, name: str) -> list[str]:
    """Other names of the program that a function writes beside a name: in the same block, which belong together."""
    outer = {one for statement in case.program.tree.body for one in _stored(statement)}
    blocks = {
        id(parent): parent
        for part in ast.walk(function)
        if isinstance(part, ast.Name) and part.id == name and isinstance(part.ctx, ast.Store)
        if isinstance(statement := case.statement(part), ast.stmt)
        and isinstance(parent := case.parents.get(statement), ast.If)
    }
    given = {argument.arg for argument in function.args.args}
    found = [
        target.id
        for block in blocks.values()
        for statement in block.body
        if isinstance(statement, ast.Assign | ast.AugAssign)
        for target in (statement.targets if isinstance(statement, ast.Assign) else [statement.target])
        if isinstance(target, ast.Name) and target.id in outer - given - {name}
    ]
    local = {
        part.id
        for statement in function.body
        if not isinstance(statement, ast.For | ast.While | ast.If | ast.With | ast.Try)
        for part in ast.walk(statement)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }
    return [one for one in dict.fromkeys(found) if one not in local]


def _stored(statement: ast.stmt) -> set[str]:
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return set()
    return {part.id for part in ast.walk(statement) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
