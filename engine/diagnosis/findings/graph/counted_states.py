"""Arithmetic with fractions on all that a model keeps, in place, where one of its entries counts in whole numbers."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import UNKNOWN, Case, insertion, is_in_place
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import apply, code, finding
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Edit, Fix

_KEPT = ("state_dict", "buffers", "named_buffers")


@finds(errors.RESULT_CAST, errors.NOT_IMPLEMENTED_DTYPE, errors.LERP_DTYPE)
def _counter_among_states(case: Case) -> Finding | None:
    """``for k, v in model.state_dict().items(): average[k].mul_(0.9).add_(v, alpha=0.1)``."""
    node = case.find(ast.AugAssign) or case.find(ast.expr)
    statement = case.statement(node) if node is not None else None
    written = _written(statement)
    loop = _loop(case, statement, written)
    if statement is None or written is None or loop is None or not _goes_through_states(case, loop, written):
        return None
    held = _held(case, written)
    if (held is not None and held.dtype.is_floating_point) or case.details.get("output", "Long") != "Long":
        return None
    key = _key(case, loop)
    name = code(case, written)
    counts = key.endswith("num_batches_tracked")
    entry = f"`{key}`" if key else "a buffer such as `num_batches_tracked`"
    entry_zh = f" `{key}`" if key else "像 `num_batches_tracked` 这样的缓冲区"
    which = "counts batches in whole numbers" if counts else "holds whole numbers"
    which_zh = "用整数记录批次数" if counts else "存的是整数"
    text = f"if {case.text(written)}.is_floating_point():"
    fix, rest, rest_zh = _guarded(case, loop, statement, written)
    return finding(
        case,
        f"In this turn {name} is {entry}, which {which}, and {code(case, statement)} writes fractions into it in"
        f" place. Do that with the floats only: `{text}`{rest}.",
        f"这一轮的 {name} 是{entry_zh}，它{which_zh}，而 {code(case, statement)} 要把小数就地写进去。请只对浮点数这样做：`{text}`{rest_zh}。",
        [fix],
        loop,
    )


def _written(statement: ast.stmt | None) -> ast.expr | None:
    """What a statement writes into: ``a`` of ``a *= 2`` and of ``a.mul_(2).add_(1)``."""
    match statement:
        case ast.AugAssign(target=target):
            return target
        case ast.Expr(value=ast.Call() as call):
            inner: ast.expr = call
            while (
                isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute) and is_in_place(inner.func.attr)
            ):
                inner = inner.func.value
            return inner if isinstance(inner, ast.Name | ast.Subscript) else None
    return None


def _loop(case: Case, statement: ast.stmt | None, written: ast.expr | None) -> ast.For | None:
    """The loop whose turn is about one entry: that which gives a name in what is written its value."""
    names = {one.id for one in ast.walk(written) if isinstance(one, ast.Name)} if written is not None else set()
    loop = case.enclosing(statement, ast.For) if statement is not None else None
    while loop is not None and not names & {one.id for one in ast.walk(loop.target) if isinstance(one, ast.Name)}:
        loop = case.enclosing(loop, ast.For)
    return loop


def _goes_through_states(case: Case, loop: ast.For, written: ast.expr) -> bool:
    """Whether the entries are those of a ``state_dict()`` or the buffers of a model."""
    flow = Flow(case)
    starts = [loop.iter, *([written.value] if isinstance(written, ast.Subscript) else [])]
    return any(
        isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and one.func.attr in _KEPT
        for start in starts
        for one in flow.behind(start)
    )


def _held(case: Case, written: ast.expr) -> Tensor | None:
    value = case.value(written)
    return value if value is not UNKNOWN and isinstance(value, Tensor) else None


def _key(case: Case, loop: ast.For) -> str:
    """The name of the entry of this turn, where the loop has it."""
    names = [case.value(one) for one in ast.walk(loop.target) if isinstance(one, ast.Name)]
    return next((one for one in names if isinstance(one, str)), "")


def _guarded(case: Case, loop: ast.For, statement: ast.stmt, written: ast.expr) -> tuple[Fix | None, str, str]:
    """The write under a condition; with what is done with the others, where the loop has their new values."""
    text = case.text(written)
    span, first = case.program.span_of(statement), loop.body[0]
    if len(loop.body) == 1 and statement is first and span is not None and case.is_plain(span.line):
        indent = case.line(span.line)[: span.column]
        other = _other(case, loop, written)
        rest = f"\n{indent}else:\n{indent}    {text}.copy_({other})" if other else ""
        edits = [insertion(span.line, span.column, f"if {text}.is_floating_point():\n{indent}    ")]
        edits += [insertion(row, 0, "    ") for row in range(span.line + 1, span.end_line + 1)]
        edits += [Edit(insertion(span.end_line, span.end_column, "").span, rest)] if rest else []
        fix = apply(
            case, edits, f"`if {text}.is_floating_point():` around it", f"加上条件 `if {text}.is_floating_point():`"
        )
        more = (f", and copy the others, `{text}.copy_({other})`", f"，其余的直接复制：`{text}.copy_({other})`")
        return (fix, *(more if other else ("", "")))
    base = {one.id for one in ast.walk(written) if isinstance(one, ast.Name)}
    about = all(base & {one.id for one in ast.walk(each) if isinstance(one, ast.Name)} for each in loop.body)
    start = case.program.span_of(first)
    if not about or start is None or any(isinstance(one, ast.Return) for one in ast.walk(loop)):
        return None, "", ""
    indent = case.line(start.line)[: start.column]
    guard = f"if not {text}.is_floating_point():\n{indent}    continue"
    return (
        apply(
            case,
            case.line_before(first, guard),
            f"Leave the others out: `if not {text}.is_floating_point(): continue`",
            f"跳过其余的：`if not {text}.is_floating_point(): continue`",
        ),
        "",
        "",
    )


def _other(case: Case, loop: ast.For, written: ast.expr) -> str:
    """The new value of an entry: the other tensor that a turn has, ``v`` of ``k, v`` or the second of two."""
    names = [one.id for one in ast.walk(loop.target) if isinstance(one, ast.Name)]
    own = case.text(written)
    found = [one for one in names if one != own and not isinstance(case.values.get(one), str)]
    read = {one.id for one in ast.walk(loop.body[0]) if isinstance(one, ast.Name)}
    return found[0] if len(found) == 1 and found[0] in read and found[0] not in _inside(written) else ""


def _inside(written: ast.expr) -> set[str]:
    return {one.id for one in ast.walk(written) if isinstance(one, ast.Name)}
