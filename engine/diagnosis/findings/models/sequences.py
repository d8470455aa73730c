"""A list or a tuple where one tensor is needed: several results, a whole batch, the pair that a recurrent layer gives."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Fix

_PAIRS = ("RNN", "LSTM", "GRU", "MultiheadAttention")


def _parts(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


@finds(errors.ARGUMENT_TYPE, errors.KEYWORD_TYPE)
def _pair_inside(case: Case) -> Finding | None:
    """``self.fc(self.lstm(x))``: the layer inside gives its outputs and its state."""
    call = case.find(ast.Call)
    if call is None or case.details.get("actual") != "tuple":
        return None
    for given in _parts(call):
        made = case.assignment(given.id) if isinstance(given, ast.Name) else given
        kind = type(case.value(made.func)).__name__ if isinstance(made, ast.Call) else ""
        if kind in _PAIRS and isinstance(made, ast.Call):
            return finding(
                case,
                f"{code(case, made)} on line {line(made)} gives two things, its outputs and its last state, and the next layer"
                f" takes the outputs alone. Take the first of the two: `{case.text(made)}[0]`.",
                f"第 {line(made)} 行的 {code(case, made)} 返回两样东西：输出和最后的状态，而下一层只要输出。请取两者中的第一个："
                f"`{case.text(made)}[0]`。",
                case.fix(case.after(made, "[0]"), case.statement(made)),
                made,
            )
    outer = case.value(call.func)
    inner = [one for one in outer.modules() if type(one).__name__ in _PAIRS] if isinstance(outer, Layer) else []
    if not inner or type(outer).__name__ != "Sequential":
        return None
    kind = type(inner[0]).__name__
    made = next((one for one in case.nodes(ast.Call) if getattr(one.func, "attr", "") == kind), None)
    return finding(
        case,
        f"`{kind}` gives two things, its outputs and its last state, and inside of `{case.text(call.func)}` the pair goes to the"
        f" next layer, which takes one tensor. Call the layers one by one, and take `[0]` of what `{kind}` gives.",
        f"`{kind}` 返回两样东西：输出和最后的状态，而在 `{case.text(call.func)}` 里，这一对会直接传给只接受一个张量的下一层。请逐层调用，并对"
        f" `{kind}` 的结果取 `[0]`。",
        (),
        made,
    )


@finds(errors.ARGUMENT_TYPE, errors.KEYWORD_TYPE)
def _several(case: Case) -> Finding | None:
    """``torch.mean([a, b])``, ``model(batch)``: the elements are tensors already."""
    call = case.find(ast.Call)
    if call is None:
        return None
    for given in _parts(call):
        held = _tensors(case, given)
        if held is None:
            continue
        loop = _loop(case, given)
        return _batch(case, call, given, held, loop) if loop is not None else _listed(case, call, given, held)
    return None


def _tensors(case: Case, node: ast.expr) -> list[Tensor] | None:
    """The tensors that a list holds."""
    value = case.value(node)
    if not isinstance(value, list | tuple) and isinstance(node, ast.List | ast.Tuple):
        value = [case.value(one) for one in node.elts]
    if not isinstance(value, list | tuple) or not value or not all(isinstance(one, Tensor) for one in value):
        return None
    return list(value)


def _loop(case: Case, given: ast.expr) -> ast.For | None:
    """The loop whose turns give a name."""
    if not isinstance(given, ast.Name):
        return None
    loops = [
        one
        for one in case.nodes(ast.For)
        if given.id in {n.id for n in ast.walk(one.target) if isinstance(n, ast.Name)}
    ]
    return loops[-1] if loops else None


def _batch(case: Case, call: ast.Call, given: ast.expr, held: list[Tensor], loop: ast.For) -> Finding:
    name, shapes = case.text(given), [list(one.shape) for one in held]
    told = " and ".join(map(str, shapes)) if len(shapes) < 4 else f"{shapes[0]}, ..."
    told_zh = (
        told.replace(" and ", " 和 ").replace(", ...", " 等") if len(shapes) > 3 else told.replace(" and ", " 和 ")
    )
    return finding(
        case,
        f"Each turn of the loop on line {line(loop)} gives a list of {len(held)} tensors, of the shapes {told}: the parts of the"
        f" data set, as inputs and targets. `{case.text(call.func)}` takes one; unpack them, or take the inputs: `{name}[0]`.",
        f"第 {line(loop)} 行的循环每一轮给出含 {len(held)} 个张量的列表，形状为 {told_zh}：即数据集的各个部分，例如输入和目标。"
        f"`{case.text(call.func)}` 只接受一个；请解包，或者取出输入：`{name}[0]`。",
        case.fix(case.after(given, "[0]"), call),
        loop.target,
    )


def _listed(case: Case, call: ast.Call, given: ast.expr, held: list[Tensor]) -> Finding:
    alike = len({tuple(one.shape) for one in held}) == 1
    word = "stack" if alike else "cat"
    torch, imports = case.with_torch()
    text = f"{torch}.{word}({case.text(given)})"
    made = case.assignment(given.id) if isinstance(given, ast.Name) else None
    place = f" (line {line(made)})" if made is not None else ""
    place_zh = f"（第 {line(made)} 行）" if made is not None else ""
    kind = "tuple" if isinstance(case.value(given), tuple) or isinstance(given, ast.Tuple) else "list"
    return finding(
        case,
        f"{code(case, given)}{place} is a Python {kind} of {len(held)} tensors, and {code(case, call.func)} takes one tensor. Join"
        f" them first, which keeps their graph: `{text}`.",
        f"{code(case, given)}{place_zh} 是含 {len(held)} 个张量的 Python {kind}，而 {code(case, call.func)} 只接受一个张量。请先把它们"
        f"合并，这样计算图得以保留：`{text}`。",
        _join(case, call, given, text, imports),
        made,
    )


def _join(case: Case, call: ast.Call, given: ast.expr, text: str, imports: list) -> Fix | None:  # type: ignore[type-arg]
    return case.fix([*case.replace(given, text), *imports], call)
