"""Full backward hooks before functions that work in place: the hook makes a view of what the module gives."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called, is_in_place
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.fixes.writes import elsewhere
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.trace import Edit

_HOOKS: Final = ("register_full_backward_hook", "register_full_backward_pre_hook", "register_module_full_backward_hook")


@finds(errors.FUNCTION_VIEW_INPLACE)
def _hooked(case: Case) -> Finding | None:
    """``conv.register_full_backward_hook(f)``, and ``nn.ReLU(inplace=True)`` behind ``conv``."""
    if "BackwardHookFunction" not in str(case.details.get("message", "BackwardHookFunction")):
        return None
    hooks = [one for one in case.nodes(ast.Call) if called(one) in _HOOKS]
    if not hooks:
        return None
    hook = hooks[0]
    own = _written_here(case)
    places = [own] if own is not None else _switched_on(case, hook)
    if not places:
        return None
    lines = ", ".join(dict.fromkeys(str(line(one)) for one in places))
    held = case.text(hook.func.value) if isinstance(hook.func, ast.Attribute) else "the module"
    edits = [edit for one in places for edit in _out_of_place(case, one)]
    action = "`inplace=False`" if own is None else "the function that makes a new tensor"
    action_zh = "`inplace=False`" if own is None else "改用生成新张量的函数"
    return finding(
        case,
        f"`{called(hook)}` on line {line(hook)} puts a function of its own around `{held}`, which gives what comes out as a view, and {code(case, places[0])}"
        f" on line {lines} changes that view in place; the gradient would go past the hook. Do not work in place there: {action}.",
        f"第 {line(hook)} 行的 `{called(hook)}` 在 `{held}` 外面加了一个自己的函数，它把输出作为视图给出，而第 {lines} 行的 {code(case, places[0])} 就地修改了这个视图，"
        f"梯度会绕过钩子。那里请不要就地计算：{action_zh}。",
        [apply(case, edits, "Not in place", "不就地计算")],
        places[0],
    )


def _written_here(case: Case) -> ast.expr | ast.stmt | None:
    """What works in place at the error itself."""
    statement = case.find(ast.AugAssign)
    if statement is not None:
        return statement
    call = case.find(ast.Call)
    if call is None or isinstance(case.value(call.func), Layer):
        return None
    return call if is_in_place(called(call)) or _flag(call) is not None else None


def _flag(call: ast.Call) -> ast.expr | None:
    """The ``True`` that says that a layer works in place."""
    for one in call.keywords:
        if one.arg == "inplace" and isinstance(one.value, ast.Constant) and one.value.value is True:
            return one.value
    match call:
        case ast.Call(args=[ast.Constant(value=True) as flag], keywords=[]) if "LU" in called(call):
            return flag
    return None


def _switched_on(case: Case, hook: ast.Call) -> list[ast.expr | ast.stmt]:
    """The layers that work in place: the one behind the hooked layer, where that is known, else all."""
    flagged = [one for one in case.nodes(ast.Call) if _flag(one) is not None]
    held = _layer(case, hook.func.value) if isinstance(hook.func, ast.Attribute) else None
    behind = _behind(case, held) if isinstance(held, Layer) else None
    return [behind] if behind in flagged and behind is not None else list(flagged)


def _layer(case: Case, node: ast.expr) -> object:
    """The value of an expression, also of ``body[2]``."""
    match node:
        case ast.Subscript(value=owner, slice=index):
            whole, at = _layer(case, owner), case.value(index)
            children = list(whole.children()) if isinstance(whole, Layer) else []
            return children[at] if isinstance(at, int) and -len(children) <= at < len(children) else None
    return case.value(node)


def _behind(case: Case, held: Layer) -> ast.expr | None:
    """Where the layer is made that a ``Sequential`` of the program has behind this one."""
    for value in list(case.values.values()):
        for module in value.modules() if isinstance(value, Layer) else ():
            children = list(module.children())
            if type(module).__name__ != "Sequential" or not any(one is held for one in children):
                continue
            at = next(index for index, one in enumerate(children) if one is held) + 1
            names = [type(one).__name__ for one in children]
            calls = [
                one
                for one in case.nodes(ast.Call)
                if called(one) == "Sequential"
                and [called(each) if isinstance(each, ast.Call) else "" for each in one.args] == names
            ]
            if len(calls) == 1 and at < len(children):
                return calls[0].args[at]
    return None


def _out_of_place(case: Case, node: ast.expr | ast.stmt) -> list[Edit]:
    """The same, giving a new tensor."""
    if isinstance(node, ast.Call) and (flag := _flag(node)) is not None:
        return case.replace(flag, "False")
    if made := elsewhere(case, node):
        return made
    if isinstance(node, ast.Call) and not isinstance(case.parents.get(node), ast.Expr):
        name = called(node)
        return case.rename_end(node.func, name, name[:-1])
    return []
