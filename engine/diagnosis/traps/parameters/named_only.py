"""Statements that only name a method or a function, and call nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine.diagnosis.case import UNKNOWN
from gradflow.engine.diagnosis.findings.graph.kept_methods import only_argument
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.traps.record import Record, Trap, modules_in
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Fix, Note, Text

NOT_CALLED: Final = Trap(
    "method-not-called",
    "`{text}` only names the {kind}: without `()` nothing is called, and nothing happens here.",
    "`{text}` 只是写出了{kind}的名字：没有 `()` 就没有调用，这里什么也不会发生。",
)
_METHOD, _FUNCTION = Text("method", "方法"), Text("function", "函数")

_METHODS: Final = ("backward", "step", "zero_grad", "train", "eval")
"""What is a method whatever it is asked of."""
_OF_MODULES: Final = frozenset(["requires_grad_", "float", "double", "half", "bfloat16", "cpu", "cuda"])
_WITH_ARGUMENTS: Final = frozenset(["to", "apply", "load_state_dict"])
_OF_TENSORS: Final = frozenset(["requires_grad_", "zero_", "detach_", "retain_grad"])
_OF_LISTS: Final = frozenset(["clear", "sort", "reverse"])
_OF_PLOTS: Final = frozenset(["show", "legend", "tight_layout", "close", "clf"])


def not_called(run: Record) -> Iterator[Note]:
    """``loss.backward``, ``net.apply`` or ``main`` as a statement of its own."""
    for statement in run.case.nodes(ast.Expr):
        named = statement.value
        if isinstance(named, ast.Attribute):
            fix, known = _of_attribute(run, named)
            kind = _METHOD
        elif isinstance(named, ast.Name):
            fix, known = _of_name(run, named)
            kind = _FUNCTION
        else:
            continue
        if known:
            yield NOT_CALLED.note(run.program.span_of(named), (), fix, text=run.case.text(named), kind=kind)


def _of_attribute(run: Record, named: ast.Attribute) -> tuple[Fix | None, bool]:
    """The fix, and whether the attribute is a method that would have done something."""
    name, case = named.attr, run.case
    if name in _METHODS or name in _quiet(run, named):
        return _called(run, named), True
    own = _own_method(run, named)
    if own is not None:
        return (_called(run, named) if _takes_nothing(own, 1) else None), True
    held = _held(run, named.value)
    if name in _WITH_ARGUMENTS and _is_module(held):
        given = only_argument(case, name)
        return (run.fix(case.after(named, f"({given})"), f"`({given})`", f"`({given})`") if given else None), True
    return None, False


def _quiet(run: Record, named: ast.Attribute) -> frozenset[str]:
    """The methods of what is asked that do something when they are called without arguments."""
    held = _held(run, named.value)
    if _is_module(held):
        return _OF_MODULES
    if isinstance(held, Tensor):
        return _OF_TENSORS
    if isinstance(held, list | dict | set):
        return _OF_LISTS & frozenset(dir(type(held)))
    plots = run.case.module_alias("matplotlib.pyplot")
    return _OF_PLOTS if plots is not None and run.case.text(named.value) == plots else frozenset()


def _held(run: Record, node: ast.expr) -> object:
    """What an expression stands for at the end; what a name of a method's object keeps is not looked for."""
    return run.case.value(node) if isinstance(node, ast.Name | ast.Attribute) else UNKNOWN


def _is_module(held: object) -> bool:
    return isinstance(held, Layer) and any(True for _ in modules_in(held))


def _own_method(run: Record, named: ast.Attribute) -> ast.FunctionDef | None:
    """The method of a class of the program: of ``self``, or of an object of that class."""
    owner = run.case.enclosing(named, ast.ClassDef) if run.case.text(named.value) == "self" else None
    kind = owner.name if owner is not None else type(_held(run, named.value)).__name__
    found = Flow(run.case).methods(kind).get(named.attr)
    return found if found is not None and not found.decorator_list else None


def _of_name(run: Record, named: ast.Name) -> tuple[Fix | None, bool]:
    """A function of the program's own, which no other value was given the name of."""
    functions = [one for one in run.program.tree.body if isinstance(one, ast.FunctionDef) and one.name == named.id]
    others = [one for one in run.case.nodes(ast.Name) if one.id == named.id and not isinstance(one.ctx, ast.Load)]
    arguments = any(one.arg == named.id for one in run.case.nodes(ast.arg))
    if len(functions) != 1 or others or arguments or functions[0].decorator_list:
        return None, False
    return (_called(run, named) if _takes_nothing(functions[0], 0) else None), True


def _takes_nothing(function: ast.FunctionDef, own: int) -> bool:
    """Whether a function can be called with empty brackets."""
    given = function.args
    needed = len(given.posonlyargs) + len(given.args) - len(given.defaults) - own
    return needed <= 0 and all(one is not None for one in given.kw_defaults)


def _called(run: Record, named: ast.expr) -> Fix | None:
    return run.fix(run.case.after(named, "()"), "Call it: `()`", "加上 `()` 来调用")


TRAPS: Final = (not_called,)
