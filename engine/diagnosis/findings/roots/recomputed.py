"""Checkpointed functions that do something else when they are run again: what counts, draws or was switched between the two."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called, insertion
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.trace import Edit, Fix, Span

_DRAWS: Final = frozenset(
    {"random", "randint", "choice", "uniform", "gauss", "rand", "randn", "bernoulli", "randrange"}
)
_CHANGES: Final = frozenset(
    {"append", "add", "pop", "popleft", "insert", "extend", "update", "discard", "remove", "clear"}
)
Branch = ast.If | ast.IfExp | ast.While
Block = ast.FunctionDef | ast.Lambda


@finds(errors.RECOMPUTED)
def _otherwise(case: Case) -> Finding | None:
    """``checkpoint(self.block, x)`` of a function that takes another branch the second time."""
    for call in case.nodes(ast.Call):
        if called(call) not in ("checkpoint", "checkpoint_sequential") or not call.args:
            continue
        for block in _run(case, call.args[0]):
            for branch in (one for one in ast.walk(block) if isinstance(one, Branch)):
                if (found := _decided(case, call, block, branch)) is not None:
                    return found
    return None


def _run(case: Case, given: ast.expr) -> Iterator[Block]:
    """The functions that a checkpoint runs: that of the name, and the `forward` of a layer."""
    if isinstance(given, ast.Lambda):
        yield given
        return
    name = getattr(given, "attr", getattr(given, "id", ""))
    yield from (one for one in case.nodes(ast.FunctionDef) if one.name == name)
    kind = type(case.value(given)).__name__
    for owner in case.nodes(ast.ClassDef):
        yield from (
            one
            for one in owner.body
            if owner.name == kind and isinstance(one, ast.FunctionDef) and one.name == "forward"
        )


def _decided(case: Case, call: ast.Call, block: Block, branch: Branch) -> Finding | None:
    read = {case.text(one) for one in ast.walk(branch.test) if isinstance(one, ast.Name | ast.Attribute)}
    counted = [one for one in _changed(case, block) if one[1] in read]
    drawn = [one for one in ast.walk(branch.test) if isinstance(one, ast.Call) and called(one) in _DRAWS]
    test = code(case, branch.test)
    name = block.name if isinstance(block, ast.FunctionDef) else "lambda"
    if counted:
        place, what = counted[0]
        why = f"changes `{what}` on line {line(place)} each time it runs"
        why_zh = f"每次运行都会在第 {line(place)} 行改变 `{what}`"
        action = f"Change `{what}` outside of it, and hand the decision {test} over as an argument"
        action_zh = f"请在它外面改变 `{what}`，并把判断 {test} 的结果作为参数传进去"
        return _said(
            case, name, branch, (why, why_zh, action, action_zh), _handed(case, call, block, branch, place), place
        )
    if drawn:
        why = f"draws {code(case, drawn[0])} on line {line(drawn[0])} anew each time it runs"
        why_zh = f"每次运行都会在第 {line(drawn[0])} 行重新抽取 {code(case, drawn[0])}"
        action = f"Draw outside of it, and hand the decision {test} over as an argument"
        action_zh = f"请在它外面抽取，并把判断 {test} 的结果作为参数传进去"
        return _said(
            case, name, branch, (why, why_zh, action, action_zh), _handed(case, call, block, branch, None), drawn[0]
        )
    switched = [
        one
        for one in case.nodes(ast.stmt)
        if case.enclosing(one, ast.FunctionDef) is not block and _sets(case, one, read)
    ]
    late = [one for one in switched if line(one) > line(call)]
    if not late:
        return None
    why = f"depends on {test}, which line {line(late[-1])} changes before the backward pass runs it again"
    why_zh = f"取决于 {test}，而第 {line(late[-1])} 行在反向传播再次运行它之前改变了它"
    action = f"Move line {line(late[-1])} behind the backward pass, or hand the decision {test} over as an argument"
    action_zh = f"请把第 {line(late[-1])} 行移到反向传播之后，或者把判断 {test} 的结果作为参数传进去"
    return _said(
        case, name, branch, (why, why_zh, action, action_zh), _handed(case, call, block, branch, None), late[-1]
    )


def _said(
    case: Case, name: str, branch: Branch, words: tuple[str, str, str, str], fix: Fix | None, cause: ast.AST
) -> Finding:
    why, why_zh, action, action_zh = words
    return finding(
        case,
        f"`checkpoint` runs `{name}` again in the backward pass, and `{name}` {why}; so line {line(branch)} takes another branch than before, and"
        f" other tensors are saved. {action}.",
        f"`checkpoint` 会在反向传播时再次运行 `{name}`，而 `{name}` {why_zh}；于是第 {line(branch)} 行走了与之前不同的分支，保存的张量也就不同。{action_zh}。",
        fix or (),
        cause,
    )


def _changed(case: Case, block: Block) -> Iterator[tuple[ast.AST, str]]:
    """What a function changes that outlives it, and the text of it."""
    kept = {name for one in ast.walk(block) if isinstance(one, ast.Global | ast.Nonlocal) for name in one.names}
    for one in ast.walk(block):
        match one:
            case ast.AugAssign(target=target) | ast.Assign(targets=[target]):
                inner = target.value if isinstance(target, ast.Subscript) else target
                if isinstance(inner, ast.Attribute) or target is not inner or getattr(inner, "id", "") in kept:
                    yield one, case.text(inner)
            case ast.Call(func=ast.Attribute(value=ast.Name() | ast.Attribute() as owner, attr=name)) if (
                name in _CHANGES
            ):
                yield one, case.text(owner)
            case ast.Call(func=ast.Name(id="next"), args=[ast.Name() | ast.Attribute() as owner]):
                yield one, case.text(owner)


def _sets(case: Case, statement: ast.stmt, read: set[str]) -> bool:
    match statement:
        case ast.Assign(targets=[target]) | ast.AugAssign(target=target):
            inner = target.value if isinstance(target, ast.Subscript) else target
            if isinstance(inner, ast.Attribute):
                return any(one.rpartition(".")[2] == inner.attr for one in read if "." in one)
            return case.text(inner) in read and case.enclosing(statement, ast.FunctionDef) is None
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="eval" | "train"))):
            return any(one.endswith(".training") for one in read)
    return False


def _handed(case: Case, call: ast.Call, block: Block, branch: Branch, place: ast.AST | None) -> Fix | None:
    """The decision as an argument: counted and made in front of the checkpoint, where all that it reads is known."""
    if (
        not isinstance(block, ast.FunctionDef)
        or called(call) != "checkpoint"
        or block.args.vararg
        or block.args.defaults
    ):
        return None
    outer, statement = case.enclosing(call, ast.FunctionDef), case.statement(call)
    own = {one.id for one in ast.walk(block) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    own |= {one.arg for one in block.args.args if one.arg != "self"}
    names = {one.id for one in ast.walk(branch.test) if isinstance(one, ast.Name)}
    in_class, out_class = case.enclosing(block, ast.ClassDef), case.enclosing(call, ast.ClassDef)
    uses = [
        one
        for one in case.nodes(ast.expr)
        if getattr(one, "attr", getattr(one, "id", "")) == block.name and isinstance(one, ast.Name | ast.Attribute)
    ]
    kept = isinstance(place, ast.stmt) and place not in block.body
    several = place is not None and sum(1 for one in _changed(case, block) if one[1] in case.text(branch.test)) > 1
    if (
        names & own
        or len(uses) != 1
        or statement is None
        or kept
        or several
        or ("self" in names and in_class is not out_class)
    ):
        return None
    if place is not None and (not isinstance(place, ast.AugAssign) or "global" in case.text(block)):
        return None
    if place is not None and line(place) > line(branch):
        return None
    flag = next(one for one in ("chosen", "other", "decided") if one not in own | names)
    outside = {one.id for one in ast.walk(outer) if isinstance(one, ast.Name)} if outer is not None else set()
    last = block.args.args[-1] if block.args.args else None
    given = call.args[-1]
    if last is None or flag in outside:
        return None
    edits = [
        *case.after(last, f", {flag}"),
        *case.replace(branch.test, flag),
        *case.after(given, f", {case.text(branch.test)}"),
    ]
    if place is not None:
        span = case.program.span_of(place)
        if span is None or case.line(span.line).strip() != case.text(place):
            return None
        edits += [Edit(Span(span.line, 0, span.line + 1, 0), ""), *_in_front(case, statement, case.text(place))]
    return apply(case, edits, f"Hand `{flag}` over", f"传入 `{flag}`")


def _in_front(case: Case, statement: ast.stmt, text: str) -> list[Edit]:
    span = case.program.span_of(statement)
    if span is None:
        return []
    return [insertion(span.line, span.column, f"{text}\n{case.line(span.line)[: span.column]}")]
