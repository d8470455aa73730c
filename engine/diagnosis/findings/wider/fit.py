"""``model.fit(...)`` of Keras, written out as the loop that it stands for."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import apply, finding
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.errors.language import python
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.namespace.optim.optimizer import Optimizer
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Edit

_PASSED_OVER: Final = ("verbose", "shuffle", "workers")
"""Arguments that the loop has no need of."""


@finds(errors.NO_ATTRIBUTE, python.ATTRIBUTE)
def _fit(case: Case) -> Finding | None:
    """``model.fit(X, y, epochs=20, batch_size=16)``, with a loss and an optimizer in the program."""
    node = case.find(ast.Attribute)
    call = case.parents.get(node) if node is not None else None
    if node is None or node.attr != "fit" or not isinstance(call, ast.Call) or call.func is not node:
        return None
    if not isinstance(case.details.get("value", case.value(node.value)), Layer):
        return None
    losses = [
        name for name, one in case.values.items() if isinstance(one, Layer) and type(one).__name__.endswith("Loss")
    ]
    steppers = [name for name, one in case.values.items() if isinstance(one, Optimizer)]
    lines = _loop(case, call, losses[0], steppers[0]) if len(losses) == len(steppers) == 1 else []
    if not lines:
        return None
    inner = [one.strip() for one in lines if not one.strip().startswith("for ")]
    each = [f"`{one}`" for one in inner]
    return finding(
        case,
        f"`fit` is a word of Keras. PyTorch has no `fit`: write the loop, and in each turn {', '.join(each[:-1])} and {each[-1]}.",
        f"`fit` 是 Keras 的写法。PyTorch 没有 `fit`：请自己写循环，每一轮依次是 {'、'.join(each)}。",
        apply(case, _in_place(case, call, lines), "Write the loop out", "把循环写出来") or (),
        node,
    )


def _loop(case: Case, call: ast.Call, loss: str, stepper: str) -> list[str]:
    """The lines of the loop; none where an argument of ``fit`` says something that they would leave out."""
    given = {one.arg: one.value for one in call.keywords}
    data: list[ast.expr | None] = [*call.args[:2], *(given.pop(name, None) for name in ("x", "y") if name in given)]
    epochs, size = given.pop("epochs", None), given.pop("batch_size", None)
    if set(given) - set(_PASSED_OVER) or len(call.args) > 2 or not data or not isinstance(call.func, ast.Attribute):
        return []
    model = case.text(call.func.value)
    epoch, inputs, targets, value = (
        _free(case, names)
        for names in (("epoch", "turn"), ("inputs", "rows"), ("targets", "wanted"), ("loss", "cost", "loss_now"))
    )
    texts = [case.text(one) for one in data if one is not None]
    head = [f"for {epoch} in range({case.text(epochs)}):"] if epochs is not None else []
    if len(data) == 1 and type(case.value(data[0])).__name__ == "DataLoader":
        head.append(f"for {inputs}, {targets} in {texts[0]}:")
    elif len(data) != 2 or not all(isinstance(case.value(one), Tensor) for one in data):
        return []
    elif size is None:
        inputs, targets = texts
    else:
        parts = ", ".join(f"{case.operand(one)}.split({case.text(size)})" for one in data if one is not None)
        head.append(f"for {inputs}, {targets} in zip({parts}):")
    body = [
        f"{stepper}.zero_grad()",
        f"{value} = {loss}({model}({inputs}), {targets})",
        f"{value}.backward()",
        f"{stepper}.step()",
    ]
    return [
        *(f"{'    ' * depth}{one}" for depth, one in enumerate(head)),
        *(f"{'    ' * len(head)}{one}" for one in body),
    ]


def _free(case: Case, names: Sequence[str]) -> str:
    """The first name that the program does not use for something else."""
    used = {one.id for one in case.nodes(ast.Name)}
    return next((name for name in names if name not in used and name not in case.values), names[-1])


def _in_place(case: Case, call: ast.Call, lines: Sequence[str]) -> list[Edit]:
    """The loop in the place of a statement that is the call, or keeps under a name what nobody reads."""
    statement = case.statement(call)
    if not isinstance(statement, ast.Expr | ast.Assign) or statement.value is not call:
        return []
    if isinstance(statement, ast.Assign):
        kept = [one.id for target in statement.targets for one in ast.walk(target) if isinstance(one, ast.Name)]
        if any(one.id in kept and isinstance(one.ctx, ast.Load) for one in case.nodes(ast.Name)):
            return []
    span = case.program.span_of(statement)
    if span is None or case.line(span.line)[: span.column].strip():
        return []
    return case.replace(statement, f"\n{' ' * span.column}".join(lines))
