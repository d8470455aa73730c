"""A number that is only written down, computed by NumPy from a tensor with a gradient: the number itself is meant, without a graph."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, on_line, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import python

_OF_MATH: Final = frozenset({"sqrt", "exp", "log", "log2", "log10", "tanh", "sin", "cos"})
_SINGLE: Final = frozenset({"sqrt", "exp", "log", "log2", "log10", "abs", "square", "tanh"})
_KEEPING: Final = frozenset(
    {"print", "append", "add_scalar", "format", "str", "round", "float", "write", "log", "info", "item"}
)


@finds(errors.NUMPY_REQUIRES_GRAD)
def _only_written_down(case: Case) -> Finding | None:
    """``history.append(np.sqrt(mse))``: ``mse.sqrt().item()``."""
    call = case.find(ast.Call)
    if call is None or len(call.args) != 1 or call.keywords or not isinstance(call.func, ast.Attribute):
        return None
    given, name = call.args[0], call.func.attr
    held = Flow(case).tensor(given)
    if case.text(call.func.value) != case.module_alias("numpy") or held is None:
        return None
    if name not in _SINGLE or held.numel() != 1 or not _is_kept(case, call):
        return None
    text = f"{case.operand(given)}.{name}().item()"
    return finding(
        case,
        f"`{case.text(call.func)}` is a function of NumPy, which takes no tensor that requires a gradient, and {code(case, given)} requires one. The result is"
        f" only kept and shown here, so take the plain number, which carries no graph: `{text}`.",
        f"`{case.text(call.func)}` 是 NumPy 的函数，不接受需要梯度的张量，而 {code(case, given)} 需要梯度。结果在这里只用来记录和显示，所以请取出不带计算图的普通数："
        f"`{text}`。",
        write(case, call, text),
    )


@finds(errors.ARGUMENT_TYPE)
def _of_number(case: Case) -> Finding | None:
    """``torch.sqrt(total / n)`` of numbers of Python, to be shown: ``math.sqrt``."""
    call = case.find(ast.Call)
    if call is None or len(call.args) != 1 or call.keywords or not isinstance(call.func, ast.Attribute):
        return None
    if case.text(call.func.value) != case.module_alias("torch"):
        return None
    return _with_math(case, call, call.args[0], call.func.attr)


@finds(errors.NO_ATTRIBUTE, python.ATTRIBUTE)
def _method_of_number(case: Case) -> Finding | None:
    """``mse.sqrt()`` of ``loss.item()``."""
    node = case.find(ast.Attribute)
    call = case.parents.get(node) if node is not None else None
    if node is None or not isinstance(call, ast.Call) or call.func is not node or call.args or call.keywords:
        return None
    return _with_math(case, call, node.value, node.attr)


def _with_math(case: Case, call: ast.Call, given: ast.expr, name: str) -> Finding | None:
    value = 0.0 if case.details.get("actual") == "float" else case.value(given)
    if (
        name not in _OF_MATH
        or isinstance(value, bool)
        or not isinstance(value, int | float)
        or not _is_kept(case, call)
    ):
        return None
    alias = case.module_alias("math")
    inner = given if isinstance(given, ast.Name) else None
    origin = definition(case, given)
    where, where_zh = on_line(origin) if inner is not None and line(origin) != line(given) else ("", "")
    text = f"{alias or 'math'}.{name}({case.text(given)})"
    edits = [*case.replace(call, text), *([] if alias else case.import_line("import math"))]
    what = f"`{case.text(call.func)}`"
    return finding(
        case,
        f"{code(case, given)}{where} is a plain number of Python, and {what} belongs to tensors. The result is only shown or kept here, so no tensor is needed:"
        f" the function of `math` takes numbers, `{text}`.",
        f"{code(case, given)}{where_zh} 是 Python 的普通数，而 {what} 属于张量。结果在这里只用来显示和记录，不需要张量：`math` 里的函数接受普通数，`{text}`。",
        apply(case, edits, f"`{text}`", f"`{text}`"),
        origin if where else call,
    )


def _is_kept(case: Case, call: ast.Call) -> bool:
    """Whether what a call gives is written down or shown, and nothing else."""
    statement = case.statement(call)
    if isinstance(statement, ast.Assign) and isinstance(target := statement.targets[0], ast.Name):
        flow = Flow(case)
        uses = [
            one
            for one in case.nodes(ast.Name)
            if one.id == target.id and isinstance(one.ctx, ast.Load) and flow.scope(one) is flow.scope(call)
        ]
        return bool(uses) and all(_is_shown(case, one) for one in uses)
    return _is_shown(case, call)


def _is_shown(case: Case, node: ast.expr) -> bool:
    """Whether an expression stands in a statement of its own that prints it, keeps it, or asks how large it is."""
    current: ast.AST | None = case.parents.get(node)
    while isinstance(current, ast.expr | ast.FormattedValue | ast.keyword):
        if isinstance(current, ast.Call) and called(current) in _KEEPING and current.func is not node:
            return True
        if isinstance(current, ast.Compare):
            return True
        current = case.parents.get(current)
    return False
