"""`None` that comes from one branch alone: a function that returns in one case only, a parameter that is frozen."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.language.returns import falls_through, with_return
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import loops_of, returned
from gradflow.engine.trace import Edit


def gives(function: ast.FunctionDef) -> bool:
    """Whether a function gives something back anywhere."""
    return bool(returned(function)) or any(isinstance(one, ast.Yield | ast.YieldFrom) for one in ast.walk(function))


def returns_sometimes(case: Case, function: ast.FunctionDef, end: ast.stmt, call: ast.AST | None) -> Finding:
    """A function that gives something back in one branch alone."""
    known = returned(function)[-1]
    return finding(
        case,
        f"`{function.name}` returns {code(case, known)} on line {line(known)} only in one case; when it does not get there it ends on line"
        f" {end.end_lineno or line(end)} without a `return`, and {code(case, call) if call is not None else 'it'} gives `None`. Give the result back there, too.",
        f"`{function.name}` 只在一种情况下于第 {line(known)} 行返回 {code(case, known)}；走不到那里时，它在第 {end.end_lineno or line(end)} 行结束而没有"
        f" `return`，{code(case, call) if call is not None else ''}得到的是 `None`。请在那里也返回结果。",
        with_return(case, function, end) or (),
        end,
    )


@finds(errors.SAMPLER_TYPE)
def _no_sample(case: Case) -> Finding | None:
    """A data set whose ``__getitem__`` gives None."""
    told, node = str(case.details.get("message", "")), case.find(ast.AST)
    if "NoneType" not in told or node is None:
        return None
    for function in case.nodes(ast.FunctionDef):
        if function.name != "__getitem__":
            continue
        end = falls_through(function)
        if not gives(function):
            last = function.body[-1]
            return finding(
                case,
                f"`__getitem__` ends on line {last.end_lineno or line(last)} without a `return`, so every sample of the loader is `None`."
                f" Give the sample back at its end with `return`.",
                f"`__getitem__` 在第 {last.end_lineno or line(last)} 行结束时没有 `return`，所以加载器得到的每个样本都是 `None`。请在末尾用 `return`"
                f" 返回样本。",
                with_return(case, function, last) or (),
                last,
            )
        if end is not None:
            return returns_sometimes(case, function, end, None)
    return None


def of_frozen(case: Case, node: ast.expr) -> Finding | None:
    """``p.grad`` of every parameter of a model, some of which are frozen."""
    owner = node.value if isinstance(node, ast.Attribute) else None
    frozen = [line(one) for one in case.nodes(ast.stmt) if _freezes(one)]
    loops = [
        one
        for one in loops_of(case)
        if isinstance(one.target, ast.Name | ast.Tuple)
        and owner is not None
        and case.text(owner) in case.text(one.target)
        and "parameters()" in case.text(one.iter)
    ]
    if owner is None or not frozen or not loops:
        return None
    name, loop = case.text(owner), loops[-1]
    text = f"if {name}.grad is not None"
    edits: list[Edit] = []
    if isinstance(loop, ast.comprehension):
        edits = [] if loop.ifs else case.after(loop.iter, f" {text}")
    elif loop.body and (span := case.program.span_of(loop.body[0])) is not None and len(loop.body) == 1:
        head = case.line(span.line)[: span.column]
        edits = case.before(loop.body[0], f"{text}:\n{head}    ") if span.line == span.end_line else []
    return finding(
        case,
        f"{code(case, loop.iter)} gives all parameters, also those that line {frozen[0]} has frozen: they do not require a gradient, no backward"
        f" pass computes one, and their `.grad` stays `None`. Leave them out: `{text}`.",
        f"{code(case, loop.iter)} 给出所有参数，也包括第 {frozen[0]} 行冻结的参数：它们不需要梯度，反向传播不会为它们计算，`.grad` 一直是 `None`。请跳过它们："
        f"`{text}`。",
        apply(case, edits, f"`{text}`", f"`{text}`") or (),
        loop.iter,
    )


def _freezes(statement: ast.stmt) -> bool:
    match statement:
        case ast.Assign(targets=[ast.Attribute(attr="requires_grad")], value=ast.Constant(value=False)):
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="requires_grad_"), args=[ast.Constant(value=False)])):
            return True
    return False
