"""Functions that an optimizer is given for its steps, and that compute no gradients."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine.diagnosis.case import called
from gradflow.engine.diagnosis.findings.graph.step_functions import step_with_function
from gradflow.engine.diagnosis.findings.words import line
from gradflow.engine.diagnosis.traps.edits import line_before
from gradflow.engine.diagnosis.traps.record import Record, Trap
from gradflow.engine.namespace.optim.optimizer import Optimizer
from gradflow.engine.trace import Note

NO_PASS: Final = Trap(
    "closure-without-backward",
    "`{name}` computes the loss and no gradients: it does not call `backward()`, and no parameter had a gradient in line {step}, so {step_text}"
    " moved nothing. Call `{loss}.backward()` before the loss is given back.",
    "`{name}` 只计算了损失，没有计算梯度：它没有调用 `backward()`，到第 {step} 行时没有任何参数有梯度，所以 {step_text} 什么也没有更新。请在返回损失之前调用"
    " `{loss}.backward()`。",
)
_PASSES: Final = ("backward", "grad", "manual_backward")


def without_pass(run: Record) -> Iterator[Note]:
    """``opt.step(closure)``, where ``closure`` computes a loss that requires a gradient and only gives it back."""
    idle = [event for event in run.steps if event.told["idle"] and not event.told["tensors"]]
    for call in run.case.nodes(ast.Call):
        given = step_with_function(run.case, call)
        own = [event for event in run.steps if given is not None and run.span(event.place) == run.program.span_of(call)]
        if given is None or not own or any(event not in idle for event in own):
            continue
        function, last = given[1], given[1].body[-1]
        if not isinstance(run.case.value(getattr(call.func, "value", None)), Optimizer) or _may_pass(run, function):
            continue
        if not isinstance(last, ast.Return) or not isinstance(last.value, ast.Name):
            continue
        loss = last.value.id
        fix = run.fix(line_before(run.case, last, f"{loss}.backward()"), f"`{loss}.backward()`", f"`{loss}.backward()`")
        words = {"name": function.name, "step": line(call), "step_text": f"`{run.case.text(call)}`", "loss": loss}
        yield NO_PASS.note(run.program.span_of(last), (), fix, **words)


def _may_pass(run: Record, function: ast.FunctionDef) -> bool:
    """Whether a function goes back through a graph, or calls one of the program that may."""
    own = {one.name for one in run.case.nodes(ast.FunctionDef) if _names_pass(one)}
    return _names_pass(function) or any(isinstance(one, ast.Call) and called(one) in own for one in ast.walk(function))


def _names_pass(function: ast.FunctionDef) -> bool:
    return any(isinstance(one, ast.Call) and called(one) in _PASSES for one in ast.walk(function))


TRAPS: Final = (without_pass,)
