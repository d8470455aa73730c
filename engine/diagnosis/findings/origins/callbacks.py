"""Functions that PyTorch calls: how many arguments they get, and what these are."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import mistakes, python
from gradflow.engine.trace import Edit, Fix, Span, Text

_HOOKS: Final = {
    "register_forward_hook": ("module", "inputs", "output"),
    "register_forward_pre_hook": ("module", "inputs"),
    "register_full_backward_hook": ("module", "grad_input", "grad_output"),
    "register_hook": ("grad",),
}


def hook_of(case: Case, function: ast.FunctionDef | ast.Lambda) -> tuple[str, ast.Call] | None:
    """The method that a function was registered with, by itself or as what another one returns."""
    for call in case.nodes(ast.Call):
        name = str(getattr(call.func, "attr", ""))
        for given in call.args[:1] if name in _HOOKS else ():
            if any(one is function or _names(case, one, function) for one in Flow(case).behind(given)):
                return name, call
    return None


def _names(case: Case, node: ast.expr, function: ast.FunctionDef | ast.Lambda) -> bool:
    """Whether a name stands for a function, where the name is known."""
    if not isinstance(function, ast.FunctionDef) or not isinstance(node, ast.Name) or node.id != function.name:
        return False
    return Flow(case).scope(node) in (Flow(case).scope(function), case.program.tree)


@finds(mistakes.NEEDS_SELF, errors.TOO_MANY_ARGUMENTS, errors.MISSING_PYTHON_ARGUMENT, mistakes.TAKES_NO_ARGUMENTS)
def _other_arguments(case: Case) -> Finding | None:
    """A hook that takes other arguments than PyTorch gives it."""
    told = str(case.details)
    for function in case.nodes(ast.FunctionDef):
        if f"{function.name}()" not in told and f"{function.name}'" not in told and f"{function.name}`" not in told:
            continue
        registered = hook_of(case, function)
        own = [one.arg for one in function.args.args if one.arg != "self"]
        if registered is None or len(own) == len(_HOOKS[registered[0]]):
            continue
        name, call = registered
        wanted = list(_HOOKS[name])
        text = ", ".join(_completed(own, wanted))
        return finding(
            case,
            f"`{function.name}` (line {line(function)}) is registered with `{name}` on line {line(call)}, and PyTorch calls it with"
            f" {len(wanted)} argument{'s' * (len(wanted) != 1)}: `{', '.join(wanted)}`. It takes {len(own)}. Write `def {function.name}({text}):`.",
            f"`{function.name}`（第 {line(function)} 行）在第 {line(call)} 行用 `{name}` 注册，PyTorch 调用它时会给出 {len(wanted)} 个参数："
            f"`{', '.join(wanted)}`。而它只接受 {len(own)} 个。请写成 `def {function.name}({text}):`。",
            _with_arguments(case, function, text),
            function,
        )
    return None


def _completed(own: list[str], wanted: list[str]) -> list[str]:
    """The names that a function has, in the places where they belong, with those that it lacks."""
    if len(own) > len(wanted):
        return own[: len(wanted)]
    missing = [one for one in wanted if not any(one.startswith(each[:3]) for each in own)]
    names = [next((each for each in own if one.startswith(each[:3])), one) for one in wanted]
    return names if len(missing) == len(wanted) - len(own) else [*own, *wanted[len(own) :]]


def _with_arguments(case: Case, function: ast.FunctionDef, text: str) -> list[Fix | None]:
    own = [one for one in function.args.args if one.arg != "self"]
    first, last = (case.program.span_of(own[0]), case.program.span_of(own[-1])) if own else (None, None)
    if first is None or last is None:
        return []
    whole = Span(first.line, first.column, last.end_line, last.end_column)
    if case.program.text_at(whole).count(",") != len(own) - 1:
        return []
    title = f"`{function.name}({text})`"
    return [case.fix([Edit(whole, text)], None, Text(title, title))]


@finds(errors.NO_ATTRIBUTE, python.ATTRIBUTE, mistakes.OPERAND_TYPES, errors.ARGUMENT_TYPE, python.TYPE)
def _inputs_of_hook(case: Case) -> Finding | None:
    """``inp.shape`` in a hook, whose inputs are a tuple."""
    node = case.find(ast.Attribute) or case.find(ast.BinOp) or case.find(ast.Call)
    for one in ast.walk(node) if node is not None else ():
        function = case.enclosing(one, ast.FunctionDef) if isinstance(one, ast.Name) else None
        own = [each.arg for each in function.args.args if each.arg != "self"] if function is not None else []
        if not isinstance(one, ast.Name) or one.id not in own or not isinstance(case.value(one), tuple):
            continue
        registered = hook_of(case, function) if function is not None else None
        wanted = _HOOKS[registered[0]] if registered is not None else ()
        if registered is None or own.index(one.id) >= len(wanted) or wanted[own.index(one.id)] not in _TUPLES:
            continue
        what, what_zh = _TUPLES[wanted[own.index(one.id)]]
        return finding(
            case,
            f"PyTorch calls this hook (line {line(registered[1])}) with {what} as a tuple, and `{one.id}` is that tuple, also where there is"
            f" one. Take the first: `{one.id}[0]`.",
            f"PyTorch 调用这个钩子（第 {line(registered[1])} 行）时，{what_zh}以元组给出，`{one.id}` 就是这个元组，即使只有一个也是如此。请取第一个："
            f"`{one.id}[0]`。",
            case.fix(case.after(one, "[0]"), node),
            one,
        )
    return None


_TUPLES: Final = {
    "inputs": ("the inputs of the module", "模块的输入"),
    "grad_input": ("the gradients of the inputs", "输入的梯度"),
    "grad_output": ("the gradients of the outputs", "输出的梯度"),
}
