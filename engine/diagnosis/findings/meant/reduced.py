"""Losses with one number for each sample that reach a comparison of numbers: their mean is what is meant."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.origins.several import unreduced
from gradflow.engine.diagnosis.findings.practice.handed_on import given_outside
from gradflow.engine.diagnosis.findings.targets import tested
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.trace import Fix

_OF_NUMBERS: Final = ("min", "max", "float", "int", "round")
_ONE_NUMBER: Final = frozenset({"item", "mean", "sum", "max", "min", "detach"})


@finds(errors.BOOL_AMBIGUOUS, errors.NUMBER_NOT_SCALAR)
def _loss_for_each_sample(case: Case) -> Finding | None:
    """``if value < self.best`` in a class for early stopping that is given losses with ``reduction="none"``."""
    for operand in _compared(case):
        kept = _kept(case, operand)
        held = Flow(case).tensor(kept or operand)
        if not isinstance(kept or operand, ast.Name) or held is None or held.numel() < 2:
            continue
        given = kept or given_outside(case, [operand])[0]
        outer = case.parents.get(operand)
        if given is operand and not (isinstance(outer, ast.Call) and called(outer) in ("min", "max")):
            continue  # what one line computes and the next one compares is told where it is computed
        made = definition(case, given)
        loss = next(unreduced(case, made), None) if isinstance(made, ast.Call) else None
        if loss is None or not isinstance(made, ast.Call) or not _is_of(case, made, loss):
            continue
        fix, text = _reduced(case, operand, given, made)
        return finding(
            case,
            f"{code(case, given)} (line {line(made)}) holds {held.numel()} losses, one for each sample, for {code(case, loss)} on line {line(loss)} is told"
            f' `reduction="none"`; line {case.span.line} needs one number. Take their mean{_where(given, operand)[0]}: `{text}`.',
            f'{code(case, given)}（第 {line(made)} 行）有 {held.numel()} 个损失，每个样本一个，因为第 {line(loss)} 行的 {code(case, loss)} 写了 `reduction="none"`；而第'
            f" {case.span.line} 行只要一个数。请{_where(given, operand)[1]}取平均：`{text}`。",
            fix or (),
            given if given is not operand else made,
        )
    return None


def _kept(case: Case, operand: ast.expr) -> ast.Name | None:
    """The name whose values a list keeps, where one of its elements is compared: ``history[-1]`` after ``history.append(loss)``."""
    if not isinstance(operand, ast.Subscript) or not isinstance(case.value(operand.value), list):
        return None
    held = case.text(operand.value)
    added = [
        one.args[0]
        for one in case.nodes(ast.Call)
        if called(one) == "append" and one.args and case.text(one.func) == f"{held}.append"
    ]
    return added[0] if len(added) == 1 and isinstance(added[0], ast.Name) else None


def _where(given: ast.expr, operand: ast.expr) -> tuple[str, str]:
    """Where the mean is taken of what one function hands to another."""
    return (
        ("", "") if given is operand else (f" where line {line(given)} hands it over", f"在第 {line(given)} 行传入时")
    )


def _compared(case: Case) -> list[ast.expr]:
    """What is compared, or made a number, at the error."""
    node = tested(case)
    node = definition(case, node) if isinstance(node, ast.Name) else node
    for one in ast.walk(node) if node is not None else ():
        match one:
            case ast.Compare(left=left, ops=[ast.Lt() | ast.Gt() | ast.LtE() | ast.GtE()], comparators=[right]):
                return [left, right]
            case ast.Call(args=args) if called(one) in (*_OF_NUMBERS, "step"):
                return list(args)
    return []


def _is_of(case: Case, made: ast.Call, loss: ast.Call) -> bool:
    """Whether a call gave the losses as they are: nothing was computed of them in between."""
    return made is loss or definition(case, made.func) is loss or bool(Flow(case).called(made)) or made.func is loss


def _reduced(case: Case, operand: ast.expr, given: ast.expr, made: ast.Call) -> tuple[Fix | None, str]:
    if given is not operand:
        number = "" if isinstance(operand, ast.Name) and _asked_for_number(case, operand) else ".item()"
        text = f"{case.operand(given)}.mean(){number}"
        return case.fix(case.followed(given, f".mean(){number}"), case.parents.get(given)), text
    if not isinstance(operand, ast.Name):
        return None, ""
    text = f"{case.operand(made)}.mean()"
    if _per_sample(case, operand):
        return case.fix(case.followed(operand, ".mean()"), case.parents.get(operand)), f"{operand.id}.mean()"
    return case.fix(case.followed(made, ".mean()"), case.statement(made)), text


def _asked_for_number(case: Case, operand: ast.Name) -> bool:
    """Whether the function itself asks what it is given for its number."""
    scope = Flow(case).scope(operand)
    return any(
        isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name) and one.value.id == operand.id
        for one in ast.walk(scope)
    )


def _per_sample(case: Case, operand: ast.Name) -> bool:
    """Whether the losses of the samples are used one by one elsewhere: computed with, or chosen from."""
    flow = Flow(case)
    for one in case.nodes(ast.Name):
        if one.id != operand.id or flow.scope(one) is not flow.scope(operand) or isinstance(one.ctx, ast.Store):
            continue
        outer = case.parents.get(one)
        if isinstance(outer, ast.BinOp | ast.Subscript):
            return True
        if isinstance(outer, ast.Attribute) and outer.attr not in _ONE_NUMBER:
            return True
    return False
