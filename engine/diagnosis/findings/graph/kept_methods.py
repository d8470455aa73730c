"""A method whose brackets are missing, kept under a name or given back by a function: where that is, and how it is called."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice
from types import MethodType
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, returned
from gradflow.engine.errors.language import mistakes, python
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.tensor import Tensor

_MOST: Final = 12
_NEED_ARGUMENTS: Final = frozenset(
    {
        "to", "apply", "view", "reshape", "permute", "transpose", "expand", "unsqueeze", "masked_fill", "matmul", "mm", "bmm", "dot",
        "add", "sub", "mul", "div", "pow", "gather", "scatter", "index_select", "softmax", "log_softmax", "movedim", "swapaxes",
        "narrow", "split", "chunk", "repeat", "tile", "clamp_min", "clamp_max",
    }
)  # fmt: skip
"""Methods of tensors and modules that cannot be called with empty brackets."""
_KINDS: Final = ("method", "builtin_function_or_method", "Called")
_CODES: Final = (
    errors.NO_SIZE,
    errors.NO_ATTRIBUTE,
    errors.ARGUMENT_TYPE,
    errors.KEYWORD_TYPE,
    python.TYPE,
    python.ATTRIBUTE,
)


@finds(*_CODES)
def _kept_uncalled(case: Case) -> Finding | None:
    """``x = x.flatten`` and ``self.fc(x)``, ``pred = net(x).squeeze`` and ``mse_loss(pred, y)``; ``f"{loss.item:.3f}"``."""
    told = " ".join(str(one) for one in case.details.values())
    if not any(kind in told for kind in _KINDS):
        return None
    for used in _operands(case):
        name = _method(case, used)
        if not name:
            continue
        made = next((one for one in _sources(case, used) if is_bare(case, one, name)), None)
        if made is None or (made is used and "__format__" not in told):
            return None
        if "name" in case.details and isinstance(used, ast.Name) and case.assignment(used.id) is made:
            return None  # an attribute of it is asked for, and it was named on its way there alone
        return _told(case, made, used, name)
    return None


def _method(case: Case, used: ast.expr) -> str:
    """The name of the method of a tensor or a module that an expression is; nothing of anything else."""
    held = case.value(used)
    if isinstance(used, ast.Attribute) and isinstance(case.value(used.value), Tensor):
        return used.attr if callable(getattr(Tensor, used.attr, None)) else ""
    name = str(getattr(held, "__name__", ""))
    if isinstance(held, MethodType):
        return name if isinstance(held.__self__, Tensor | Layer) else ""
    return name if type(held).__name__ == "builtin_function_or_method" and hasattr(Tensor, name) else ""


def _operands(case: Case) -> Iterator[ast.expr]:
    """The names and attributes that the failed expression reads."""
    node = case.find(ast.expr)
    if node is not None:
        read = [one for one in ast.walk(node) if isinstance(one, ast.Name | ast.Attribute)]
        yield from (one for one in read if not _is_called(case, one))


def _sources(case: Case, node: ast.expr) -> Iterator[ast.expr]:
    """What a name stands for, through other names, attributes of objects and functions that give it back."""
    flow, waiting, seen = Flow(case), [node], {node}
    for current in waiting:
        yield current
        before: list[ast.expr] = []
        if isinstance(current, ast.Name):
            before = list(islice(flow.assigned(current, current.id), 4))
        elif isinstance(current, ast.Attribute):
            before = flow.kept(current)
        elif isinstance(current, ast.Call):
            before = [one for function in flow.called(current) for one in returned(function)]
        for one in before[:4]:
            if one not in seen and len(seen) < _MOST:
                seen.add(one)
                waiting.append(one)


def is_bare(case: Case, node: ast.AST, name: str) -> bool:
    """Whether a node names a method and does not call it."""
    return isinstance(node, ast.Attribute) and node.attr == name and not _is_called(case, node)


def _is_called(case: Case, node: ast.AST) -> bool:
    parent = case.parents.get(node)
    return isinstance(parent, ast.Call) and parent.func is node


def _told(case: Case, made: ast.expr, used: ast.expr, name: str) -> Finding:
    given = arguments(case, made, name)
    fix = case.fix(case.after(made, f"({given})"), case.statement(made)) if given is not None else None
    text = f"{case.text(made)}({'...' if given is None else given})"
    here = made is used
    where, where_zh = ("", "") if here else (f" on line {line(made)}", f"第 {line(made)} 行的 ")
    so, so_zh = ("", "") if here else (f", and so is {code(case, used)}", f"，{code(case, used)} 也就是它")
    return finding(
        case,
        f"{code(case, made)}{where} has no brackets, so it is the method `{name}` itself and nothing was computed{so}. Call it there: `{text}`.",
        f"{where_zh}{code(case, made)} 后面没有括号，所以它是方法 `{name}` 本身，什么都没有计算{so_zh}。请在那里调用它：`{text}`。",
        fix or (),
        made,
    )


def arguments(case: Case, made: ast.expr, name: str) -> str | None:
    """What stands in the brackets of the call; None where it needs something that is not certain."""
    if name == "flatten":
        function = case.enclosing(made, ast.FunctionDef)
        return "1" if function is not None and function.name == "forward" else ""
    return only_argument(case, name) if name in _NEED_ARGUMENTS else ""


def only_argument(case: Case, name: str) -> str | None:
    """The one device of the program for ``net.to``, its one function over modules that nothing else calls for ``net.apply``."""
    if name == "to":
        names = {
            target.id
            for one in case.nodes(ast.Assign)
            for target in one.targets
            if isinstance(target, ast.Name) and isinstance(one.value, ast.Call) and called(one.value) == "device"
        }
        return names.pop() if len(names) == 1 else None
    if name != "apply":
        return None
    read = {one.id for one in case.nodes(ast.Name)}
    unused = [one for one in case.program.tree.body if isinstance(one, ast.FunctionDef) and one.name not in read]
    return unused[0].name if len(unused) == 1 and _takes_one(unused[0]) else None


def _takes_one(function: ast.FunctionDef) -> bool:
    given = function.args
    return len(given.args) == 1 and not (given.posonlyargs or given.kwonlyargs or given.vararg or given.kwarg)


@finds(errors.NO_ATTRIBUTE, python.ATTRIBUTE, mistakes.NOT_CALLABLE)
def _with_arguments(case: Case) -> Finding | None:
    """``net = net.to`` and ``net.parameters()``: brackets alone would not do."""
    node = case.find(ast.Attribute)
    if node is None or case.details.get("type") not in _KINDS or not isinstance(node.value, ast.Name):
        return None
    made = case.assignment(node.value.id)
    if not isinstance(made, ast.Attribute) or made.attr not in _NEED_ARGUMENTS:
        return None
    return _told(case, made, node.value, made.attr)
