"""Functions that differentiate: given a tensor where they take a function, a function where they take a tensor."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.derivatives.one_number import differentiating, function_given
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, lines_of_all, on_line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import returned
from gradflow.engine.errors.language import mistakes, python
from gradflow.engine.tensor import Tensor

_TAKERS: Final = frozenset({"jacobian", "hessian", "vjp", "jvp", "vhp", "hvp", "grad", "jacrev", "jacfwd", "vmap"})


@finds(mistakes.NOT_CALLABLE)
def _tensor_for_function(case: Case) -> Finding | None:
    """``jacobian(y, x)`` for ``jacobian(f, x)``."""
    call = case.find(ast.Call)
    if call is None or called(call) not in _TAKERS or not call.args or not isinstance(case.value(call.args[0]), Tensor):
        return None
    given = call.args[0]
    inputs = call.args[1:2]
    made = case.assignment(given.id) if isinstance(given, ast.Name) else given
    text = _as_function(case, made, inputs[0]) if made is not None and inputs else None
    example = text or "lambda x: ..."
    place, place_zh = on_line(made if made is not given else None)
    return finding(
        case,
        f"`{called(call)}` takes a function, which it calls itself, and {code(case, given)}{place} is a tensor, computed already."
        f" Give it the computation as a function: `{example}`.",
        f"`{called(call)}` 需要一个由它自己来调用的函数，而 {code(case, given)}{place_zh} 是已经算好的张量。请把计算写成函数交给它："
        f"`{example}`。",
        case.fix(case.replace(given, text), call) if text else (),
        made,
    )


def _as_function(case: Case, made: ast.expr, wanted: ast.expr) -> str | None:
    """The expression that computed a tensor, as a function of what it was computed from."""
    if not isinstance(wanted, ast.Name):
        return None
    match made:
        case ast.Call(func=ast.Name(id=name), args=[ast.Name(id=argument)], keywords=[]) if argument == wanted.id:
            return name
    inner = {one.id for one in ast.walk(made) if isinstance(one, ast.Name)}
    between = [
        name for name in inner - {wanted.id} if isinstance(held := case.values.get(name), Tensor) and held.grad_fn
    ]
    return f"lambda {wanted.id}: {case.text(made)}" if wanted.id in inner and not between else None


@finds(errors.MISSING_PYTHON_ARGUMENT, python.ATTRIBUTE, errors.NO_ATTRIBUTE, python.TYPE, errors.ARGUMENT_TYPE)
def _function_for_tensor(case: Case) -> Finding | None:
    """``torch.autograd.grad(f)``, as in JAX."""
    call = case.find(ast.Call)
    if call is None or called(call) != "grad" or "autograd" not in case.text(call.func) or not call.args:
        return None
    given = call.args[0]
    if not isinstance(given, ast.Name | ast.Lambda) or isinstance(case.value(given), Tensor):
        return None
    if not isinstance(given, ast.Lambda) and not any(one.name == given.id for one in case.nodes(ast.FunctionDef)):
        return None
    torch, imports = case.with_torch()
    if len(call.args) == 1 and not call.keywords:
        text = f"{torch}.func.grad"
        return finding(
            case,
            f"{code(case, call.func)} takes the output, a tensor, and the inputs; {code(case, given)} is a function. The function"
            f" that makes a derivative of a function, as `jax.grad` does, is `{text}({case.text(given)})`.",
            f"{code(case, call.func)} 的参数是输出张量和输入张量，而 {code(case, given)} 是函数。像 `jax.grad` 那样由函数得到导函数，要用"
            f" `{text}({case.text(given)})`。",
            case.fix([*case.replace(call.func, text), *imports], call),
        )
    if len(call.args) < 2:
        return None
    applied = f"{case.text(given)}({case.text(call.args[1])})"
    return finding(
        case,
        f"{code(case, call.func)} takes the output that was computed, and {code(case, given)} is the function itself. Call it:"
        f" `{applied}`.",
        f"{code(case, call.func)} 需要算出来的输出，而 {code(case, given)} 是函数本身。请调用它：`{applied}`。",
        case.fix(case.replace(given, applied), call) if isinstance(given, ast.Name) else (),
    )


_WITH_MORE: Final = ("grad", "grad_and_value", "jacrev", "jacfwd")


@finds(errors.DERIVATIVE_CALL, errors.DERIVATIVE_TYPE)
def _more_than_loss(case: Case) -> Finding | None:
    """``grad(f)`` of a function that returns its loss and more."""
    call = case.find(ast.Call)
    if call is None or "tuple" not in str(case.details.get("message")):
        return None
    made = differentiating(case, call)
    if made is call or called(made) not in _WITH_MORE or not made.args:
        return None
    if any(one.arg == "has_aux" for one in made.keywords):
        return None
    function = function_given(case, made.args[0])
    results = returned(function) if function is not None else []
    result = results[-1] if results else None
    if not isinstance(result, ast.Tuple) or len(result.elts) != 2:
        return None
    first, second = (code(case, one) for one in result.elts)
    statement, edits = case.statement(call), case.argument(made, "has_aux=True")
    match statement:
        case ast.Assign(targets=[ast.Name() as target], value=value) if (
            value is call and called(made) != "grad_and_value"
        ):
            edits += case.after(target, ", _")
        case ast.Assign(targets=[ast.Tuple(elts=[_, ast.Name() as target])], value=value) if value is call:
            edits = [*case.argument(made, "has_aux=True"), *case.wrapped(target, "(", ", _)")]
        case _:
            edits = []
    text = f"{case.text(made.func)}({case.text(made.args[0])}, has_aux=True)"
    comes, comes_zh = f"a pair, too, the derivative and {second}", f"一对，即导数和 {second}"
    if called(made) == "grad_and_value":
        comes, comes_zh = (
            f"the derivative and the pair of {first} and {second}",
            f"导数，以及 {first} 和 {second} 这一对",
        )
        match statement:
            case ast.Assign(targets=[ast.Tuple(elts=[_, ast.Tuple(elts=[_, _])])], value=value) if value is call:
                edits = case.argument(made, "has_aux=True")
    return finding(
        case,
        f"{code(case, made.args[0])} returns a pair on line {line(result)}, {first} and {second}, and {code(case, made.func)} on line {line(made)} differentiates"
        f" a function that returns one tensor. Say that the rest comes along, `{text}`: what is called then gives {comes}.",
        f"{code(case, made.args[0])} 在第 {line(result)} 行返回了一对：{first} 和 {second}，而第 {line(made)} 行的 {code(case, made.func)} 只对返回一个张量的函数求导。请说明另一个只是附带的，写"
        f" `{text}`：这样调用的结果是{comes_zh}。",
        apply(case, edits, f"`{text}`", f"`{text}`") or (),
        made,
    )


@finds(errors.DERIVATIVE_VALUE, errors.DERIVATIVE_TYPE)
def _list_of_parameters(case: Case) -> Finding | None:
    """``functional_call(model, [w, b], x)`` with a list where names are needed."""
    call = case.find(ast.Call)
    if call is None or len(call.args) < 2 or "parameter_and_buffer_dicts" not in str(case.details.get("message", "")):
        return None
    model, given = case.text(call.args[0]), call.args[1]
    held = case.value(given)
    if not isinstance(held, list | tuple) or not all(isinstance(one, Tensor) for one in held):
        return None
    text = f"dict(zip([name for name, _ in {model}.named_parameters()], {case.text(given)}))"
    made = case.assignment(given.id) if isinstance(given, ast.Name) else None
    where, where_zh = on_line(made)
    return finding(
        case,
        f"{code(case, call.func)} finds each tensor by the name of its parameter, and {code(case, given)}{where} is a list of {len(held)} tensors without"
        f" names. Give them their names: `{text}`.",
        f"{code(case, call.func)} 按参数的名字来找张量，而 {code(case, given)}{where_zh} 是 {len(held)} 个没有名字的张量组成的列表。请给出名字：`{text}`。",
        case.fix(case.replace(given, text), call),
        given,
    )


@finds(errors.DERIVATIVE_TYPE)
def _list_for_tensor(case: Case) -> Finding | None:
    """``jacobian(f, x)`` of a function that returns ``[x, y]``."""
    call = case.find(ast.Call)
    message = str(case.details.get("message"))
    if call is None or not call.args or "outputs of the user-provided function" not in message or "list" not in message:
        return None
    function = function_given(case, call.args[0])
    results = returned(function) if function is not None else []
    result = results[-1] if len(results) == 1 else None
    if not isinstance(result, ast.List):
        return None
    torch, imports = case.with_torch()
    text = f"{torch}.stack({case.text(result)})"
    edits, again = [*case.replace(result, text), *imports], _stacked(case, getattr(function, "name", ""))
    edits += [edit for one in again for edit in case.replace(one, case.text(one.args[0]))]
    more, more_zh = "", ""
    if again:
        rows, rows_zh = lines_of_all([line(one) for one in again])
        more = f", and what {code(case, call.args[0])} gives is one tensor everywhere: leave the `stack` out on {rows[:1].lower()}{rows[1:]}"
        more_zh = f"，而 {code(case, call.args[0])} 在各处给出的也已经是一个张量：请去掉{rows_zh}的 `stack`"
    return finding(
        case,
        f"{code(case, call.args[0])} returns the list {code(case, result)} on line {line(result)}, and {code(case, call.func)} differentiates what is one tensor, or"
        f" a tuple of tensors. Return one tensor, `{text}`: the derivative is then one tensor{more}.",
        f"{code(case, call.args[0])} 在第 {line(result)} 行返回列表 {code(case, result)}，而 {code(case, call.func)} 只对一个张量或张量的元组求导。请返回一个张量"
        f" `{text}`：这样导数就是一个张量{more_zh}。",
        apply(case, edits, f"`{text}`", f"`{text}`") or (),
        result,
    )


def _stacked(case: Case, name: str) -> list[ast.Call]:
    """``torch.stack(f(x))``: the calls that make one tensor of what a function gives."""
    return [
        one
        for one in case.nodes(ast.Call)
        if called(one) == "stack"
        and len(one.args) == 1
        and not one.keywords
        and isinstance(one.args[0], ast.Call)
        and isinstance(one.args[0].func, ast.Name)
        and one.args[0].func.id == name
    ]
