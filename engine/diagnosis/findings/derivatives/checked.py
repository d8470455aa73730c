"""A ``backward`` that ``gradcheck`` refuses: for which input, where its gradient is computed, and how the two Jacobians differ."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding, Reading
from gradflow.engine.diagnosis.findings.derivatives.compared import Fact, Factor, Value, compared
from gradflow.engine.diagnosis.findings.derivatives.custom_function import reads_saved
from gradflow.engine.diagnosis.findings.derivatives.rewritten import rewritten
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, text_with
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, returned
from gradflow.engine.errors.language import python
from gradflow.engine.namespace.autograd.gradcheck import Difference
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.trace import Fix, Text

_MOST = 28
"""Changes of a formula that are tried."""


@dataclass(frozen=True)
class _Formula:
    """The gradient of one input in a ``backward``: the class, its methods, the number of the input there, and the expression."""

    owner: ast.ClassDef
    forward: ast.FunctionDef
    backward: ast.FunctionDef
    input: int
    node: ast.expr

    @property
    def parameter(self) -> str:
        """What ``forward`` calls the input."""
        return self.forward.args.args[self.input + 1].arg


@finds(python.UNCLASSIFIED)
def _near(case: Case) -> Finding | None:
    """A small change of the formula with which the check passes."""
    difference, formula = case.details.get("difference"), _formula(case)
    if not isinstance(difference, Difference) or formula is None:
        return None
    fact = compared(difference, _known(case, formula, difference))
    if fact.text or fact.kind == "zero" or not _arrives(case, formula):
        return None  # told exactly
    head, head_zh = _head(case, formula)
    readings: list[Reading] = []
    for node, old, new in rewritten(case, formula.node, _inside(case, formula), [*_names(case, formula)]):
        fix = apply(case, case.replace(old, new[0]), f"`{new[1]}`", f"`{new[1]}`")
        place = case.program.span_of(node)
        if fix is not None and place is not None and len(readings) < _MOST:
            part = "" if old is node else f", with `{new[0]}` for {code(case, old)}"
            part_zh = "" if old is node else f"，即把 {code(case, old)} 换成 `{new[0]}`"
            en = f"{head} one change makes the check pass. On line {line(node)}, write `{new[1]}`{part}."
            zh = f"{head_zh}有一处改动能让检查通过。请在第 {line(node)} 行写 `{new[1]}`{part_zh}。"
            readings.append(Reading(fix, Text(en, zh), place))
    return Finding(fixes=[one.fix for one in readings], guess=True, readings=readings) if readings else None


@finds(python.UNCLASSIFIED)
def _derivative_differs(case: Case) -> Finding | None:
    """``gradcheck`` of a ``backward`` that is wrong."""
    difference, formula = case.details.get("difference"), _formula(case)
    if not isinstance(difference, Difference) or formula is None:
        return None
    node = formula.node
    head, head_zh = _head(case, formula)
    arriving = formula.backward.args.args[1].arg if len(formula.backward.args.args) > 1 else "grad_output"
    fact = compared(difference, _known(case, formula, difference))
    if fact.kind != "zero" and not _arrives(case, formula):
        fact = Fact(
            "arriving",
            f"does not use `{arriving}`, the gradient that arrives, so all outputs count as one",
            f"没有用到传来的梯度 `{arriving}`，于是所有输出都按 1 计",
            Factor(arriving),
        )
    fix, action, action_zh = _multiplied(case, node, fact.factor) if fact.factor is not None else (None, "", "")
    if not action:
        action, action_zh = f"Derive it anew by `{formula.parameter}`", f"请对 `{formula.parameter}` 重新推导"
    if fact.kind == "zero":
        name = formula.parameter
        action, action_zh = (
            f"Compute the derivative by `{name}`, times `{arriving}`",
            f"请计算对 `{name}` 的导数，并乘上 `{arriving}`",
        )
    if fact.kind == "transposed":
        action, action_zh = "Look at which side of the product is transposed", "请检查乘积中哪一边要转置"
    return finding(
        case,
        f"{head} {code(case, node)} on line {line(node)} {fact.en}. {action}.",
        f"{head_zh}第 {line(node)} 行的 {code(case, node)} {fact.zh}。{action_zh}。",
        fix or (),
        node,
    )


def _head(case: Case, formula: _Formula) -> tuple[str, str]:
    name = formula.parameter
    return (
        f"`gradcheck` compared the gradient that `backward` of `{formula.owner.name}` gives for input {formula.input}, `{name}` (analytical), with the change of the"
        f" output under tiny steps of it (numerical), and they differ:",
        f"`gradcheck` 把 `{formula.owner.name}` 的 `backward` 对第 {formula.input} 个输入 `{name}` 给出的梯度（analytical）与它微小变化时输出的变化（numerical）作了比较，两者不同：",
    )


def _multiplied(case: Case, node: ast.expr, factor: Factor) -> tuple[Fix | None, str, str]:
    """The formula with a factor, divided by one, or with the other sign."""
    closed = isinstance(node, ast.Name | ast.Call | ast.Attribute | ast.Subscript) or (
        isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div | ast.Pow)
    )
    own = case.text(node) if closed else f"({case.text(node)})"
    if factor.text == "-1":
        text = case.text(node.operand) if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) else f"-{own}"
        return apply(case, case.replace(node, text), f"`{text}`", f"`{text}`"), f"Write `{text}`", f"请写 `{text}`"
    if factor.number and (part := _scaled(case, node, factor.number)) is not None:
        text = text_with(case, node, *part)
        return apply(case, case.replace(*part), f"`{text}`", f"`{text}`"), f"Write `{text}`", f"请写 `{text}`"
    text = f"{own} / {factor.text}" if factor.divides else f"{factor.text} * {own}"
    if not factor.at_hand:
        return (
            None,
            f"Save `{factor.text}` in `forward`, and write `{text}`",
            f"请在 `forward` 里保存 `{factor.text}`，并写 `{text}`",
        )
    return apply(case, case.replace(node, text), f"`{text}`", f"`{text}`"), f"Write `{text}`", f"请写 `{text}`"


def _scaled(case: Case, node: ast.expr, ratio: float) -> tuple[ast.expr, str] | None:
    """The whole number in a product that becomes another one by a factor: 3 for 2."""
    for one in ast.walk(node):
        outer = case.parents.get(one)
        if (
            isinstance(one, ast.Constant)
            and type(one.value) is int
            and isinstance(outer, ast.BinOp)
            and isinstance(outer.op, ast.Mult)
        ):
            new = one.value * ratio
            if abs(new - round(new)) < 1e-3 and round(new):
                return one, str(round(new))
    return None


# -- where the gradient is computed ----------------------------------------------------------------------------------


def _formula(case: Case) -> _Formula | None:
    difference, call = case.details.get("difference"), case.find(ast.Call)
    given = argument_of(call, 0, "func") if call is not None and called(call) == "gradcheck" else None
    if not isinstance(difference, Difference) or given is None:
        return None
    for owner in case.nodes(ast.ClassDef):
        methods = {one.name: one for one in owner.body if isinstance(one, ast.FunctionDef)}
        forward, backward = methods.get("forward"), methods.get("backward")
        at = _input(case, given, owner, difference.input)
        if (
            forward is None
            or backward is None
            or at is None
            or "setup_context" in methods
            or len(forward.args.args) < at + 2
        ):
            continue
        results = returned(backward)
        result = results[-1] if len(results) == 1 else None
        parts = result.elts if isinstance(result, ast.Tuple) else [result] if result is not None else []
        if at < len(parts):
            return _Formula(owner, forward, backward, at, _computed(case, parts[at]))
    return None


def _input(case: Case, given: ast.expr, owner: ast.ClassDef, number: int) -> int | None:
    """Which input of a Function the input of the checked function is."""
    if case.text(given) == f"{owner.name}.apply":
        return number
    function: ast.AST | None = given if isinstance(given, ast.Lambda) else None
    if isinstance(given, ast.Name):
        function = next((one for one in case.nodes(ast.FunctionDef) if one.name == given.id), None)
        known = next(iter(Flow(case).assigned(given, given.id)), None) if function is None else None
        if known is not None and not isinstance(known, ast.Lambda):
            return _input(case, known, owner, number) if not isinstance(known, ast.Name) else None
        function = function or known
    if not isinstance(function, ast.FunctionDef | ast.Lambda) or number >= len(function.args.args):
        return None
    name = function.args.args[number].arg
    for call in (one for one in ast.walk(function) if isinstance(one, ast.Call)):
        if case.text(call.func) == f"{owner.name}.apply":
            return next((at for at, one in enumerate(call.args) if isinstance(one, ast.Name) and one.id == name), None)
    return None


def _computed(case: Case, node: ast.expr) -> ast.expr:
    """The expression behind the name that is given back."""
    for _ in range(3):
        if not isinstance(node, ast.Name):
            return node
        before = next(iter(Flow(case).assigned(node, node.id)), None)
        if before is None or reads_saved(before) or isinstance(before, ast.Tuple):
            return node
        node = before
    return node


def _inside(case: Case, formula: _Formula) -> list[ast.expr]:
    """The expressions of ``backward`` behind the names that the formula uses."""
    found = []
    for one in ast.walk(formula.node):
        if isinstance(one, ast.Name):
            made = _computed(case, one)
            if made is not one and made not in found:
                found.append(made)
    return found


def _arrives(case: Case, formula: _Formula) -> bool:
    """Whether the formula uses the gradient of the output."""
    names = {one.arg for one in formula.backward.args.args[1:]}
    parts = [formula.node, *_inside(case, formula)]
    return bool(formula.backward.args.vararg) or any(
        isinstance(one, ast.Name) and one.id in names for part in parts for one in ast.walk(part)
    )


# -- what it can be multiplied by ------------------------------------------------------------------------------------


def _names(case: Case, formula: _Formula) -> Iterator[str]:
    """What ``backward`` has at hand: saved tensors, and what the context keeps."""
    arriving = {one.arg for one in formula.backward.args.args}
    stored = [one for one in ast.walk(formula.backward) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]
    owner = formula.backward.args.args[0].arg
    kept = [
        f"{owner}.{target.attr}"
        for one in ast.walk(formula.forward)
        if isinstance(one, ast.Assign)
        for target in one.targets
        if isinstance(target, ast.Attribute) and case.text(target.value) == formula.forward.args.args[0].arg
    ]
    saved = [
        one
        for one in stored
        if one.id not in arriving
        and isinstance(statement := case.statement(one), ast.Assign)
        and reads_saved(statement.value)
    ]
    yield from dict.fromkeys([*kept, *(one.id for one in saved)])


def _known(case: Case, formula: _Formula, difference: Difference) -> dict[str, tuple[Value, bool]]:
    """The inputs of ``forward`` by what ``backward`` calls them: the values, and whether they are at hand there."""
    at_hand = [*_names(case, formula)]
    found: dict[str, tuple[Value, bool]] = {}
    call = case.find(ast.Call)
    given = argument_of(call, 0, "func") if call is not None else None
    kept = {
        case.text(one.value): case.text(one.targets[0])
        for one in ast.walk(formula.forward)
        if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Attribute)
    }
    for number, value in enumerate(difference.given):
        at = _input(case, given, formula.owner, number) if given is not None else None
        if at is None or at + 1 >= len(formula.forward.args.args):
            continue
        name = formula.forward.args.args[at + 1].arg
        text = name if name in at_hand else kept.get(name, name)
        array = getattr(value, "_a", value)
        if isinstance(array, np.ndarray | float | int) and not isinstance(array, bool):
            found[text] = (array, text in at_hand)
    return found
