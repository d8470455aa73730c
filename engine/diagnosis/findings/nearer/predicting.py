"""``net.predict(x)`` of Keras, where the model has layers that behave otherwise while it trains: it needs ``eval()`` before."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called, insertion
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.layers import maker_of
from gradflow.engine.diagnosis.findings.operands.batches import training_goes_on
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import python
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.trace import Edit

_OF_TRAINING: Final = ("Dropout", "AlphaDropout", "FeatureAlphaDropout", "BatchNorm")
_DOES: Final = {
    "Dropout": ("drops numbers", "会随机丢弃一些数"),
    "BatchNorm": ("takes mean and variance over the batch", "会使用这一批样本的均值和方差"),
}


@finds(errors.NO_ATTRIBUTE, python.ATTRIBUTE)
def _predicted_in_training(case: Case) -> Finding | None:
    """``net.predict(x)`` and ``net.evaluate(x, y)``, with dropout in the model."""
    node = case.find(ast.Attribute)
    call = case.parents.get(node) if node is not None else None
    if node is None or not isinstance(call, ast.Call) or call.func is not node or not call.args:
        return None
    model = case.details.get("value", case.value(node.value))
    if node.attr not in ("predict", "evaluate") or not isinstance(model, Layer):
        return None
    held = [one for one in model.modules() if type(one).__name__.startswith(_OF_TRAINING) and one.training]
    if not held or _is_trained_by(case, call):
        return None
    return _told(case, node, call, held[0])


def _is_trained_by(case: Case, call: ast.Call) -> bool:
    """Whether a loss is computed from a prediction, to go back through."""
    flow = Flow(case)
    passes = [
        one.func.value
        for one in case.nodes(ast.Call)
        if isinstance(one.func, ast.Attribute) and called(one) == "backward"
    ]
    return any(call is one for each in passes for one in flow.behind(each))


def _told(case: Case, node: ast.Attribute, call: ast.Call, layer: Layer) -> Finding:
    name, made = case.text(node.value), maker_of(case, layer)
    kind = type(layer).__name__
    who, who_zh = (
        (f"{code(case, made)} on line {line(made)}", f"第 {line(made)} 行的 {code(case, made)}")
        if made is not None
        else (f"the `{kind}` in it", f"其中的 `{kind}`")
    )
    does, does_zh = _DOES["BatchNorm" if kind.startswith("BatchNorm") else "Dropout"]
    passes = [one for one in case.nodes(ast.Call) if getattr(one.func, "attr", "") == "backward"]
    goes_on = training_goes_on(case, call, passes)
    back = f", and `{name}.train()` behind it, where the training goes on" if goes_on else ""
    back_zh = f"，并在其后训练继续之前调用 `{name}.train()`" if goes_on else ""
    torch, _ = case.with_torch()
    text = f"{name}({case.text(call.args[0])})"
    write, write_zh = (
        (f"Write `{text}`", f"写 `{text}`") if node.attr == "predict" else ("Compute the loss", "计算损失")
    )
    fix = apply(
        case,
        _evaluated(case, call, name, text, goes_on),
        f"`{text}` after `{name}.eval()`",
        f"先 `{name}.eval()`，再 `{text}`",
    )
    return finding(
        case,
        f"`{node.attr}` is a word of Keras; there is none on `{name}` in PyTorch. {write} under `{torch}.no_grad()`, with `{name}.eval()` before{back}: `{name}` is in training mode, in"
        f" which {who} {does}.",
        f"`{node.attr}` 是 Keras 的写法；PyTorch 的 `{name}` 上没有它。请先调用 `{name}.eval()`，再在 `{torch}.no_grad()` 下{write_zh}{back_zh}。`{name}` 现在处于训练模式，这时{who_zh} {does_zh}。",
        (fix if node.attr == "predict" else None) or (),
        node,
    )


def _evaluated(case: Case, call: ast.Call, name: str, text: str, goes_on: bool) -> list[Edit]:
    """``net.eval()`` and ``with torch.no_grad():`` before the statement, and ``net.train()`` behind it where the training goes on."""
    statement = case.statement(call)
    span = case.program.span_of(statement) if statement is not None else None
    if not isinstance(statement, ast.Assign | ast.Expr | ast.Return) or span is None:
        return []
    indent = case.line(span.line)[: span.column]
    rest = case.line(span.end_line)[span.end_column :].strip()
    alone = not indent.strip() and (not rest or rest.startswith("#")) and case.is_plain(span.line)
    if not alone or span.line != span.end_line or (goes_on and isinstance(statement, ast.Return)):
        return []
    torch, imports = case.with_torch()
    behind = [insertion(span.end_line, len(case.line(span.end_line)), f"\n{indent}{name}.train()")] if goes_on else []
    before = f"{name}.eval()\n{indent}with {torch}.no_grad():\n{indent}    "
    return [*imports, insertion(span.line, span.column, before), *case.replace(call, text), *behind]
