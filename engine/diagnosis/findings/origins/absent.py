"""`None` that comes from one branch alone: a function that returns in one case only, a parameter that is frozen."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called, insertion
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import birthplace
from gradflow.engine.diagnosis.findings.graph.frozen_whole import freezes
from gradflow.engine.diagnosis.findings.kindred.raw_scales import is_cut_from_layer, not_positive
from gradflow.engine.diagnosis.findings.language.returns import falls_through, open_ends, thrown_away, with_return
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, lines_of_all
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, loops_of, returned
from gradflow.engine.errors.language import mistakes, python
from gradflow.engine.trace import Edit, Fix


def gives(function: ast.FunctionDef) -> bool:
    """Whether a function gives something back anywhere."""
    return bool(returned(function)) or any(isinstance(one, ast.Yield | ast.YieldFrom) for one in ast.walk(function))


def returns_sometimes(case: Case, function: ast.FunctionDef, end: ast.stmt, call: ast.AST | None) -> Finding:
    """A function that gives something back in one branch alone."""
    known, ends = returned(function)[-1], open_ends(function.body)
    lost = [one for one in ends if thrown_away(one) is not None]
    if lost:
        return _computed_in_vain(case, function, lost[0], call)
    end = ends[0] if len(ends) == 1 and not isinstance(ends[0], ast.If) else end
    rows = lines_of_all([line(one) for one in returned(function)])
    several = len(returned(function)) > 1
    where = (
        f"a result only in some cases ({rows[0].lower()})"
        if several
        else f"{code(case, known)} on line {line(known)} only in one case"
    )
    where_zh = (
        f"只在某些情况下返回结果（{rows[1]}）"
        if several
        else f"只在一种情况下于第 {line(known)} 行返回 {code(case, known)}"
    )
    rest, rest_zh = ("in all others", "其他情况下") if several else ("when it does not get there", "走不到那里时")
    return finding(
        case,
        f"`{function.name}` returns {where}; {rest} it ends on line"
        f" {end.end_lineno or line(end)} without a `return`, and {code(case, call) if call is not None else 'it'} gives `None`. Give the result back there, too.",
        f"`{function.name}` {where_zh}；{rest_zh}，它在第 {end.end_lineno or line(end)} 行结束而没有"
        f" `return`，{code(case, call) if call is not None else ''}得到的是 `None`。请在那里也返回结果。",
        _as_elsewhere(case, known, end) or with_return(case, function, end, call) or (),
        end,
    )


def _as_elsewhere(case: Case, known: ast.expr, end: ast.stmt) -> Fix | None:
    """``if bad: v = 0.0`` with ``else: return wrap(v)``: what the other branch gives back is computed from the same variable."""
    match end:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            pass
        case _:
            return None
    outer, other = case.parents.get(end), case.statement(known)
    branches = (outer.body, outer.orelse) if isinstance(outer, ast.If) else ()
    apart = any(end in one for one in branches) and any(other in one for one in branches)
    together = any(end in one and other in one for one in branches)
    reads = any(isinstance(one, ast.Name) and one.id == name for one in ast.walk(known))
    kinds = [ast.unparse(one.func) for one in (known, value) if isinstance(one, ast.Call)]
    span = case.program.span_of(end)
    if (
        not apart
        or together
        or not reads
        or isinstance(known, ast.Name)
        or len(set(kinds)) < len(kinds)
        or span is None
    ):
        return None
    text = f"return {case.text(known)}"
    head = case.line(span.line)[: span.column]
    edits = [insertion(span.end_line, len(case.line(span.end_line)), f"\n{head}{text}")] if not head.strip() else []
    return apply(case, edits, f"`{text}`", f"`{text}`")


def _computed_in_vain(case: Case, function: ast.FunctionDef, end: ast.stmt, call: ast.AST | None) -> Finding:
    """``x.mean()`` as the last statement of a branch."""
    text = f"return {case.text(end)}"
    gives, gives_zh = (
        (f"{code(case, call)} gives", f"{code(case, call)} 得到的是") if call is not None else ("it gives", "得到的是")
    )
    return finding(
        case,
        f"Line {line(end)} computes {code(case, end)} and throws it away: `{function.name}` ends there without a `return`, so"
        f" {gives} `None`. Give it back: `{text}`.",
        f"第 {line(end)} 行计算了 {code(case, end)} 却没有保留：`{function.name}` 在那里结束而没有 `return`，所以{gives_zh} `None`。请返回它：`{text}`。",
        with_return(case, function, end, call) or (),
        end,
    )


@finds(errors.SAMPLER_TYPE, errors.SEQUENCE_ELEMENT)
def _no_sample(case: Case) -> Finding | None:
    """A data set whose ``__getitem__`` gives None."""
    told, node = " ".join(map(str, case.details.values())), case.find(ast.AST)
    if "NoneType" not in told or node is None or (isinstance(node, ast.Call) and called(node) != "next"):
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


def guarded(case: Case, loop: ast.For | ast.comprehension, text: str) -> Fix | None:
    """The turns of a loop for which a condition holds."""
    edits: list[Edit] = []
    if isinstance(loop, ast.comprehension):
        edits = [] if loop.ifs else case.after(loop.iter, f" {text}")
    elif loop.body and (span := case.program.span_of(loop.body[0])) is not None and len(loop.body) == 1:
        head = case.line(span.line)[: span.column]
        edits = case.before(loop.body[0], f"{text}:\n{head}    ") if span.line == span.end_line else []
    return apply(case, edits, f"`{text}`", f"`{text}`")


@finds(python.NONE_ATTRIBUTE, mistakes.NONE_OPERAND, errors.ARGUMENT_TYPE)
def _unused(case: Case) -> Finding | None:
    """The gradients of ``grad(..., allow_unused=True)``, some of which are None."""
    failed = case.find(ast.expr)
    for node in ast.walk(failed) if failed is not None else ():
        if not isinstance(node, ast.Name) or case.value(node) is not None:
            continue
        calls = [
            one
            for one in Flow(case).behind(node)
            if isinstance(one, ast.Call) and any(each.arg == "allow_unused" for each in one.keywords)
        ]
        loops = [one for one in loops_of(case) if node.id in case.text(one.target).replace(",", " ").split()]
        if not calls:
            continue
        text = f"if {node.id} is not None"
        if loops and (kept := _kept(case, loops[-1], node.id)) is not None:
            text, old, value = kept
            return finding(
                case,
                f"{code(case, calls[0])} on line {line(calls[0])} gives `None` for every input that its output was not computed from, for"
                f" `allow_unused` allows that, and `{node.id}` is one of these. Keep `{old}` as it is there: `{text}`.",
                f"第 {line(calls[0])} 行的 {code(case, calls[0])} 对没有参与计算的输入给出 `None`（`allow_unused` 允许这样），`{node.id}` 就是其中之一。"
                f"这时请让 `{old}` 保持原样：`{text}`。",
                case.fix(case.replace(value, text), value),
                calls[0],
            )
        return finding(
            case,
            f"{code(case, calls[0])} on line {line(calls[0])} gives `None` for every input that its output was not computed from, for"
            f" `allow_unused` allows that, and `{node.id}` is one of these. Leave them out: `{text}`.",
            f"第 {line(calls[0])} 行的 {code(case, calls[0])} 对没有参与计算的输入给出 `None`（`allow_unused` 允许这样），`{node.id}` 就是其中之一。请跳过它们："
            f"`{text}`。",
            (guarded(case, loops[-1], text) if loops else None) or (),
            calls[0],
        )
    return None


def _kept(case: Case, loop: ast.For | ast.comprehension, gradient: str) -> tuple[str, str, ast.expr] | None:
    """``p - lr * g`` of a comprehension: what it is to be where there is no gradient, and the parameter; a list keeps its length."""
    outer = case.parents.get(loop)
    value = getattr(outer, "value", getattr(outer, "elt", None)) if isinstance(loop, ast.comprehension) else None
    match value:
        case ast.BinOp(left=ast.Name(id=old), op=ast.Sub() | ast.Add()) as value:
            inside = [one.id for one in ast.walk(value.right) if isinstance(one, ast.Name)]
            if gradient in inside and old != gradient and not getattr(loop, "ifs", ()):
                return f"{old} if {gradient} is None else {case.text(value)}", old, value
    return None


@finds(errors.MODULE_ARGUMENT)
def _not_positive(case: Case) -> Finding | None:
    """``Normal(mu, sigma)`` with what a layer gave for sigma."""
    if (found := not_positive(case)) is None:
        return None
    call, name, given, held = found
    if not (held.requires_grad or is_cut_from_layer(case, given)):
        return None
    torch, imports = case.with_torch()
    text = f"{torch}.nn.functional.softplus({case.text(given)})"
    where, where_zh, made = birthplace(case, given)
    return finding(
        case,
        f"{code(case, given)} is what {code(case, made or given)}{where} gave, which can be any number, here {float(held._a.min()):.4g}, and the `{name}` of"
        f" {code(case, call.func)} has to be greater than 0. Make it so: `{text}`.",
        f"{code(case, given)} 是 {code(case, made or given)}{where_zh} 的输出，可以是任何数，这里是 {float(held._a.min()):.4g}，而 {code(case, call.func)} 的 `{name}` 必须大于 0。"
        f"请变为正数：`{text}`。",
        case.fix([*case.replace(given, text), *imports], call),
        made or given,
    )


def of_frozen(case: Case, node: ast.expr) -> Finding | None:
    """``p.grad`` of every parameter of a model, some of which are frozen."""
    owner = node.value if isinstance(node, ast.Attribute) else None
    frozen = [line(one) for one in case.nodes(ast.stmt) if freezes(one)]
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
    return finding(
        case,
        f"{code(case, loop.iter)} gives all parameters, also those that line {frozen[0]} has frozen: they do not require a gradient, no backward"
        f" pass computes one, and their `.grad` stays `None`. Leave them out: `{text}`.",
        f"{code(case, loop.iter)} 给出所有参数，也包括第 {frozen[0]} 行冻结的参数：它们不需要梯度，反向传播不会为它们计算，`.grad` 一直是 `None`。请跳过它们："
        f"`{text}`。",
        guarded(case, loop, text) or (),
        loop.iter,
    )
