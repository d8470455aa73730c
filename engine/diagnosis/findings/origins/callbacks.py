"""Functions that PyTorch calls: what they are given."""

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
