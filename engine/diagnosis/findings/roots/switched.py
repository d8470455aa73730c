"""Recording that was switched off by a call, and stays off: the block that was meant."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, insertion
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.trace import Edit, Fix, Span


@finds(errors.NO_GRAD_FN)
def _never_on_again(case: Case) -> Finding | None:
    """``torch.set_grad_enabled(False)`` as a statement of its own."""
    for statement in case.nodes(ast.Expr):
        match statement.value:
            case ast.Call(func=ast.Attribute(attr="set_grad_enabled", value=owner), args=[flag]) if _is_off(case, flag):
                pass
            case _:
                continue
        constant = isinstance(flag, ast.Constant)
        head = f"with {case.operand(owner)}.no_grad():" if constant else f"with {case.text(statement.value)}:"
        within = _within(case, statement)
        fix = _around(case, statement, within, head) if within else _left_out(case, statement)
        what = f"Write `{head}` and put what needs no graph into that block" if within else "Take the line out"
        what_zh = f"请写 `{head}`，把不需要计算图的部分放进这个块里" if within else "请去掉这一行"
        return finding(
            case,
            f"{code(case, statement)} on line {line(statement)} switches the recording of graphs off for all that follows, also behind the function or"
            f" the loop that it stands in, so nothing has a `grad_fn`. {what}.",
            f"第 {line(statement)} 行的 {code(case, statement)} 关闭了之后所有计算图的记录，离开所在的函数或循环也不会恢复，所以什么都没有 `grad_fn`。"
            f"{what_zh}。",
            fix or (),
            statement,
        )
    return None


def _is_off(case: Case, flag: ast.expr) -> bool:
    """Whether the flag is False, or is so in a call of the function that has it as a parameter."""
    if case.value(flag) is False:
        return True
    given = Flow(case).assigned(flag, flag.id) if isinstance(flag, ast.Name) else ()
    return any(isinstance(one, ast.Constant) and one.value is False for one in given)


def _within(case: Case, statement: ast.stmt) -> list[ast.stmt]:
    """What follows in the same block, up to what learns, defines or switches recording on."""
    parent = case.parents.get(statement)
    bodies = [getattr(parent, "body", None), getattr(parent, "orelse", None), getattr(parent, "finalbody", None)]
    body = next((one for one in bodies if isinstance(one, list) and statement in one), [statement])
    found: list[ast.stmt] = []
    for one in body[body.index(statement) + 1 :]:
        if isinstance(one, ast.FunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom) or _learns(case, one):
            break
        found.append(one)
    failed = case.find(ast.AST)
    read = {one.id for one in ast.walk(failed) if isinstance(one, ast.Name)} if failed is not None else set()
    same = isinstance(parent, ast.Module) or case.enclosing(statement, ast.FunctionDef) is _function(case, failed)
    made = {one.id for each in found for one in ast.walk(each) if isinstance(one, ast.Name) and not _is_read(one)}
    return [] if same and read & made and statement.lineno < case.span.line else found


def _function(case: Case, node: ast.AST | None) -> ast.FunctionDef | None:
    return case.enclosing(node, ast.FunctionDef) if node is not None else None


def _is_read(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Load)


def _learns(case: Case, statement: ast.stmt) -> bool:
    if line(statement) <= case.span.line <= (statement.end_lineno or 0):
        return True
    names = {getattr(one, "attr", "") for one in ast.walk(statement) if isinstance(one, ast.Attribute)}
    return bool(names & {"backward", "set_grad_enabled", "zero_grad", "train"})


def _around(case: Case, statement: ast.stmt, within: list[ast.stmt], head: str) -> Fix | None:
    """The block in the place of the call."""
    own, last = case.program.span_of(statement), case.program.span_of(within[-1])
    if own is None or last is None or not _has_line(case, own):
        return None
    strings = [one for each in within for one in ast.walk(each) if isinstance(one, ast.Constant | ast.JoinedStr)]
    rows = range(own.line + 1, last.end_line + 1)
    if any(one.lineno < row <= (one.end_lineno or 0) for one in strings for row in rows):
        return None
    edits = [Edit(own, head), *(insertion(row, 0, "    ") for row in rows if case.line(row).strip())]
    return apply(case, edits, f"`{head}`", f"`{head}`")


def _has_line(case: Case, span: Span) -> bool:
    """Whether nothing but a comment stands beside a statement on its line."""
    text = case.line(span.line)
    before, behind = text[: span.column].strip(), text[span.end_column :].strip()
    return span.line == span.end_line and not before and (not behind or behind.startswith("#"))


def _left_out(case: Case, statement: ast.stmt) -> Fix | None:
    own = case.program.span_of(statement)
    if own is None or not _has_line(case, own):
        return None
    parent = case.parents.get(statement)
    alone = getattr(parent, "body", None) == [statement] or getattr(parent, "orelse", None) == [statement]
    edits = [Edit(own, "pass")] if alone else [Edit(Span(own.line, 0, own.line + 1, 0), "")]
    return apply(case, edits, f"Take line {own.line} out", f"去掉第 {own.line} 行")
