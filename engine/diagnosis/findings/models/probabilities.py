"""Probabilities that are none: scores without a sigmoid, and targets beyond 0 and 1, in a binary cross-entropy."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, place
from gradflow.engine.diagnosis.findings.layers import maker_of
from gradflow.engine.diagnosis.findings.models.supports import mapping
from gradflow.engine.diagnosis.findings.words import code, finding, line, text_with, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, returned
from gradflow.engine.diagnosis.provenance import operands_of
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.tensor import Tensor

_SQUASHING: Final = frozenset({"sigmoid", "softmax", "Sigmoid", "Softmax", "sigmoid_", "expit"})
_OF_SCORES: Final = {
    "BCELoss": "BCEWithLogitsLoss",
    "binary_cross_entropy": "binary_cross_entropy_with_logits",
}
"""The loss that takes raw scores, for the one that takes probabilities."""


@finds(errors.BCE_RANGE)
def _beyond(case: Case) -> Finding | None:
    """Numbers outside of 0 to 1 in a loss of probabilities."""
    call = case.find(ast.Call)
    name = str(case.details.get("name"))
    given = argument_of(call, ("input", "target").index(name), name) if call is not None else None
    held = Flow(case).tensor(given) if given is not None else None
    if call is None or given is None or held is None:
        return None
    return _scores(case, call, given, held) if name == "input" else _target(case, given, held)


def _range(held: Tensor) -> tuple[str, str]:
    return f"{float(held._a.min()):.3g}", f"{float(held._a.max()):.3g}"


def _scores(case: Case, call: ast.Call, given: ast.expr, held: Tensor) -> Finding | None:
    """Raw scores; the loss that takes them, or where the program reads probabilities, a sigmoid where they are made."""
    if any(_squashes(case, one) for one in Flow(case).behind(given)):
        return None
    low, high = _range(held)
    layer = case.value(call.func)
    made = (maker_of(case, layer) if isinstance(layer, Layer) else None) or call
    name = called(made)
    en = (
        f"{code(case, given)} goes from {low} to {high}: raw scores, with no sigmoid on the way, and {code(case, made.func)} (line"
        f" {line(made)}) compares probabilities between 0 and 1."
    )
    zh = (
        f"{code(case, given)} 的值从 {low} 到 {high}：它是原始得分，一路上没有经过 sigmoid，而 {code(case, made.func)}（第 {line(made)} 行）比较的是"
        f" 0 到 1 之间的概率。"
    )
    if (other := _activation(held)) and other not in ("sigmoid", "softmax"):
        return finding(
            case,
            f"{code(case, given)} goes from {low} to {high}: the last function on its way is `{other}`, and {code(case, made.func)} (line"
            f" {line(made)}) compares probabilities between 0 and 1, which `sigmoid` gives. Put a sigmoid in the place of this last `{other}`.",
            f"{code(case, given)} 的值从 {low} 到 {high}：它最后经过的函数是 `{other}`，而 {code(case, made.func)}（第 {line(made)} 行）比较的是 0 到 1"
            f" 之间的概率，要由 `sigmoid` 给出。请把最后这个 `{other}` 换成 sigmoid。",
            (),
        )
    source = definition(case, given)
    if (told := _in_model(case, source, en, zh)) is not None:
        return told
    if _reads_probabilities(case) and source is not given:
        torch, _ = case.with_torch()
        text = f"{torch}.sigmoid({case.text(source)})"
        return finding(
            case,
            f"{en} Make probabilities of them where they are computed, on line {line(source)}: `{text}`.",
            f"{zh}请在第 {line(source)} 行算出它的地方变成概率：`{text}`。",
            write(case, source, text, case.statement(source)),
            source,
        )
    if name not in _OF_SCORES:
        return None
    text = text_with(case, made, made.func, f"{case.text(made.func).removesuffix(name)}{_OF_SCORES[name]}")
    last, last_zh = _made_by_layer(case, held)
    return finding(
        case,
        f"{en}{last} Use the loss that takes scores: `{text}`.",
        f"{zh}{last_zh}请使用接受得分的损失：`{text}`。",
        case.fix(case.rename_end(made.func, name, _OF_SCORES[name]), made),
        made,
    )


def _made_by_layer(case: Case, held: Tensor) -> tuple[str, str]:
    """The linear layer that gave raw scores, as a sentence, where it stands elsewhere."""
    operands = operands_of(held._entry.first) if held._entry is not None else []
    weights = {one.first for operand in operands for one in (operand, *operands_of(operand)) if one.is_leaf}
    for value in case.values.values():
        for layer in value.modules() if isinstance(value, Layer) else ():
            weight = getattr(layer, "weight", None)
            if type(layer).__name__ == "Linear" and isinstance(weight, Tensor) and weight._entry is not None:
                made = maker_of(case, layer) if weight._entry.first in weights else None
                if made is not None:
                    return (
                        f" They come straight from {code(case, made)} (line {line(made)}).",
                        f"它直接来自 {code(case, made)}（第 {line(made)} 行）。",
                    )
    return "", ""


def _in_model(case: Case, source: ast.expr, en: str, zh: str) -> Finding | None:
    """A sigmoid at the end of the model, where the program compares with a half what the model gives at another place."""
    model = case.value(source.func) if isinstance(source, ast.Call) else None
    if not isinstance(source, ast.Call) or not isinstance(model, Layer):
        return None
    made = definition(case, source.func)
    calls = [one for one in case.nodes(ast.Call) if definition(case, one.func) is made and made is not source.func]
    others = [one for one in calls if one is not source and _is_halved(case, one)]
    if not others:
        return None
    if any(_is_squashed(case, one) for one in others):
        return None
    results = [one for function in Flow(case).called(source) for one in returned(function)]
    last = _last_layer(case, model)
    if len(results) != 1 and last is None:
        return None
    torch, imports = case.with_torch()
    node = results[0] if len(results) == 1 else last
    if node is None or isinstance(node, ast.Tuple | ast.Dict | ast.List):
        return None
    name = f"{case.text(node.func).rpartition('.')[0]}.Sigmoid()".lstrip(".") if isinstance(node, ast.Call) else ""
    text = f"{torch}.sigmoid({case.text(node)})" if node is not last else name
    edits = [*case.replace(node, text), *imports] if node is not last else case.after(node, f", {name}")
    return finding(
        case,
        f"{en} Line {line(others[-1])} takes what {code(case, source.func)} gives for a probability, too: let it end with a sigmoid on line"
        f" {line(node)}, `{text}`.",
        f"{zh}第 {line(others[-1])} 行也把 {code(case, source.func)} 的输出当作概率：请让它在第 {line(node)} 行以 sigmoid 结束，`{text}`。",
        case.fix(edits, case.statement(node)),
        node,
    )


def _last_layer(case: Case, model: object) -> ast.expr | None:
    """Where a row of layers gets its last one."""
    made = maker_of(case, model) if type(model).__name__ == "Sequential" and isinstance(model, Layer) else None
    last = made.args[-1] if made is not None and made.args else None
    return last if isinstance(last, ast.Call) and isinstance(last.func, ast.Attribute) else None


def _is_squashed(case: Case, call: ast.Call) -> bool:
    """Whether the program makes probabilities of what a call gives, itself or under its name."""
    flow = Flow(case)
    squashing = [one for one in case.nodes(ast.Call) if _squashes(case, one) or called(one) in _SQUASHING]
    return any(behind is call for one in squashing for behind in flow.behind(one))


_ACTIVATIONS: Final = frozenset(
    {"tanh", "relu", "leaky_relu", "elu", "selu", "gelu_exact", "silu", "hardtanh", "softplus", "softsign", "relu6"}
)
_SHAPING: Final = ("view", "reshape", "squeeze", "flatten", "select", "slice", "index", "unsqueeze")


def _activation(held: Tensor) -> str:
    """The activation that gave a tensor, whatever its shape was then; nothing where another function did."""
    node = held._entry.first.node if held._entry is not None else None
    while node is not None and node.op is not None and node.op.name.startswith(_SHAPING) and node.inputs:
        node = node.inputs[0].first.node
    name = node.op.name if node is not None and node.op is not None else ""
    return name.removesuffix("_exact") if name in _ACTIVATIONS else ""


def _squashes(case: Case, node: ast.expr) -> bool:
    name = called(node) if isinstance(node, ast.Call) else ""
    value = case.value(node.func) if isinstance(node, ast.Call) else None
    inner = list(value.modules()) if isinstance(value, Layer) else []
    return name in _SQUASHING or any(type(one).__name__ in _SQUASHING for one in inner)


def _reads_probabilities(case: Case) -> bool:
    """Whether the program compares with a half, or rounds to 0 and 1."""
    return any(True for _ in _halved(case))


def _halved(case: Case) -> Iterator[ast.expr]:
    """What the program compares with a half, or rounds."""
    for one in case.nodes(ast.Compare):
        sides = (one.left, *one.comparators)
        if any(isinstance(part, ast.Constant) and part.value == 0.5 for part in sides):
            yield from (part for part in sides if not isinstance(part, ast.Constant))
    for call in case.nodes(ast.Call):
        if getattr(call.func, "attr", "") == "round":
            yield call


def _is_halved(case: Case, call: ast.Call) -> bool:
    flow = Flow(case)
    return any(behind is call for one in _halved(case) for behind in flow.behind(one))


def _target(case: Case, given: ast.expr, held: Tensor) -> Finding:
    low, high = _range(held)
    where, where_zh = place(case, given)
    if (mapped := mapping(held._a, "yes", 1, case.text(given))) is not None:
        text = mapped[0].format(case.operand(given))
        return finding(
            case,
            f"The target {code(case, given)}{where} holds {mapped[1]}, and a binary cross-entropy takes 0 for no and 1 for yes. Map the one to the"
            f" other: `{text}`.",
            f"目标 {code(case, given)}{where_zh}的值是{mapped[2]}，而二元交叉熵用 0 表示否，用 1 表示是。请做相应的换算：`{text}`。",
            write(case, given, text, case.find(ast.Call)),
            given,
        )
    return finding(
        case,
        f"The target {code(case, given)}{where} goes from {low} to {high}, and a binary cross-entropy takes the probability that each answer"
        f" is yes: 0 or 1, or a number between. Make such targets of it.",
        f"目标 {code(case, given)}{where_zh}的值从 {low} 到 {high}，而二元交叉熵的目标是每个答案为真的概率：0、1 或两者之间的数。请把它变成这样的目标。",
        (),
        definition(case, given),
    )
